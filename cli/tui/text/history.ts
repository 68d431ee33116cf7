import { endAt, type Fragment, unitsOf } from '#authoring/fragment.ts'
import type { Position } from '#authoring/lines.ts'
import { isSame, type Selection } from './positions.ts'

/** One change: at a position, a fragment took the place of another one. */
export interface Edit {
  readonly start: Position
  readonly removed: Fragment
  readonly inserted: Fragment
}

/** `typing` and `deleting` go on with the step before where they continue it; `other` is a step of its own. */
export type EditKind = 'typing' | 'deleting' | 'other'

interface Step {
  readonly kind: EditKind
  readonly edits: Edit[]
  /** What was selected before it. */
  readonly before: Selection
  bytes: number
  /** Of its last edit, in milliseconds. */
  at: number
}

/** Writing again after such a pause begins a new step, in milliseconds. */
const pause = 1_500

/** Beside the text of an edit: objects and arrays, in bytes. */
const overhead = 200

/**
 * The steps of undo and redo. It keeps what changed, not whole texts, and at most `limit` bytes of it (two bytes a
 * UTF-16 unit): the oldest steps are forgotten first, the newest never.
 */
export class History {
  readonly #limit: number
  readonly #now: () => number
  #done: Step[] = []
  #undone: Step[] = []
  #bytes = 0
  /** The next edit begins a step. */
  #isSealed = true

  constructor(options: { readonly limit: number; readonly now: () => number }) {
    this.#limit = options.limit
    this.#now = options.now
  }

  get canUndo(): boolean {
    return this.#done.length > 0
  }

  get canRedo(): boolean {
    return this.#undone.length > 0
  }

  /** What comes next is a step of its own, such as after the cursor has moved. */
  seal(): void {
    this.#isSealed = true
  }

  /** Begins a step, or goes on with the last one where this continues it. */
  begin(kind: EditKind, before: Selection): void {
    const last = this.#done.at(-1)
    const goesOn = !this.#isSealed && kind !== 'other' && last?.kind === kind && this.#now() - last.at < pause
    if (!goesOn) this.#done.push({ kind, edits: [], before, bytes: 0, at: this.#now() })
    this.#isSealed = false
    for (const { bytes } of this.#undone) this.#bytes -= bytes
    this.#undone = []
  }

  /** Belongs to the step that was begun last. */
  add(edit: Edit): void {
    let step = this.#done.at(-1)
    if (step === undefined) return
    const last = step.edits.at(-1)
    if (last !== undefined && step.kind === 'typing' && beginsWord(last, edit)) {
      const { start } = edit
      step = { kind: step.kind, edits: [], before: { anchor: start, head: start }, bytes: 0, at: step.at }
      this.#done.push(step)
    }
    const joined = last === undefined ? undefined : join(last, edit)
    if (joined !== undefined && step.edits.at(-1) === last) step.edits[step.edits.length - 1] = joined
    else step.edits.push(edit)
    const bytes = 2 * (unitsOf(edit.removed) + unitsOf(edit.inserted)) + (joined === undefined ? overhead : 0)
    step.bytes += bytes
    step.at = this.#now()
    this.#bytes += bytes
    this.#forget()
  }

  /** Drops a step in which nothing happened. */
  end(): void {
    if (this.#done.at(-1)?.edits.length === 0) this.#done.pop()
  }

  /** The step to take back, or undefined. */
  undo(): Pick<Step, 'edits' | 'before'> | undefined {
    return this.#travel(this.#done, this.#undone)
  }

  redo(): Pick<Step, 'edits' | 'before'> | undefined {
    return this.#travel(this.#undone, this.#done)
  }

  #travel(from: Step[], to: Step[]): Step | undefined {
    const step = from.pop()
    this.#isSealed = true
    if (step !== undefined) to.push(step)
    return step
  }

  #forget(): void {
    while (this.#bytes > this.#limit && this.#done.length > 1) this.#bytes -= this.#done.shift()?.bytes ?? 0
  }
}

/** A word begins: the step before ends with the spaces in front of it. */
function beginsWord(last: Edit, edit: Edit): boolean {
  const before = last.inserted.lines.at(-1) ?? ''
  const text = edit.inserted.lines[0] ?? ''
  return /(^|\s)$/.test(before) && /^\S/.test(text) && unitsOf(last.inserted) > 0
}

/** Typing on in the same line is one edit, so that a page of typing is not ten thousand objects. */
function join(last: Edit, edit: Edit): Edit | undefined {
  const [text] = edit.inserted.lines
  const [before] = last.inserted.lines
  const isPlain = edit.inserted.lines.length === 1 && last.inserted.lines.length === 1 && unitsOf(edit.removed) === 0
  if (!isPlain || text === undefined || before === undefined) return undefined
  if (!isSame(endAt(last.start, last.inserted), edit.start)) return undefined
  return { ...last, inserted: { lines: [before + text], ends: [] } }
}
