/** What a message goes with: a turn of the assistant of a branch, or the publish of one. */
export type MessageKind = 'assistant' | 'publish'

/** A message that is not sent yet: what is typed is durable within a second, and there again after a crash. */
export interface UnsentMessage {
  readonly kind: MessageKind
  readonly text: string
  /** What tells the text that was sent, and of which no answer came: the service may have it. */
  readonly sent: string | undefined
  /** Why it cannot be kept on this machine. */
  readonly trouble: string | undefined
  /** To be told when it is opened: another terminal has one, too. */
  readonly notice: string | undefined
  /** @param sent null: of that nothing is in doubt any more; absent: it is as it was. An empty text was not sent. */
  changed(text: string, sent?: string | null): void
  /** What was noted is on the disk, if that works and answers in time. */
  flush(): Promise<void>
}
