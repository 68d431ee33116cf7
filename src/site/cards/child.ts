import type { Card } from '../../contract/release.ts'
import { CardPress } from './draw.ts'

/** What the service asks of the child, one at a time. */
export type CardRequest = Card
/** What it answers: a PNG, or why there is none. */
export type CardReply = { readonly png: Uint8Array } | { readonly error: string }

const opening = CardPress.open()
// Whoever asks is told.
opening.catch(() => undefined)

process.on('message', (card: CardRequest) => {
  opening
    .then((press): CardReply => ({ png: press.draw(card) }))
    .catch((error: unknown): CardReply => ({ error: error instanceof Error ? error.message : String(error) }))
    .then((reply) => process.send?.(reply))
    .catch(() => process.exit(1))
})
// The service has ended.
process.on('disconnect', () => process.exit())
