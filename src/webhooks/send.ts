/** What is to be sent. */
export interface SendRequest {
  readonly url: string
  /** The sender adds `host`, `content-length`, `user-agent` and `accept-encoding`. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Ends the attempt early, with a SendFailed. */
  readonly signal?: AbortSignal
}

/** What a receiver answered, whatever its status: a redirect is an answer like any other and is never followed. */
export interface SendResponse {
  readonly status: number
  /** Names in lower case; several of one name joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  /** At most 64 KB, as UTF-8, never decompressed. */
  readonly body: string
  /** There was more, or it did not come in time. */
  readonly truncated: boolean
}

/** Sends a POST to a URL that strangers chose. Throws Blocked (nothing was sent) or SendFailed (it may have arrived). */
export type Send = (request: SendRequest) => Promise<SendResponse>

/** Which rule stands against a URL. */
export type BlockRule =
  | 'malformed'
  | 'not_https'
  | 'credentials'
  | 'port'
  | 'own_host'
  | 'local_name'
  | 'no_address'
  | 'private_address'

/** The URL may not be sent to. Sending again later may do: names get other addresses. */
export class Blocked extends Error {
  override readonly name = 'Blocked'
  readonly rule: BlockRule

  /** @param message a sentence for people, which names the part of the URL. */
  constructor(rule: BlockRule, message: string) {
    super(message)
    this.rule = rule
  }
}

export type SendFailureCode = 'lookup' | 'timeout' | 'connect' | 'tls' | 'reset' | 'protocol' | 'aborted'

/** No answer came. */
export class SendFailed extends Error {
  override readonly name = 'SendFailed'
  readonly code: SendFailureCode

  /** @param message a sentence for people. */
  constructor(code: SendFailureCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
