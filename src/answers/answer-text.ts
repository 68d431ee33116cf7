/** A piece of an answer that readers get. */
export type AnswerPiece =
  | { readonly text: string }
  /** Number of a source, from 1. */
  | { readonly cite: number }
  /** A link to a page of the site. */
  | { readonly link: { readonly label: string; readonly href: string } }

export interface AnswerTextOptions {
  /** The number that readers see for a section that the model cites by its number; undefined: there is none. */
  readonly cite: (section: number) => number | undefined
  /** The address of a link to a page of the site; undefined for every other target. */
  readonly resolve: (target: string) => string | undefined
}

/** How far the end of a `[label]`, and of a `(target)` behind it, is looked for. */
const longestLabel = 200
const longestTarget = 300

const label = new RegExp(`^\\[([^\\[\\]\\n]{0,${longestLabel}})\\]`)
const target = new RegExp(
  `^\\(\\s{0,3}<?((?:[^()\\s<>]|\\([^()\\s<>]{0,100}\\)){0,${longestTarget}})>?(?:\\s{1,3}"[^"\\n]{0,100}")?\\s{0,3}\\)`,
)
const longestLink = longestTarget + 120
const citation = /^\s*\d{1,3}(?:\s*,\s*\d{1,3})*\s*$/
// oxlint-disable-next-line no-control-regex -- control characters are what it looks for
const unprintable = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffc]/g

/**
 * Takes what a model writes, piece by piece, and gives what may be shown: text, citations of sections that it got, links
 * to pages of the site. Of other links the label stays, of pictures what they show. In code everything is text.
 */
export class AnswerText {
  readonly #options: AnswerTextOptions
  #rest = ''
  /** Backticks that the code began with; empty outside of code. */
  #code = ''

  constructor(options: AnswerTextOptions) {
    this.#options = options
  }

  *add(text: string): Generator<AnswerPiece> {
    this.#rest += text.replaceAll(unprintable, '')
    yield* this.#read(false)
  }

  /** What was held back in case that it went on. */
  *end(): Generator<AnswerPiece> {
    yield* this.#read(true)
  }

  *#read(isEnd: boolean): Generator<AnswerPiece> {
    let plain = ''
    for (;;) {
      const at = this.#rest.search(this.#code === '' ? /[`[!]/ : /[`\n]/)
      plain += at === -1 ? this.#rest : this.#rest.slice(0, at)
      this.#rest = at === -1 ? '' : this.#rest.slice(at)
      const taken = this.#rest === '' ? undefined : this.#special(isEnd)
      if (taken === undefined) break
      if (typeof taken === 'string') plain += taken
      else {
        if (plain !== '') yield { text: plain }
        plain = ''
        yield* taken
      }
    }
    if (plain !== '') yield { text: plain }
  }

  /** Takes what begins with a special character; undefined when its end has not come yet. */
  #special(isEnd: boolean): string | readonly AnswerPiece[] | undefined {
    const [first] = this.#rest
    if (first === '`') return this.#backticks(isEnd)
    if (first === '\n') {
      // Code in a line ends with the line; a block does not.
      if (this.#code.length < 3) this.#code = ''
      return this.#take(1)
    }
    if (first === '!') {
      if (this.#rest.length === 1 && !isEnd) return undefined
      const mark = this.#take(1)
      return this.#rest.startsWith('[') ? '' : mark
    }
    return this.#bracket(isEnd)
  }

  #backticks(isEnd: boolean): string | undefined {
    const run = /^`+/.exec(this.#rest)?.[0] ?? ''
    if (run.length === this.#rest.length && !isEnd) return undefined
    if (this.#code === '') this.#code = run
    else if (run.length >= this.#code.length) this.#code = ''
    return this.#take(run.length)
  }

  #bracket(isEnd: boolean): string | readonly AnswerPiece[] | undefined {
    const found = label.exec(this.#rest)
    const mayCome = !isEnd && !this.#rest.includes('\n')
    if (found === null) {
      const isLabel = this.#rest.length <= longestLabel + 1 && !/[[\]]/.test(this.#rest.slice(1))
      return isLabel && mayCome ? undefined : this.#take(1)
    }
    const [whole, words = ''] = found
    const after = this.#rest.slice(whole.length)
    if (after === '' && mayCome) return undefined
    const link = after.startsWith('(') ? target.exec(after) : null
    if (link === null && mayCome && after.length <= longestLink && isOpen(after)) return undefined
    this.#take(whole.length + (link?.[0].length ?? 0))
    if (citation.test(words)) return this.#citations(words)
    if (link === null) return [{ text: whole }]
    const href = this.#options.resolve(link[1] ?? '')
    return [href === undefined || words.trim() === '' ? { text: words } : { link: { label: words, href } }]
  }

  #citations(numbers: string): readonly AnswerPiece[] {
    const shown = numbers.split(',').flatMap((number) => this.#options.cite(Number(number)) ?? [])
    return [...new Set(shown)].map((cite) => ({ cite }))
  }

  #take(length: number): string {
    const taken = this.#rest.slice(0, length)
    this.#rest = this.#rest.slice(length)
    return taken
  }
}

/** Whether the brackets that a text begins with are not closed in it. */
function isOpen(text: string): boolean {
  return text.startsWith('(') && text.split('(').length > text.split(')').length
}
