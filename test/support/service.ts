import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { readConfig } from '#config.ts'
import { createService, type Overrides, type Service } from '#wire.ts'
import { quickPasswords } from './access.ts'
import { watchOwnEventLoop } from './event-loop/stalls.ts'
import { sharedRenderPool } from './render-pool.ts'
import { freePort, nobodysServer } from './service-process.ts'
import { removeDirectory } from './temporary.ts'

export interface TestService {
  readonly url: string
  readonly port: number
  readonly directory: string
  readonly service: Service
  /** Ends it and starts another one on the same data. @param between what happens to the data meanwhile */
  restart(between?: () => Promise<void>): Promise<void>
  close(): Promise<void>
}

/** A clock that runs from noon in the middle of this month: where a test counts by day or month, none ends meanwhile. */
export function noonClock(): () => Date {
  const today = new Date()
  const ahead = Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), 15, 12) - today.getTime()
  return () => new Date(Date.now() + ahead)
}

/** Settings of the children that render: with one of them a service has children of its own. */
const renderSettings = ['RENDER_CHILDREN', 'BUILD_SECONDS', 'ALLOW_WEAK_ISOLATION']

/** A service in the test's own process, on a directory of its own. Those of a worker share the children that render. */
export async function startTestService(
  environment: Record<string, string> = {},
  overrides: Overrides = {},
): Promise<TestService> {
  watchOwnEventLoop()
  const directory = await mkdtemp(join(tmpdir(), 'quire-service-'))
  const port = await freePort()
  const config = readConfig({
    PATH: process.env['PATH'],
    PORT: String(port),
    DATA_DIR: directory,
    RENDER_CHILDREN: '1',
    DRAIN_SECONDS: '5',
    DNS_SERVERS: nobodysServer,
    ...environment,
  })
  const isShared = overrides.builder === undefined && !renderSettings.some((name) => name in environment)
  const start = async (): Promise<Service> => {
    const service = await createService(config, {
      logger: pino({ level: 'silent' }),
      passwords: quickPasswords(),
      ...(isShared ? { renderPool: await sharedRenderPool() } : {}),
      ...overrides,
    })
    await service.listen()
    return service
  }
  let service = await start().catch(async (error: unknown) => {
    await removeDirectory(directory)
    throw error
  })
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    directory,
    get service() {
      return service
    },
    async restart(between) {
      await service.close()
      await between?.()
      service = await start()
    },
    async close() {
      await service.close()
      await removeDirectory(directory)
    },
  }
}
