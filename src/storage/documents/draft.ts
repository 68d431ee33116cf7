import { Immer } from 'immer'
import { Failure } from '../../contract/failure.ts'
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

// PostgreSQL's jsonb takes neither; refused in every store, so that data can move between them.
const unstorable = /\p{Surrogate}|\0/u

/** Trees that are a store's own: copied, frozen and found storable. */
const owned = new WeakSet<object>()

/**
 * The value as a document may hold it: a frozen copy that shares nothing with its maker, or the value itself where it
 * is a part of an earlier version. So the cost follows what is new, not the size of the document. Members that are
 * undefined are left out, as JSON does.
 *
 * Throws Failure `invalid_request` for text that cannot be kept (a user can send that) and TypeError for what is not
 * JSON (a bug).
 */
export function adopt(value: unknown, pointer = ''): Json {
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'string') return storableText(value)
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (typeof value === 'object') return adoptTree(value, pointer)
  throw notJson(typeof value === 'number' ? String(value) : `of type ${typeof value}`, pointer)
}

function adoptTree(value: object, pointer: string): Json {
  if (owned.has(value)) return value as Json
  const copy = Array.isArray(value)
    ? value.map((item: unknown, index) => adopt(item, `${pointer}/${index}`))
    : Object.fromEntries(adoptMembers(value, pointer))
  owned.add(Object.freeze(copy))
  return copy
}

function adoptMembers(value: object, pointer: string): [string, Json][] {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null) throw notJson('an object with a class', pointer)
  const members: [string, Json][] = []
  for (const [key, member] of Object.entries(value)) {
    const place = `${pointer}/${key}`
    // A plain assignment somewhere would take it for the prototype.
    if (key === '__proto__') throw notJson('a name with a meaning of its own', place)
    if (member !== undefined) members.push([storableText(key), adopt(member, place)])
  }
  return members
}

function storableText(text: string): string {
  if (!unstorable.test(text)) return text
  throw new Failure('invalid_request', 'A text has half a character (a lone surrogate) or a NUL character.', {
    hint: 'Remove the broken character and send the text again.',
  })
}

function notJson(what: string, pointer: string): TypeError {
  return new TypeError(`${pointer === '' ? 'the document' : pointer} is ${what}: a document holds JSON only`)
}
