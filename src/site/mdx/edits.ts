import { childrenOf, type Node, type Point } from './nodes.ts'

/** Some characters of a text that give way to others. */
export interface Edit {
  /** In the text of the author. */
  readonly offset: number
  /** How many characters give way. */
  readonly length: number
  readonly inserted: string
}

/** A text with some places of it written otherwise. */
export class EditedText {
  readonly text: string
  readonly edits: readonly Edit[]
  readonly #source: string
  readonly #edited: ReadonlySet<number>
  /** Where edits begin in `text`. */
  readonly #starts: readonly number[]
  #lines: readonly number[] | undefined

  constructor(source: string, edits: readonly Edit[]) {
    this.#source = source
    this.edits = edits.toSorted((a, b) => a.offset - b.offset)
    this.#edited = new Set(edits.flatMap(reach))
    const starts: number[] = []
    let text = ''
    let at = 0
    for (const { offset, length, inserted } of this.edits) {
      text += source.slice(at, offset)
      starts.push(text.length)
      text += inserted
      at = offset + length
    }
    this.#starts = starts
    this.text = text + source.slice(at)
  }

  /** Whether edits fit beside those that there are. */
  takes(edits: readonly Edit[]): boolean {
    return edits.every((edit) => reach(edit).every((offset) => !this.#edited.has(offset)))
  }

  isEdited(offset: number): boolean {
    return this.#edited.has(offset)
  }

  /** Offset in `text` → offset in the text of the author. */
  original(offset: number): number {
    const index = lastAtMost(this.#starts, offset)
    const edit = this.edits[index]
    if (edit === undefined) return offset
    const within = offset - (this.#starts[index] ?? 0)
    if (within < edit.inserted.length) return edit.offset + Math.min(within, edit.length)
    return edit.offset + edit.length + within - edit.inserted.length
  }

  restore(root: Node): void {
    const moved = new Set<Point>()
    const stack: Node[] = [root]
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      for (const point of node.position === undefined ? [] : [node.position.start, node.position.end]) {
        if (point.offset === undefined || moved.has(point)) continue
        moved.add(point)
        Object.assign(point, this.point(this.original(point.offset)))
      }
      stack.push(...childrenOf(node))
    }
  }

  /** Of an offset in the text of the author. */
  point(offset: number): Point {
    this.#lines ??= [0, ...[...this.#source.matchAll(/\n/g)].map(({ index }) => index + 1)]
    const index = lastAtMost(this.#lines, offset)
    return { line: index + 1, column: offset - (this.#lines[index] ?? 0) + 1, offset }
  }
}

/** The places that an edit changes. */
const reach = ({ offset, length }: Edit): readonly number[] =>
  Array.from({ length: Math.max(1, length) }, (_, index) => offset + index)

/** The index of the last number of a sorted list that is no larger; −1 where all are. */
function lastAtMost(sorted: readonly number[], value: number): number {
  let [low, high] = [-1, sorted.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((sorted[middle] ?? 0) <= value) low = middle
    else high = middle - 1
  }
  return low
}
