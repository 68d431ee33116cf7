import { Immer } from 'immer'
import { adopt } from './storable.ts'
import type { Json } from '../store.ts'

export type Change<T, R> = (draft: T | undefined) => { document: T | undefined; result: R }

interface Outcome {
  readonly document: Json | undefined
  readonly result: unknown
}

// Freezing is adopt's: immer would also freeze what the caller put in and still owns.
const immer = new Immer({ autoFreeze: false })

/**
 * Runs a change on a copy-on-write draft of a document: the document given stays as it is, and only what was touched is
 * copied. The same document comes back when nothing changed. Throws what the change throws.
 */
export function applyChange<T, R>(
  document: Json | undefined,
  change: Change<T, R>,
): { document: Json | undefined; result: R } {
  // One draft around both, because a result may be a part of the draft.
  const root = immer.createDraft<Outcome>({ document, result: undefined }) as { document: unknown; result: unknown }
  const outcome = change(root.document as T | undefined)
  root.document = outcome.document
  root.result = outcome.result
  const done = immer.finishDraft(root) as Outcome
  return { document: done.document === undefined ? undefined : adopt(done.document), result: done.result as R }
}
