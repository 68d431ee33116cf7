import { createHash } from 'node:crypto'
import { chordOf, type Input } from '../canvas/input.ts'
import { span } from '../canvas/lines.ts'
import type { Cursor, Hint, Pane, Size } from '../canvas/pane.ts'
import type { Line } from '../canvas/style.ts'
import { shown } from '../canvas/width.ts'
import { TextBuffer } from '../text/buffer.ts'
import { mergeTexts, type MergePiece } from '#authoring/merge.ts'
import {
  type Choice,
  type ConflictPiece,
  mergedText,
  type PieceDecision,
  pieceNames,
  resultOf,
  writtenOf,
} from '#authoring/merge-pieces.ts'
import { type Row, Wrap } from '../text/wrap.ts'
import { drawRow } from './editor/draw.ts'
import { EditorPane } from './editor.ts'
import { type Entry, entriesOf, type Labels, unplacedEntries } from './merge/entries.ts'

export interface MergeOptions {
  /** What both sides began from; undefined: there was nothing. */
  readonly base: string | undefined
  readonly mine: string
  readonly theirs: string
  /** What the sides are called, such as the name of a branch. */
  readonly labels: Labels
  /** What was done of these texts, or of others like them, before. */
  readonly decided?: readonly PieceDecision[]
  /** Something was decided, or typed. */
  readonly onChange?: () => void
}

/** Merges two texts piece by piece: 1 takes mine, 2 theirs, 3 both, `e` writes another one; [ and ] go to the others. */
export class MergePane implements Pane {
  readonly labels: Labels
  readonly #pieces: readonly MergePiece[]
  readonly #conflicts: readonly ConflictPiece[]
  readonly #names: readonly string[]
  readonly #choices: (Choice | undefined)[]
  /** What was written of pieces that are others now. */
  readonly #unplaced: readonly PieceDecision[]
  readonly #onChange: () => void
  #current = 0
  #editor: EditorPane | undefined
  #cursor: Cursor | undefined
  #entries: readonly Entry[]
  #wrap: Wrap
  #top: Row | undefined
  #height = 1
  /** The next drawing shows the current piece. */
  #follows = true

  constructor({ base, mine, theirs, labels, decided = [], onChange }: MergeOptions) {
    this.labels = labels
    this.#pieces = mergeTexts(base, mine, theirs)
    this.#conflicts = this.#pieces.filter((piece) => piece.kind === 'conflict')
    this.#names = pieceNames(this.#conflicts, digestOf)
    const before = new Map(decided.map((one) => [one.piece, one]))
    this.#choices = this.#names.map((name) =>
      before.get(name)?.writing === true ? undefined : before.get(name)?.choice,
    )
    const here = new Set(this.#names)
    this.#unplaced = decided.filter(({ piece, choice }) => 'text' in choice && !here.has(piece))
    this.#onChange = onChange ?? (() => undefined)
    this.#resume(before)
    this.#entries = this.#list()
    this.#wrap = this.#wrapped()
  }

  /** The merged text; undefined while a piece is not decided. */
  get text(): string | undefined {
    if (this.#editor !== undefined) return undefined
    return mergedText(this.#pieces, this.#choices)
  }

  /** What was done so far, also what is being written, to be gone on with in another pane. */
  get decided(): readonly PieceDecision[] {
    const taken = this.#names.flatMap((piece, index): PieceDecision[] => {
      if (this.#editor !== undefined && index === this.#current)
        return [{ piece, choice: { text: this.#editor.buffer.text() }, writing: true }]
      const choice = this.#choices[index]
      return choice === undefined ? [] : [{ piece, choice }]
    })
    return [...taken, ...this.#unplaced]
  }

  /** Texts that somebody wrote of pieces that are others now. */
  get unplaced(): readonly string[] {
    return writtenOf(this.#unplaced)
  }

  /** How many pieces are to be decided in all, and how many are left. */
  get counts(): { readonly all: number; readonly open: number } {
    return { all: this.#conflicts.length, open: this.#choices.filter((choice) => choice === undefined).length }
  }

  get typing(): boolean {
    return this.#editor !== undefined
  }

  get hints(): readonly Hint[] {
    return this.#editor === undefined || this.#editor.isChoosing ? [] : [{ chord: 'escape', word: 'take it' }]
  }

  get cursor(): Cursor | undefined {
    return this.#editor === undefined ? undefined : this.#cursor
  }

  draw(size: Size): readonly Line[] {
    this.#height = Math.max(1, size.height)
    if (this.#editor !== undefined) return this.#drawEditor(this.#editor, size)
    this.#wrap.width = Math.max(4, size.width - 3)
    const top = this.#topRow(size.height)
    this.#top = top
    const lines: Line[] = []
    for (let row = top; row !== undefined && lines.length < size.height; row = this.#wrap.next(row))
      lines.push(this.#drawEntry(row, size.width))
    return lines
  }

  input(input: Input): boolean {
    if (this.#editor !== undefined) return this.#edit(this.#editor, input)
    if (input.type === 'mouse') {
      if (input.mouse.action !== 'wheelUp' && input.mouse.action !== 'wheelDown') return false
      return this.#scroll(input.mouse.action === 'wheelUp' ? -3 : 3)
    }
    return input.type === 'key' && this.#key(chordOf(input.key))
  }

  spoken(): string {
    const { all, open } = this.counts
    const conflict = this.#conflicts[this.#current]
    if (this.#editor !== undefined) return this.#editor.spoken()
    if (conflict === undefined) return 'Nothing is to be decided: the changes go together.'
    const said = (lines: readonly string[]): string => shown(lines.join(' ').trim().slice(0, 300)) || 'nothing'
    const choice = this.#choices[this.#current]
    const place = `Piece ${this.#current + 1} of ${all}, ${open} to be decided.`
    if (choice !== undefined) return `${place} Decided: ${said([resultOf(conflict, choice)])}`
    return `${place} 1 takes ${this.labels.mine}: ${said(conflict.mine)}. 2 takes ${this.labels.theirs}: ${said(conflict.theirs)}.`
  }

  #key(chord: string): boolean {
    switch (chord) {
      case '1':
        return this.#decide({ take: 'mine' })
      case '2':
        return this.#decide({ take: 'theirs' })
      case '3':
        return this.#decide({ take: 'both' })
      case '0':
      case 'backspace':
        return this.#decide(undefined)
      case 'e':
        return this.#openEditor()
      case '[':
      case 'p':
        return this.#go(this.#current - 1)
      case ']':
      case 'n':
        return this.#go(this.#current + 1)
      case 'up':
      case 'down':
        return this.#scroll(chord === 'up' ? -1 : 1)
      case 'pageup':
      case 'pagedown':
        return this.#scroll((chord === 'pageup' ? -1 : 1) * Math.max(1, this.#height - 2))
      default:
        return false
    }
  }

  /** The next piece that is not decided comes after it. */
  #decide(choice: Choice | undefined): boolean {
    if (this.#conflicts.length === 0) return true
    this.#choices[this.#current] = choice
    if (choice !== undefined) {
      const next = this.#choices.indexOf(undefined, this.#current)
      const open = next === -1 ? this.#choices.indexOf(undefined) : next
      if (open !== -1) this.#current = open
    }
    return this.#renew()
  }

  #go(to: number): boolean {
    this.#current = Math.max(0, Math.min(to, this.#conflicts.length - 1))
    return this.#renew()
  }

  #renew(): boolean {
    this.#entries = this.#list()
    this.#wrap = this.#wrapped()
    this.#top = undefined
    this.#follows = true
    this.#onChange()
    return true
  }

  #scroll(rows: number): boolean {
    if (this.#top !== undefined) this.#top = this.#wrap.step(this.#top, rows)
    this.#follows = false
    return true
  }

  #openEditor(): boolean {
    const conflict = this.#conflicts[this.#current]
    if (conflict === undefined) return true
    this.#write(resultOf(conflict, this.#choices[this.#current] ?? { take: 'both' }))
    this.#onChange()
    return true
  }

  #write(text: string): void {
    this.#editor = new EditorPane({ buffer: new TextBuffer(text) })
  }

  /** Goes to where somebody was: the piece that was being written, else the first that is open. */
  #resume(before: ReadonlyMap<string, PieceDecision>): void {
    const written = this.#names.findIndex((name) => before.get(name)?.writing === true)
    this.#current = Math.max(0, written === -1 ? this.#choices.indexOf(undefined) : written)
    const choice = before.get(this.#names[written] ?? '')?.choice
    if (choice !== undefined && 'text' in choice) this.#write(choice.text)
  }

  /** Esc takes what was written: nothing of it is lost, and 0 takes the decision back. */
  #edit(editor: EditorPane, input: Input): boolean {
    const isEscape = input.type === 'key' && chordOf(input.key) === 'escape'
    if (!isEscape || editor.isChoosing) {
      const taken = editor.input(
        input.type === 'mouse' ? { ...input, mouse: { ...input.mouse, row: input.mouse.row - 1 } } : input,
      )
      this.#onChange()
      return taken
    }
    this.#editor = undefined
    return this.#decide({ text: editor.buffer.text() })
  }

  #drawEditor(editor: EditorPane, size: Size): readonly Line[] {
    const title = `Piece ${this.#current + 1} of ${this.#conflicts.length}: write it as it should be. Esc takes it.`
    const lines = editor.draw({ width: size.width, height: size.height - 1 })
    const { cursor } = editor
    this.#cursor = cursor === undefined ? undefined : { ...cursor, row: cursor.row + 1 }
    return [[span(title, { color: 'accent', bold: true })], ...lines]
  }

  #drawEntry(row: Row, width: number): Line {
    const entry = this.#entries[row.line]
    if (entry === undefined) return []
    const isCurrent = entry.conflict === this.#current
    const bar = entry.conflict === undefined ? span('  ') : span('▌ ', { color: isCurrent ? 'accent' : 'muted' })
    const look = { matches: [], markers: [], selected: undefined, isCurrent: false, width: width - 2 }
    return [bar, ...drawRow(entry.text, row, { ...look, ranges: entry.ranges })]
  }

  #topRow(height: number): Row | undefined {
    if (this.#follows || this.#top === undefined) {
      this.#follows = false
      const line = Math.max(
        0,
        this.#entries.findIndex(({ conflict }) => conflict === this.#current),
      )
      const first = this.#wrap.rowAt({ line, column: 0 })
      return this.#wrap.step(first, -Math.min(4, Math.floor(height / 4)))
    }
    return this.#wrap.rowAt({ line: this.#top.line, column: this.#top.from })
  }

  #list(): readonly Entry[] {
    const entries = entriesOf(this.#pieces, this.#choices, this.labels)
    return [...entries, ...this.unplaced.flatMap(unplacedEntries)]
  }

  #wrapped(): Wrap {
    const entries = this.#entries
    return new Wrap({ count: Math.max(1, entries.length), at: (line) => entries[line]?.text ?? '' })
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 20)
}
