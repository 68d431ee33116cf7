import { Failure } from '#contract/failure.ts'
import type { DraftHeader } from './draft-files.ts'
import { DraftKeeper, type Snapshot } from './draft-keeper.ts'
import { DraftText, joined, type TextPieces } from './draft-text.ts'
import { cannotKeep, explained, isUndone, mayPass } from './draft-failures.ts'
import type { Draft, DraftState, KeptVersion, Lent, Theirs } from './draft.ts'
import type { KeptDraftOptions } from './kept-draft-options.ts'
import { encode, isTextOf, oidOf } from '../disk/slices.ts'

/** A save that goes over one text after the other of our own, of which no answer came. */
const maxTries = 5

/** A draft that is kept on this machine while it is written, and saved on its branch. */
export class KeptDraft implements Draft {
  readonly #options: KeptDraftOptions
  readonly #keeper: DraftKeeper
  readonly #listeners = new Set<() => void>()
  readonly #sent: Set<string>
  #path: string
  #base: { readonly oid: string | null; readonly text: string }
  readonly #text: DraftText
  #unsaved: boolean
  #waiting: boolean
  #refusal: string | undefined
  #recovered: boolean
  #state: DraftState
  #theirs: Theirs | undefined
  #saving: Promise<void> = Promise.resolve()
  #users = 1

  constructor(options: KeptDraftOptions) {
    const { found, text, base, theirs } = options
    const header = found?.draft.header
    this.#options = options
    this.#path = options.path
    this.#base = base
    this.#text = new DraftText(found?.text ?? text ?? base.text, header?.cursor ?? 0)
    this.#sent = new Set(header?.sent)
    const wasWaiting = header?.waiting ?? false
    this.#waiting = wasWaiting && theirs === undefined
    this.#refusal = wasWaiting && theirs !== undefined ? 'Somebody else saved another text meanwhile.' : header?.refusal
    this.#recovered = found !== undefined
    this.#unsaved = found !== undefined || text !== undefined
    this.#theirs = theirs
    this.#state = theirs === undefined ? this.#restingState() : 'conflict'
    this.#keeper = new DraftKeeper({
      files: options.files,
      key: () => this.#key,
      take: () => this.#take(),
      makeRoom: options.makeRoom,
      onTrouble: () => this.#tell(),
    })
    if (this.#unsaved) this.#keeper.touch()
  }

  get path(): string {
    return this.#path
  }
  get base(): { readonly oid: string | null; readonly text: string } {
    return this.#base
  }
  get text(): string {
    return this.#text.text
  }
  get cursor(): number {
    return this.#text.cursor
  }
  get recovered(): boolean {
    return this.#recovered
  }
  get state(): DraftState {
    return this.#state
  }
  get theirs(): Theirs | undefined {
    return this.#theirs
  }
  get notice(): string | undefined {
    return this.#options.notice
  }
  get others(): readonly KeptVersion[] {
    return this.#options.others ?? []
  }
  get file(): string {
    return this.#options.files.fileOf(this.#key)
  }
  /** It is a save that waits, with nothing in its way. */
  get isWaiting(): boolean {
    return this.#waiting && this.#state !== 'conflict'
  }
  get trouble(): string | undefined {
    const { trouble } = this.#keeper
    return trouble && `${trouble} Save it on the branch soon.`
  }
  /** What was typed is on the disk, or on the branch. */
  get isKept(): boolean {
    return !this.#unsaved || this.#keeper.isKept
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  changed(text: () => string, cursor: () => number, pieces?: () => TextPieces): void {
    this.#text.changed({ text, cursor, pieces })
    this.#unsaved = true
    this.#keeper.touch()
    // A save that waits sends what is there when it goes.
    if (this.#state === 'saved') this.#become('changed')
  }

  moved(cursor: () => number): void {
    this.#text.moved(cursor)
    if (this.#unsaved) this.#keeper.touch()
  }

  save(message?: string): Promise<void> {
    const saved = this.#saving.then(() => this.#save(message))
    this.#saving = saved.catch(() => undefined)
    return saved
  }

  rebase(text: string): void {
    if (this.#theirs !== undefined) this.#base = { oid: this.#theirs.oid, text: this.#theirs.text ?? '' }
    this.#theirs = undefined
    this.#text.replace(text)
    this.#unsaved = true
    this.#waiting = false
    this.#become('changed')
    this.#keeper.touch()
  }

  async discard(): Promise<void> {
    await this.#saving
    if (this.#theirs !== undefined && this.#theirs.text !== null)
      this.#base = { oid: this.#theirs.oid, text: this.#theirs.text }
    this.#theirs = undefined
    this.#text.replace(this.#base.text)
    this.#settled()
    await this.#keeper.flush()
  }

  async refresh(): Promise<void> {
    await this.#saving
    await this.#look()
  }

  async lend(name: string, text: string): Promise<Lent> {
    const header = { ...this.#header(), cursor: this.#text.cursor }
    const lent = await this.#options.lent.lend(header, { name, text, whole: this.#text.text, base: this.#base.text })
    return {
      ...lent,
      end: async () => {
        this.#keeper.touch()
        if (await this.#keeper.flushIfPossible()) await lent.end()
      },
    }
  }

  async keep(): Promise<void> {
    try {
      await (this.#unsaved ? this.#keeper.keep() : this.#keeper.flush())
    } catch (error) {
      // What the branch has is safe, whatever the disk says.
      if (this.#unsaved) throw cannotKeep(this.#path, error)
    }
  }

  async close(): Promise<void> {
    await this.keep()
    this.#users -= 1
    // Who opens it again while its save is under way gets this one.
    if (this.#users === 0) void this.idle().then(() => this.#users === 0 && this.#options.onClosed())
  }

  /** Opened once more, in the same UI. */
  share(): this {
    this.#users += 1
    return this
  }

  /** The file was renamed on the branch: what is typed belongs to the new name. */
  async moveTo(path: string): Promise<void> {
    await this.#saving
    const before = this.#key
    await this.#keeper.flushIfPossible()
    this.#path = path
    this.#keeper.touch()
    const isKept = await this.#keeper.flushIfPossible()
    if (isKept) await this.#options.files.remove(before)
    this.#tell()
  }

  /** What was under way has ended, on the branch and on the disk. */
  async idle(): Promise<void> {
    await this.#saving
    await this.#keeper.flush().catch(() => undefined)
  }

  get #key(): { readonly branchId: string; readonly path: string } {
    return { branchId: this.#options.where.branchId, path: this.#path }
  }

  async #save(message: string | undefined): Promise<void> {
    if (this.#state === 'conflict') return this.#look()
    if (!this.#unsaved && this.#base.oid !== null) return
    let attempt = 1
    while (!(await this.#send(message, attempt))) attempt++
    // Whoever is told that it is saved finds no draft of it at the next start, however this UI ends.
    await this.#keeper.flushIfPossible()
  }

  async #look(): Promise<void> {
    const theirs = await this.#options.remote.theirs(this.#path)
    if (this.#state === 'conflict') this.#theirs = theirs
    else this.#meet(theirs)
    this.#tell()
  }

  /** @returns whether it has come to an end. */
  async #send(message: string | undefined, attempt: number): Promise<boolean> {
    this.#become('saving')
    const { pieces, version } = this.#text.now()
    const text = await joined(pieces)
    const bytes = await encode(text)
    const oid = await oidOf(bytes)
    // Known again after a lost answer, by the next start, too.
    const wasSent = this.#sent.has(oid)
    this.#sent.add(oid)
    this.#keeper.touch()
    await this.#keeper.flushIfPossible()
    try {
      const options = { expected: this.#base.oid, ...(message === undefined ? {} : { message }) }
      this.#saved(await this.#options.remote.save(this.#path, bytes, options), text, version)
      return true
    } catch (error) {
      if (error instanceof Failure && error.code === 'stale_file' && attempt < maxTries)
        return this.#stale({ oid, text, version })
      if (!wasSent && isUndone(error)) this.#sent.delete(oid)
      return this.#refused(error)
    }
  }

  /** Something else is on the branch: perhaps a text of ours. @returns whether that ends the save */
  async #stale(sent: { readonly oid: string; readonly text: string; readonly version: number }): Promise<boolean> {
    let theirs: Theirs
    try {
      theirs = await this.#options.remote.theirs(this.#path)
    } catch (error) {
      return this.#refused(error)
    }
    if (theirs.oid === sent.oid) {
      this.#saved(sent.oid, sent.text, sent.version)
      return true
    }
    const isOurs = theirs.oid !== null && theirs.text !== null && this.#sent.has(theirs.oid)
    if (isOurs || theirs.oid === this.#base.oid) {
      this.#base = { oid: theirs.oid, text: theirs.text ?? '' }
      return false
    }
    this.#sent.delete(sent.oid)
    this.#conflict(theirs)
    return true
  }

  async #refused(error: unknown): Promise<boolean> {
    const isOffline = error instanceof Failure && error.code === 'unavailable' && this.#options.remote.isOffline
    // What waits goes on waiting, for another network or another session.
    this.#waiting = isOffline || (this.#waiting && mayPass(error))
    this.#refusal = isOffline || !(error instanceof Error) ? undefined : error.message
    this.#become(this.#restingState())
    this.#keeper.touch()
    if (!isOffline) throw explained(error, this.#path)
    // That it waits outlasts the end of this UI.
    await this.#keeper.flushIfPossible()
    return true
  }

  #saved(oid: string, text: string, version: number): void {
    this.#base = { oid, text }
    this.#options.onSaved(oid, text)
    if (version === this.#text.version) return this.#settled()
    this.#sent.clear()
    this.#waiting = false
    this.#refusal = undefined
    this.#become('changed')
    this.#keeper.touch()
  }

  /** The branch has all of it. */
  #settled(): void {
    this.#sent.clear()
    this.#unsaved = false
    this.#waiting = false
    this.#refusal = undefined
    this.#recovered = false
    this.#become('saved')
    this.#keeper.touch()
  }

  #conflict(theirs: Theirs): void {
    this.#theirs = theirs
    this.#waiting = false
    this.#become('conflict')
    this.#keeper.touch()
  }

  /** What the branch has now, while nothing is on its way. */
  #meet(theirs: Theirs): void {
    if (theirs.oid === this.#base.oid) return
    const isOurs = theirs.oid !== null && this.#sent.has(theirs.oid)
    if (theirs.text === null || (this.#unsaved && !isOurs)) return this.#conflict(theirs)
    this.#base = { oid: theirs.oid, text: theirs.text }
    if (!this.#unsaved) this.#text.replace(theirs.text)
  }

  #header(): Omit<DraftHeader, 'cursor'> {
    return {
      quire: 'draft',
      version: 1,
      ...this.#options.where,
      path: this.#path,
      baseOid: this.#base.oid,
      waiting: this.#waiting,
      sent: [...this.#sent],
      changedAt: new Date().toISOString(),
      ...(this.#refusal === undefined ? {} : { refusal: this.#refusal }),
    }
  }

  /** What is to be written; nothing, where it would say what the branch says. */
  async #take(): Promise<Snapshot | undefined> {
    // Of the same moment as the text: a save may end before that is put together.
    const [base, header] = [this.#base, this.#header()]
    const { pieces, cursor, version } = this.#text.now()
    const isBase = pieces.units === base.text.length && (await isTextOf(pieces, base.text))
    // With a save whose answer was lost nobody knows what the branch has.
    const isKnown = this.#base.oid !== null && this.#theirs === undefined && this.#sent.size === 0
    const isNow = version === this.#text.version && base === this.#base
    // Everything typed was taken back.
    if (this.#unsaved && isKnown && isNow && isBase) this.#settled()
    return this.#unsaved ? { header: { ...header, cursor }, text: pieces, baseText: base.text } : undefined
  }

  #restingState(): DraftState {
    if (!this.#unsaved) return 'saved'
    return this.#waiting ? 'waiting' : 'changed'
  }

  #become(state: DraftState): void {
    if (state !== 'conflict') this.#theirs = undefined
    if (state === this.#state) return
    this.#state = state
    this.#tell()
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
    this.#options.onChange()
  }
}
