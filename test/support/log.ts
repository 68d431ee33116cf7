import { readConfig } from '../../src/config.ts'
import type { Overrides } from '../../src/wire.ts'
import { openLogger } from '../../src/wire/logger.ts'
import { FakeBuilder } from './fake-builder.ts'
import { startTestService, type TestService } from './service.ts'

/** A line of the log, parsed. */
export type LogLine = Readonly<Record<string, unknown>> & { readonly msg: string }

export interface LoggedService extends TestService {
  /** All that it has logged so far. */
  text(): string
  /** The lines with a message, or all. */
  lines(message?: string): readonly LogLine[]
}

/** A service in the test's own process whose log the test reads. */
export async function startLogged(
  environment: Record<string, string> = {},
  overrides: Overrides = {},
): Promise<LoggedService> {
  const written: string[] = []
  const { logLevel } = readConfig(environment)
  const logger = openLogger({ logLevel }, { write: (line) => void written.push(line) })
  const service = await startTestService(environment, { builder: new FakeBuilder(), ...overrides, logger })
  return {
    ...service,
    text: () => written.join(''),
    lines: (message) =>
      written.map((line) => JSON.parse(line) as LogLine).filter(({ msg }) => message === undefined || msg === message),
  }
}
