import pLimit from 'p-limit'
import { mergedText, writtenOf, type PieceDecision } from '#authoring/merge-pieces.ts'
import { Failure } from '#contract/failure.ts'
import type { FileDraft, DraftNews } from '../../drafts/file-draft.ts'
import { KeptDraft, type OtherDraft } from '../../drafts/kept-draft.ts'
import { inTwoTabs, savedAgain, sameLines, ObservableState, wroteInBoth } from './open-file-state.ts'
import type { OpenFileOptions, OpenFileState, TextPort } from './open-file-state.ts'
import { joinTabs } from './tabs.ts'
import { joinedTexts, mergeVersions, nextBase, type Version } from './versions.ts'

/** After a key, by which the draft is on its way to the disk. */
const draftDelayMs = 200
/** Saves in a row that somebody else came before. */
const maxSaveAttempts = 5

/** A text of a branch while somebody edits it: its draft, its saves, and what others do to it meanwhile. */
export class OpenFile {
  readonly #shown: ObservableState
  readonly #options: OpenFileOptions
  readonly #file: OpenFileOptions['branch']
  readonly #readOnly: boolean
  readonly #draft: KeptDraft
  readonly #endNews: () => void
  #base: Version
  #text: string
  /** Of a conflict. They outlive it until it is settled: another save of somebody else makes it anew. */
  #decisions: readonly PieceDecision[]
  /** Of a conflict that somebody put off: what is on the branch then is no news. */
  #postponed: Version | undefined
  #port: TextPort | undefined
  #isClosed = false
  #timer: ReturnType<typeof setTimeout> | undefined
  /** What is done with the branch goes one after the other. */
  readonly #inOrder = pLimit(1)

  private constructor(options: OpenFileOptions, draft: KeptDraft, base: Version) {
    const { branch, readOnly } = options
    const text = draft.seen?.text ?? base.text
    this.#shown = new ObservableState({ status: text === base.text ? 'saved' : 'changed', kept: 'yes' })
    this.#options = options
    this.#file = branch
    this.#readOnly = readOnly
    this.#draft = draft
    this.#base = base
    this.#text = text
    this.#decisions = draft.seen?.decisions ?? []
    this.#endNews = readOnly ? () => undefined : draft.onNews((news) => void this.#hear(news))
  }

  /** @param theirs what is on the branch. @returns undefined when there is neither a file nor a draft */
  static async open(options: OpenFileOptions, theirs: Version): Promise<OpenFile | undefined> {
    const draft = await KeptDraft.open(options.drafts, options.path)
    const { seen } = draft
    if (theirs.oid === null && seen === undefined) return undefined
    const base = seen === undefined ? theirs : { oid: seen.oid, text: seen.base }
    const open = new OpenFile(options, draft, base)
    if (base.oid !== theirs.oid || writtenOf(open.#decisions).length > 0) await open.#take(theirs, { isAsked: true })
    return open
  }

  /** Nobody looks at it any more. What is not kept yet still is. */
  close(): void {
    this.#isClosed = true
    this.#endNews()
    this.flush()
  }

  get text(): string {
    return this.#port?.text() ?? this.#text
  }

  get state(): OpenFileState {
    return this.#shown.state
  }

  readonly subscribe = (listener: () => void): (() => void) => this.#shown.subscribe(listener)

  dismissNews(): void {
    this.#shown.dismissNews()
  }

  /** What is on the branch, as far as is known here. */
  get base(): Version {
    return this.#base
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
    const { status } = this.#shown.state
    if (status === 'saved') this.#shown.become({ status: 'changed', kept: this.#shown.soon })
    else if (status === 'deleted')
      this.#shown.become({ ...this.#shown.state, status: 'changed', kept: this.#shown.soon })
    else this.#shown.become({ ...this.#shown.state, kept: this.#shown.soon, ...this.#conflictNow() })
    this.#keepSoon()
  }

  /** What comes into the text while it is in conflict, such as an image, is to be in what comes of that. */
  #conflictNow(): Pick<OpenFileState, 'conflict'> {
    const { conflict } = this.#shown.state
    if (conflict === undefined) return {}
    return { conflict: { ...conflict, pieces: mergeVersions(this.#base, this.text, conflict.theirs) } }
  }

  /** What is decided of a conflict so far, also what is being written. */
  decide(decisions: readonly PieceDecision[]): void {
    const { conflict } = this.#shown.state
    if (conflict === undefined) return
    this.#decisions = decisions
    this.#shown.become({ ...this.#shown.state, kept: this.#shown.soon, conflict: { ...conflict, decisions } })
    this.#keepSoon()
  }

  #keepSoon(): void {
    this.#timer ??= setTimeout(() => this.flush(), draftDelayMs)
  }

  /** Keeps what was typed, now. @param isLast the page may be gone before the next step */
  flush(isLast = false): void {
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.text === this.#base.text && this.#shown.state.status === 'changed') this.#settled()
    else void this.#keep(isLast)
  }

  /** Saves; what others saved meanwhile is merged in. What refuses it is in the state. */
  save(): Promise<void> {
    return this.#inOrder(async () => {
      if (this.#readOnly || this.#shown.state.status === 'saved' || this.#hasConflict) return
      const { news } = this.#shown.state
      this.#shown.become({ status: 'saving', kept: this.#shown.state.kept, ...(news !== undefined && { news }) })
      try {
        for (let attempt = 1; ; attempt++) {
          const done = await this.#attempt(attempt === maxSaveAttempts)
          if (done) return
        }
      } catch (problem) {
        this.#shown.become({ status: 'changed', kept: this.#shown.state.kept, problem })
      }
    })
  }

  /** Looks whether somebody else saved it, and takes that in. What cannot be reached is tried at the next look. */
  look(): Promise<void> {
    return this.#inOrder(async () => {
      const theirs = await this.#file.read()
      const known = this.#shown.state.conflict?.theirs ?? this.#postponed ?? this.#base
      // It may have been moved away from here, with what is written.
      if (!this.#isClosed && theirs.oid !== known.oid) await this.#take(theirs, { isAsked: this.#hasConflict })
    }).catch(() => undefined)
  }

  /** Ends a conflict with a text in which all is decided. */
  settle(text: string): Promise<void> {
    const { conflict } = this.#shown.state
    if (conflict === undefined) return Promise.resolve()
    this.#base = nextBase(this.#base, conflict.theirs)
    this.#decisions = []
    this.#replace(text)
    this.#shown.become({ status: 'changed', kept: this.#shown.soon })
    void this.#keep()
    return this.save()
  }

  /** Another text takes the place of this one, as if it were typed: an older version of it. @returns takes that back */
  write(text: string): () => void {
    const undo = this.#wayBack(text)
    if (this.#isClosed) {
      const before = this.#text
      this.#text = text
      void this.edit((now) => joinedTexts(before, now, text))
      return undo
    }
    this.#replace(text, 'write')
    const { status } = this.#shown.state
    const next = status === 'saving' || status === 'conflict' ? status : 'changed'
    this.#shown.become({ ...this.#shown.state, status: next, kept: this.#shown.soon, ...this.#conflictNow() })
    void this.#keep()
    return undo
  }

  /** As `write`, of the text as it is now: where this file is closed, also as it was written and saved since. */
  async edit(change: (text: string) => string): Promise<void> {
    if (!this.#isClosed) {
      this.write(change(this.text))
      return
    }
    const now = await OpenFile.open(this.#options, await this.#file.read().catch(() => this.#base))
    const text = now === undefined ? undefined : change(now.text)
    if (text !== undefined && text !== now?.text) now?.write(text)
    // Whoever has it open hears of the draft.
    now?.close()
  }

  /** Goes on writing; the next save asks again. */
  postpone(): void {
    this.#postponed = this.#shown.state.conflict?.theirs
    this.#shown.become({
      status: 'changed',
      kept: this.#shown.state.kept,
      news: 'This is your text. Saving it asks again.',
    })
  }

  /** Back to what is on the branch. @returns takes that back */
  discard(): () => void {
    const undo = this.#wayBack(this.#base.text)
    this.#replace(this.#base.text, 'write')
    this.#settled()
    return undo
  }

  /** Brings back what `next` takes the place of, beside what is typed until then. */
  #wayBack(next: string): () => void {
    const { text } = this
    const decisions = this.#decisions
    return () => {
      this.#decisions = decisions
      this.write(joinedTexts(next, this.text, text))
    }
  }

  /** @returns whether it is saved, or its writer has to know something before it is */
  async #attempt(isLast: boolean): Promise<boolean> {
    const { text } = this
    try {
      this.#base = await this.#file.save(text, this.#base.oid)
      if (this.text === text) this.#settled()
      else {
        this.#shown.become({ ...this.#shown.state, status: 'changed' })
        await this.#keep()
      }
      return true
    } catch (error) {
      if (!(error instanceof Failure && error.code === 'stale_file') || isLast) throw error
      const theirs = await this.#file.read()
      // Whoever types on has not come to the end of what is to be decided.
      await this.#take(theirs, { isAsked: this.text === text })
      return theirs.oid === null || this.#postponed !== undefined || this.#hasConflict || this.#shown.isSettled
    }
  }

  get #hasConflict(): boolean {
    return this.#shown.state.conflict !== undefined
  }

  /**
   * What somebody else saved comes into the text, or is in conflict.
   *
   * @param isAsked whoever writes is to decide now. Otherwise the text is theirs to write on in, until they save it.
   */
  async #take(theirs: Version, { isAsked }: { readonly isAsked: boolean }): Promise<void> {
    this.#postponed = undefined
    const who = await this.#file.author()
    const mine = this.text
    const { status } = this.#shown.state
    const isChanged = mine !== this.#base.text
    const pieces = mergeVersions(this.#base, mine, theirs)
    // What was written for lines in conflict is not to vanish with them.
    if (pieces.some(({ kind }) => kind === 'conflict') || writtenOf(this.#decisions).length > 0) {
      const { conflict, kept } = this.#shown.state
      if (!isAsked) {
        this.#postponed = theirs
        return this.#shown.become({ status: 'changed', kept, news: sameLines(who, theirs) })
      }
      const news = conflict === undefined || this.#decisions.length === 0 ? {} : { news: savedAgain(who) }
      const decisions = this.#decisions
      return this.#shown.become({ status: 'conflict', kept, conflict: { pieces, theirs, who, decisions }, ...news })
    }
    this.#base = nextBase(this.#base, theirs)
    if (theirs.oid === null) {
      const news = `${who} deleted this file.${this.#readOnly ? '' : ' Saving makes it anew.'}`
      if (!isChanged) return this.#settled(news)
      // It was moved away from here, with what is written.
      if (await this.#draft.isTaken()) return
      this.#shown.become({ status: 'changed', kept: this.#shown.soon, news })
      return this.#keep()
    }
    if (!isChanged || mine === theirs.text) {
      this.#replace(theirs.text)
      return this.#settled(isChanged ? undefined : `${who} saved this file. You see their text.`)
    }
    this.#replace(mergedText(pieces, []) ?? mine)
    const news = `${who} saved this file meanwhile. Their changes and yours are in the text.`
    this.#shown.become({ status: status === 'saving' ? 'saving' : 'changed', kept: this.#shown.soon, news })
    return this.#keep()
  }

  /** @param how as what somebody else did, or as what is written here */
  #replace(text: string, how: 'replace' | 'write' = 'replace'): void {
    this.#text = text
    if (this.#port !== undefined && this.#port.text() !== text) this.#port[how](text)
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #settled(news: string | undefined = this.#shown.state.news): void {
    this.#decisions = []
    const status = this.#base.oid === null ? 'deleted' : 'saved'
    this.#shown.become({ status, kept: 'yes', ...(news !== undefined && { news }) })
    void this.#draft.forget().catch(() => undefined)
  }

  #version(): FileDraft {
    const { oid, text: base } = this.#base
    return { oid, base, text: this.text, ...(this.#decisions.length > 0 && { decisions: this.#decisions }) }
  }

  async #keep(isLast = false): Promise<void> {
    const kept = isLast ? this.#draft.keepAtOnce(this.#version()) : this.#draft.keep(() => this.#version())
    await this.#told(kept)
    const other = await kept.catch(() => undefined)
    if (other !== undefined) this.#join(other)
  }

  /** Says whether a draft was kept. */
  async #told(keeping: Promise<unknown>): Promise<void> {
    const kept = await keeping.then(
      () => 'yes' as const,
      () => 'no' as const,
    )
    // It was saved, or typed on, meanwhile.
    if (this.#shown.isSettled) await this.#draft.forget().catch(() => undefined)
    else if (this.#timer === undefined) this.#shown.become({ ...this.#shown.state, kept })
  }

  /** Another tab has something to tell. */
  async #hear(news: DraftNews): Promise<void> {
    if (news === 'opened') this.#draft.answer()
    if (news !== 'changed') {
      if (this.#shown.state.news === undefined) this.#shown.become({ ...this.#shown.state, news: inTwoTabs })
      return
    }
    const other = await this.#draft.other().catch(() => undefined)
    if (other !== undefined) this.#join(other)
  }

  /** Takes in what was typed in another tab. */
  #join({ draft, before }: OtherDraft): void {
    const here = { base: this.#base, text: this.text, decisions: this.#decisions }
    if (draft === undefined) {
      const isWritten = here.text !== (before?.text ?? here.base.text)
      if (!isWritten) void this.#inOrder(() => this.#leaveDraft(here.text)).catch(() => undefined)
      return
    }
    const { conflict, news } = this.#shown.state
    const isSame = here.text === draft.text && here.base.oid === draft.oid
    const { base, text, decisions, isBoth } = joinTabs(here, before, draft)
    this.#base = base
    this.#decisions = decisions
    this.#replace(text)
    if (isBoth) this.#shown.become({ status: 'changed', kept: this.#shown.soon, news: wroteInBoth })
    // What is asked of the same two texts is asked still.
    else if (isSame && conflict !== undefined)
      this.#shown.become({ ...this.#shown.state, kept: 'yes', conflict: { ...conflict, decisions } })
    else this.#shown.become({ status: 'changed', kept: 'yes', ...(news !== undefined && { news }) })
    if (isBoth || JSON.stringify(decisions) !== JSON.stringify(draft.decisions ?? [])) void this.#keep()
  }

  /** Another tab saved the text or discarded it: what is on the branch is the text here, too. */
  async #leaveDraft(text: string): Promise<void> {
    const theirs = await this.#file.read()
    // Somebody typed on meanwhile, or the file is elsewhere now: what is here stays.
    if (this.text !== text || theirs.oid === null) return
    const isSaved = theirs.oid !== this.#base.oid
    this.#base = theirs
    this.#replace(theirs.text)
    this.#settled(`You ${isSaved ? 'saved this file' : 'discarded these changes'} in another tab.`)
  }
}
