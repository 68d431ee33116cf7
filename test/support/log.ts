import { onTestFinished } from 'vitest'
import { readConfig } from '#config.ts'
import type { Overrides } from '#wire.ts'
import { openLogger } from '#wire/logger.ts'
import { sendRaw } from './hosting/support.ts'
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

/** The same, ended with the test. */
export async function logged(...[environment, overrides]: Parameters<typeof startLogged>): Promise<LoggedService> {
  const service = await startLogged(environment, overrides)
  onTestFinished(() => service.close())
  return service
}

/** The answers to what a browser or a program asks, with headers of its own. */
export function ask(service: LoggedService, path: string, headers: Record<string, string> = {}, host = 'localhost') {
  const lines = Object.entries({ host: `${host}:${service.port}`, connection: 'close', ...headers })
  const head = lines.map(([name, value]) => `${name}: ${value}`).join('\n')
  return sendRaw(service.port, `GET ${path} HTTP/1.1\n${head}\n\n`)
}
