import { createParser } from 'eventsource-parser'

/** Longest event taken without a bound of the caller's, in characters. */
const defaultMaxEvent = 4 * 1024 * 1024

/** The parsed `data:` of every event of a `text/event-stream` response. */
export async function* readEvents<T>(
  response: Response,
  maxEvent = defaultMaxEvent,
): AsyncGenerator<T, void, undefined> {
  if (response.body === null) return
  const waiting: T[] = []
  const parser = createParser({
    maxBufferSize: maxEvent,
    onEvent: (event) => waiting.push(JSON.parse(event.data) as T),
  })
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      parser.feed(decoder.decode(value, { stream: true }))
      yield* waiting.splice(0)
    }
  } finally {
    // The caller left early (break, throw): let go of the connection.
    await reader.cancel()
  }
}
