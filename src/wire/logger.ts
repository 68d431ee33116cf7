import { pino, type DestinationStream, type Logger } from 'pino'
import type { Config } from '../config.ts'
import { currentRequestId } from '../lib/request-id.ts'

/** The log of the service, as lines of JSON: each names the request that led to it. */
export function openLogger({ logLevel }: Pick<Config, 'logLevel'>, destination?: DestinationStream): Logger {
  const options = {
    level: logLevel,
    base: null,
    mixin: (line: object) => {
      const requestId = 'requestId' in line ? undefined : currentRequestId()
      return requestId === undefined ? {} : { requestId }
    },
  }
  return destination === undefined ? pino(options) : pino(options, destination)
}
