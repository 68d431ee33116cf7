import { pino, type DestinationStream, type Logger } from 'pino'
import type { Config } from '../config.ts'
import { LineOutput } from '../lib/line-output.ts'
import { currentRequestId } from '../lib/request-id.ts'

/** The log of the service, as lines of JSON: each names the request that led to it. */
export function openLogger(
  { logLevel }: Pick<Config, 'logLevel'>,
  // Pino’s own tries for ever at the end of the process what a closed terminal or a full disk does not take.
  destination: DestinationStream = new LineOutput(1),
): Logger {
  const options = {
    level: logLevel,
    base: null,
    mixin: (line: object) => {
      const requestId = 'requestId' in line ? undefined : currentRequestId()
      return requestId === undefined ? {} : { requestId }
    },
  }
  return pino(options, destination)
}
