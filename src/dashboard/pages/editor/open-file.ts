import { dominantEnd, fragmentOf, type LineEnd } from '../../../authoring/fragment.ts'
import { mergeTexts, type MergePiece } from '../../../authoring/merge.ts'
import type { BranchFileContent } from '../../../contract/branches.ts'
import { isFailure } from '../../client.ts'
import { lastAuthor, readFile, saveFile, type Place } from '../../queries/files.ts'
import type { Drafts } from './drafts.ts'

/** Milliseconds after a key by which the draft is on its way to the disk. */
const draftDelay = 200
/** Saves in a row that somebody else came before. */
const mostAttempts = 5

interface Version {
  /** Null: there is no such file. */
  readonly oid: string | null
  readonly text: string
}

/** Lines that two people changed in different ways. */
export interface Contest {
  readonly pieces: readonly MergePiece[]
  readonly theirs: Version
  readonly who: string
}

export interface OpenFileState {
  /** `changed`: differs from what is on the branch. */
  readonly status: 'saved' | 'changed' | 'saving' | 'contested'
  /** What differs is in this browser, and survives a closed tab. */
  readonly isKept: boolean
  /** Why the last save did not happen. */
  readonly problem?: unknown
  /** What came of somebody else’s save. */
  readonly news?: string
  readonly contest?: Contest
}

/** Where the text is edited. */
export interface TextPort {
  text(): string
  /** With as few changes as it takes: the cursor stays where it is in the text. */
  replace(text: string): void
}

export interface OpenFileOptions {
  readonly place: Place
  readonly path: string
  readonly drafts: Drafts
  /** Address of whoever writes. */
  readonly me: string
}

/** A text of a branch while somebody edits it: its draft, its saves, and what others do to it meanwhile. */
export class OpenFile {
  readonly #options: OpenFileOptions
  readonly #end: LineEnd
  readonly #listeners = new Set<() => void>()
  #base: Version
  #text: string
  #port: TextPort | undefined
  #state: OpenFileState
  #timer: ReturnType<typeof setTimeout> | undefined
  /** What is done with the branch goes one after the other. */
  #work: Promise<unknown> = Promise.resolve()

  private constructor(options: OpenFileOptions, base: Version, text: string, end: LineEnd) {
    this.#options = options
    this.#base = base
    this.#text = text
    this.#end = end
    this.#state = { status: text === base.text ? 'saved' : 'changed', isKept: true }
  }

  /** @param file absent: there is none on the branch. @returns undefined when there is neither a file nor a draft */
  static async open(options: OpenFileOptions, file: BranchFileContent | undefined): Promise<OpenFile | undefined> {
    const draft = await options.drafts.read(options.path).catch(() => undefined)
    if (file === undefined && draft === undefined) return undefined
    const theirs = versionOf(file)
    const end = file === undefined ? '\n' : dominantEnd(fragmentOf(file.content))
    if (draft === undefined) return new OpenFile(options, theirs, theirs.text, end)
    const open = new OpenFile(options, { oid: draft.oid, text: draft.base }, draft.text, end)
    if (draft.oid !== theirs.oid) await open.#take(theirs)
    return open
  }

  get text(): string {
    return this.#port?.text() ?? this.#text
  }

  get state(): OpenFileState {
    return this.#state
  }

  /** What is on the branch, as far as is known here. */
  get base(): Version {
    return this.#base
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** @returns lets go of it */
  attach(port: TextPort): () => void {
    this.#port = port
    return () => {
      this.#text = port.text()
      this.flush()
      this.#port = undefined
    }
  }

  /** Somebody typed. */
  typed(): void {
    if (this.#state.status === 'saved') this.#become({ status: 'changed', isKept: false })
    else if (this.#state.isKept) this.#become({ ...this.#state, isKept: false })
    this.#timer ??= setTimeout(() => this.flush(), draftDelay)
  }

  /** Keeps what was typed, now. */
  flush(): void {
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    const { text } = this
    if (text === this.#base.text && this.#state.status === 'changed') this.#settled()
    else void this.#keep(text)
  }

  dismissNews(): void {
    const { news: _news, ...state } = this.#state
    this.#become(state)
  }

  /** Saves; what others saved meanwhile is merged in. What refuses it is in the state. */
  save(): Promise<void> {
    return this.#next(async () => {
      if (this.#state.status === 'saved' || this.#state.status === 'contested') return
      const { news } = this.#state
      this.#become({ status: 'saving', isKept: this.#state.isKept, ...(news !== undefined && { news }) })
      try {
        for (let attempt = 1; ; attempt++) {
          const done = await this.#attempt(attempt === mostAttempts)
          if (done) return
        }
      } catch (problem) {
        this.#become({ status: 'changed', isKept: this.#state.isKept, problem })
      }
    })
  }

  /** Looks whether somebody else saved it, and takes that in. What cannot be reached is tried at the next look. */
  look(): Promise<void> {
    return this.#next(async () => {
      const theirs = await this.#read()
      if (theirs.oid !== this.#base.oid) await this.#take(theirs)
    }).catch(() => undefined)
  }

  /** Ends a contest with a text in which all is decided. */
  settle(text: string): Promise<void> {
    const { contest } = this.#state
    if (contest === undefined) return Promise.resolve()
    this.#base = contest.theirs
    this.#replace(text)
    this.#become({ status: 'changed', isKept: false })
    void this.#keep(text)
    return this.save()
  }

  /** Another text takes the place of this one, as if it were typed: an older version of it. */
  write(text: string): void {
    this.#replace(text)
    if (this.#state.status !== 'saving') this.#become({ ...this.#state, status: 'changed', isKept: false })
    void this.#keep(text)
  }

  /** Goes on writing; the next save asks again. */
  postpone(): void {
    this.#become({
      status: 'changed',
      isKept: this.#state.isKept,
      news: 'Your text is kept here. Saving it asks again.',
    })
  }

  /** Back to what is on the branch. @returns takes that back */
  discard(): () => void {
    const { text } = this
    this.#replace(this.#base.text)
    this.#settled()
    return () => this.write(text)
  }

  /** @returns whether it is saved, or contested */
  async #attempt(isLast: boolean): Promise<boolean> {
    const { place, path } = this.#options
    const { text } = this
    const content = this.#end === '\n' ? text : text.replaceAll('\n', this.#end)
    try {
      const { oid } = await saveFile(place, path, { content }, this.#base.oid)
      this.#base = { oid, text }
      if (this.text === text) this.#settled()
      else {
        this.#become({ ...this.#state, status: 'changed' })
        await this.#keep(this.text)
      }
      return true
    } catch (error) {
      if (!isFailure(error, 'stale_file') || isLast) throw error
      await this.#take(await this.#read())
      return this.#state.status === 'contested' || this.#state.status === 'saved'
    }
  }

  async #read(): Promise<Version> {
    const { place, path } = this.#options
    const file = await readFile(place, path).catch((error: unknown) => {
      if (isFailure(error, 'not_found')) return undefined
      throw error
    })
    return versionOf(file)
  }

  /** What somebody else saved comes into the text, or is contested. */
  async #take(theirs: Version): Promise<void> {
    const who = await this.#author()
    const mine = this.text
    const { status } = this.#state
    const isChanged = mine !== this.#base.text
    if (theirs.oid === null) {
      this.#base = theirs
      this.#become({ status: 'changed', isKept: false, news: `${who} deleted this file. Saving makes it anew.` })
      return this.#keep(mine)
    }
    if (!isChanged || mine === theirs.text) {
      this.#base = theirs
      this.#replace(theirs.text)
      return this.#settled(isChanged ? undefined : `${who} saved this file. You see their text.`)
    }
    const pieces = mergeTexts(this.#base.oid === null ? undefined : this.#base.text, mine, theirs.text)
    if (pieces.some(({ kind }) => kind === 'conflict')) {
      this.#become({ status: 'contested', isKept: this.#state.isKept, contest: { pieces, theirs, who } })
      return
    }
    const text = pieces.flatMap((piece) => (piece.kind === 'settled' ? piece.lines : [])).join('')
    this.#base = theirs
    this.#replace(text)
    const news = `${who} saved this file meanwhile. Their changes and yours are in the text.`
    this.#become({ status: status === 'saving' ? 'saving' : 'changed', isKept: false, news })
    return this.#keep(text)
  }

  async #author(): Promise<string> {
    const { place, path, me } = this.#options
    const author = await lastAuthor(place, path).catch(() => undefined)
    if (author === undefined) return 'Somebody'
    return author.email === me ? 'You, elsewhere,' : author.name || author.email
  }

  #replace(text: string): void {
    this.#text = text
    if (this.#port !== undefined && this.#port.text() !== text) this.#port.replace(text)
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #settled(news: string | undefined = this.#state.news): void {
    this.#become({ status: 'saved', isKept: true, ...(news !== undefined && { news }) })
    void this.#options.drafts.forget(this.#options.path).catch(() => undefined)
  }

  async #keep(text: string): Promise<void> {
    const { drafts, path } = this.#options
    const { oid, text: base } = this.#base
    const isKept = await drafts.keep(path, { oid, base, text }).then(
      () => true,
      () => false,
    )
    // It was saved, or typed on, meanwhile.
    if (this.#state.status === 'saved') await drafts.forget(path).catch(() => undefined)
    else if (this.#timer === undefined) this.#become({ ...this.#state, isKept })
  }

  #next(work: () => Promise<void>): Promise<void> {
    const done = this.#work.then(work)
    this.#work = done.catch(() => undefined)
    return done
  }

  #become(state: OpenFileState): void {
    this.#state = state
    for (const listener of this.#listeners) listener()
  }
}

function versionOf(file: BranchFileContent | undefined): Version {
  return file === undefined
    ? { oid: null, text: '' }
    : { oid: file.oid, text: fragmentOf(file.content).lines.join('\n') }
}
