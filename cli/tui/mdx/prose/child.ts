import { plainRows, type ProseRequest, renderProse } from './render.ts'
import type { Row } from './row.ts'

/** What the terminal UI asks of this process: to render a text, then for its rows, some at a time. */
export type ChildRequest = { readonly type: 'render'; readonly request: ProseRequest } | { readonly type: 'more' }

export interface ChildReply {
  readonly rows: readonly Row[]
  readonly notes: readonly string[]
  /** There are more rows to be asked for. */
  readonly more: boolean
}

/** Rows of one message: reading it takes the UI less than a millisecond. */
const rowsAtOnce = 200

let rows: readonly Row[] = []
let sent = 0

process.on('message', (message: ChildRequest) => {
  if (message.type === 'more') return reply([])
  sent = 0
  const { request } = message
  try {
    const rendered = renderProse(request)
    ;({ rows } = rendered)
    return reply(rendered.notes)
  } catch (error) {
    rows = plainRows(request.text, request.width)
    const isDeep = error instanceof RangeError
    return reply([
      isDeep ? 'The page nests too deep to be shown as readers see it.' : 'The page cannot be shown as readers see it.',
    ])
  }
})
process.on('disconnect', () => process.exit(0))

function reply(notes: readonly string[]): void {
  const part = rows.slice(sent, sent + rowsAtOnce)
  sent += part.length
  const message: ChildReply = { rows: part, notes, more: sent < rows.length }
  process.send?.(message)
}
