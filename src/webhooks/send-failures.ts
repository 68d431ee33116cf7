import { Blocked, SendFailed, type SendFailureCode } from './sending.ts'

type Row = readonly [pattern: RegExp, code: SendFailureCode, message: string]

/** Codes of Node, OpenSSL and undici, and what they mean to somebody who looks after a receiver. */
const rows: readonly Row[] = [
  [/^(?:ETIMEDOUT|UND_ERR_\w*TIMEOUT)$/, 'timeout', 'The receiver did not answer in time'],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'reset', 'The receiver closed the connection without an answer'],
  [/^(?:HTTPParserError$|HPE_|UND_ERR_)/, 'protocol', 'The receiver’s answer is not HTTP that can be read'],
  [/^(?:ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO|HOSTNAME)/, 'tls', 'The TLS connection failed'],
  // The other names that Node has for what OpenSSL finds wrong with a certificate.
  [/^(?:INVALID_|PATH_LENGTH_|CRL_|ERROR_IN_|UNSPECIFIED$)/, 'tls', 'The receiver’s certificate is not valid'],
  [/^E[A-Z0-9]+$/, 'connect', 'The receiver could not be connected to'],
  // A receiver must not be able to make up an answer that looks like a mistake of the service.
  [/^(?!ERR_(?:INVALID|OUT_OF_RANGE|MISSING))[A-Z][A-Z0-9_]+$/, 'protocol', 'The exchange with the receiver broke off'],
]

/** What a failed request is to the caller; an error of the program itself, which has no such code, as it is: a bug. */
export function failureOfSending(error: unknown): unknown {
  if (error instanceof Blocked || error instanceof SendFailed || !(error instanceof Error)) return error
  // Several addresses were tried; the first speaks for all.
  const [first = error] = error instanceof AggregateError ? (error.errors as Error[]) : []
  // A parser’s error has no code for what does not even begin like HTTP.
  const code = 'code' in first && typeof first.code === 'string' ? first.code : first.name
  const row = rows.find(([pattern]) => pattern.test(code))
  return row === undefined ? error : new SendFailed(row[1], `${row[2]} (${code}).`, { cause: error })
}
