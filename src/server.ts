import { setFlagsFromString } from 'node:v8'
import { readConfig } from './config.ts'
import { Failure } from './contract/failure.ts'
import type { Service } from './wire.ts'

/** `npm start`: runs the service until SIGTERM or SIGINT. */

// V8 lets a heap grow to three or four times what is alive before it collects the old generation, and keeps the room.
// With half as much again, a site of 5,000 pages takes 100 MB less, for a twentieth more of the service’s CPU time in
// its first build. The flag is read at every collection; it comes before the packages are loaded, which is much garbage.
setFlagsFromString('--heap-growing-percent=50')
const { createService } = await import('./wire.ts')

function fail(error: unknown): never {
  if (error instanceof Failure) {
    console.error(error.message + (error.hint === undefined ? '' : `\n${error.hint}`))
  } else console.error(error)
  process.exit(1)
}

/** Nothing is known of the state after a bug that nobody caught: end, and let the start recover. */
process.on('uncaughtException', fail)
process.on('unhandledRejection', fail)

const config = readConfig()
const service: Service = await createService(config)

function finish(left: number): never {
  if (left > 0) console.error(`${left} deploys were cut off; the next start mends them`)
  process.exit(left > 0 ? 1 : 0)
}

let ending = false
const end = (): void => {
  // A second signal means now.
  if (ending) process.exit(1)
  ending = true
  service.close().then(finish, fail)
}
process.on('SIGTERM', end)
process.on('SIGINT', end)

const address = await service.listen().catch(async (error: unknown) => {
  // `quire serve` tells it, and would wait for what was opened.
  await service.close()
  throw error
})
console.log(
  `Quire: dashboard and API at ${config.publicUrl}, sites below ${config.previewDomain} (listening on ${address})`,
)
