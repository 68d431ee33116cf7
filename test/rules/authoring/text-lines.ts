import type { Lines, LinesChange, Position } from '#authoring/lines.ts'

/** A text that can be changed by lines. */
export class TextLines implements Lines {
  readonly #lines: string[]

  constructor(text: string) {
    this.#lines = text.split('\n')
  }

  get count(): number {
    return this.#lines.length
  }

  at(line: number): string {
    return this.#lines[line] ?? ''
  }

  replace(line: number, removed: number, texts: readonly string[]): LinesChange {
    this.#lines.splice(line, removed, ...texts)
    return { line, removed, added: texts.length }
  }
}

/** A text, and where `|` stood in it. */
export function withCursor(marked: string): { readonly lines: TextLines; readonly at: Position } {
  const before = marked.slice(0, marked.indexOf('|')).split('\n')
  const at = { line: before.length - 1, column: before.at(-1)?.length ?? 0 }
  return { lines: new TextLines(marked.replace('|', '')), at }
}
