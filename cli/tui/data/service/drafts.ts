import { setTimeout as sleep } from 'node:timers/promises'
import { Failure } from '#contract/failure.ts'
import type { DraftKey, FoundDraft } from '../drafts/draft-files.ts'
import { bringFromGone, findDrafts, type FoundDrafts } from '../drafts/found-drafts.ts'
import type { KeptVersion } from '../drafts/draft.ts'
import { KeptDraft } from '../drafts/kept-draft.ts'
import type { KeptDraftOptions } from '../drafts/kept-draft-options.ts'
import { draftBase, isOnBranch, readOnBranch, type OnBranch } from './draft-base.ts'
import type { RemoteBranch } from './remote-branch.ts'
import type { RemoteFile } from '../drafts/remote-file.ts'
import type { ServiceAccess } from './service-access.ts'
import type { UnsavedFile } from '../workspace.ts'

/** How long an end waits for saves that are under way. */
const closeMs = 5_000

/** A branch that is worked on. */
export interface DraftTarget {
  readonly remote: RemoteFile & Pick<RemoteBranch, 'read' | 'keep'>
  readonly slug: string
  readonly branch: string
  readonly branchId: string
}

/** The drafts of one workspace: those that are open, and those that wait on the disk. */
export class Drafts {
  readonly #access: ServiceAccess
  /** By `keyOf`; also while they open. */
  readonly #open = new Map<string, OpenDraft>()

  constructor(access: ServiceAccess) {
    this.#access = access
  }

  /** @throws Failure when it is no text, or not there */
  open(place: DraftTarget, path: string): Promise<KeptDraft> {
    return this.#once(place, path, async () => {
      await this.#access.store.lent.takeBack()
      await bringFromGone(this.#access.store.drafts, { ...place, path }, (key) => this.#open.has(keyOf(key)))
      const found = await this.#find(place, path)
      const onBranch = await readOnBranch(place.remote, path, found.ours)
      const draft = await this.#make(place, path, found, onBranch)
      if (draft.isWaiting && !onBranch.offline) this.#sendSoon(draft)
      return draft
    })
  }

  /** @throws Failure when there is one */
  async create(place: DraftTarget, path: string, text: string): Promise<KeptDraft> {
    const open = await this.#open.get(keyOf({ ...place, path }))?.opening
    if (open !== undefined && open.base.oid !== null) throw isThere(path)
    return this.#once(place, path, async () => {
      const found = await this.#find(place, path)
      if (await isOnBranch(place.remote, path)) throw isThere(path)
      return this.#make(place, path, found, { oid: null, text: '', offline: false }, text)
    })
  }

  /** Another draft cannot become that of a file that has one here. @throws Failure */
  async requireFree(place: DraftTarget, path: string): Promise<void> {
    const key = { ...place, path }
    const isTaken = this.#open.has(keyOf(key)) || (await this.#access.store.drafts.of(key)).length > 0
    if (!isTaken) return
    throw new Failure('invalid_request', `${path} is open here, or has text on this machine that is not saved.`, {
      hint: 'Save or discard that first, or choose another name.',
    })
  }

  /** What is kept of a file that was renamed belongs to its new name. */
  async move(place: DraftTarget, from: string, to: string): Promise<void> {
    const key = keyOf({ ...place, path: from })
    const open = this.#open.get(key)
    if (open !== undefined) {
      this.#open.delete(key)
      this.#open.set(keyOf({ ...place, path: to }), open)
      await (await open.opening).moveTo(to)
      return
    }
    const { drafts } = this.#access.store
    for (const found of await drafts.of({ ...place, path: from }))
      if (!found.elsewhere) await drafts.relocate(found, { ...found.header, path: to })
  }

  async unsaved(): Promise<UnsavedFile[]> {
    const files = new Map<string, UnsavedFile>()
    for (const found of await this.#access.store.drafts.all()) {
      const { slug, branch, branchId, path, waiting, refusal } = found.header
      const key = keyOf(found.header)
      if (files.has(key)) continue
      const told = refusal === undefined ? {} : { refusal }
      files.set(key, {
        slug,
        branch,
        branchId,
        path,
        waiting,
        ...this.#version(found),
        ...told,
        discard: () => this.#discard(found),
      })
    }
    return [...files.values()]
  }

  /**
   * Sends the saves that wait; what cannot be sent stays, with the reason.
   * @returns whether some still wait, for a service that can be reached
   */
  async sendWaiting(placeOf: (found: FoundDraft) => DraftTarget): Promise<boolean> {
    for (const draft of await this.#opened()) if (draft.isWaiting) await draft.save().catch(() => undefined)
    const all = await this.#access.store.drafts.all()
    const mayWait = ({ header, elsewhere }: FoundDraft): boolean => header.waiting && !elsewhere
    if (!all.some(mayWait)) return false
    for (const found of all) {
      if (this.#access.connection.state === 'offline') return false
      const { path } = found.header
      if (!mayWait(found) || this.#open.has(keyOf(found.header))) continue
      await this.#sendOne(placeOf(found), path).catch((error: unknown) =>
        this.#access.log(`${path} could not be saved: ${String(error)}`),
      )
    }
    return (await this.#access.store.drafts.all()).some(mayWait)
  }

  /** What was typed is on the disk, if that works, also of those that are being closed. */
  async idle(): Promise<void> {
    await Promise.all((await this.#opened()).map((draft) => draft.idle()))
  }

  /**
   * What was typed is on the disk, and saves under way had their time. They stay open: whoever decides to stay goes on.
   * @throws Failure when what was typed in one of them cannot be kept
   */
  async keep(): Promise<void> {
    const patience = new AbortController()
    // At once: a save that a slow network holds up is no reason to lose what was typed since.
    const soon = this.#flush().catch(() => undefined)
    // Such a save is kept, and known again.
    await Promise.race([this.idle().then(() => soon), sleep(closeMs, undefined, patience).catch(() => undefined)])
    patience.abort()
    await this.#flush()
  }

  async #flush(): Promise<void> {
    const opened = await this.#opened()
    const kept = await Promise.allSettled(opened.map((draft) => draft.keep()))
    const failed = kept.find((one) => one.status === 'rejected')
    if (failed !== undefined) throw failed.reason
  }

  /** Paths of what is not on the disk yet. */
  get unkept(): readonly string[] {
    return [...this.#open.values()].flatMap(({ draft }) => (draft === undefined || draft.isKept ? [] : [draft.path]))
  }

  async #sendOne(place: DraftTarget, path: string): Promise<void> {
    const draft = await this.open(place, path)
    try {
      if (draft.isWaiting) await draft.save()
    } finally {
      await draft.close()
    }
  }

  /** Of a draft that somebody looks at: its state tells how it went. */
  #sendSoon(draft: KeptDraft): void {
    draft.save().catch((error: unknown) => this.#access.log(`${draft.path} could not be saved: ${String(error)}`))
  }

  async #opened(): Promise<KeptDraft[]> {
    const opened = await Promise.allSettled([...this.#open.values()].map(({ opening }) => opening))
    return opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  }

  /** A file is open once in a UI, however many views show it. */
  async #once(place: DraftTarget, path: string, open: () => Promise<KeptDraft>): Promise<KeptDraft> {
    const key = keyOf({ ...place, path })
    const known = this.#open.get(key)
    if (known !== undefined) {
      // From now on, and not when it has come: it could be closed for good in between, and be opened twice.
      known.awaited += 1
      try {
        return (await known.opening).share()
      } finally {
        known.awaited -= 1
      }
    }
    const opened: OpenDraft = { opening: open(), draft: undefined, awaited: 0 }
    this.#open.set(key, opened)
    try {
      opened.draft = await opened.opening
      return opened.draft
    } catch (error) {
      this.#open.delete(key)
      throw error
    }
  }

  #closed(place: DraftTarget, draft: KeptDraft): void {
    const key = keyOf({ ...place, path: draft.path })
    if (this.#open.get(key)?.awaited === 0) this.#open.delete(key)
  }

  #find({ branchId }: DraftTarget, path: string): Promise<FoundDrafts> {
    const { drafts, instance } = this.#access.store
    return findDrafts(drafts, instance, { branchId, path })
  }

  async #make(
    place: DraftTarget,
    path: string,
    found: FoundDrafts,
    onBranch: OnBranch,
    text?: string,
  ): Promise<KeptDraft> {
    const { store, url } = this.#access
    const base = await draftBase(store.drafts, { branchId: place.branchId, path }, found.ours, onBranch)
    const options: KeptDraftOptions = {
      where: { service: url, slug: place.slug, branchId: place.branchId, branch: place.branch },
      path,
      files: store.drafts,
      lent: store.lent,
      remote: place.remote,
      ...base,
      ...(text === undefined ? {} : { text }),
      ...(found.notice === undefined ? {} : { notice: found.notice }),
      others: this.#others(found.others),
      makeRoom: () => store.cache.clear(),
      onChange: () => this.#access.tell(),
      onSaved: (oid, saved) => place.remote.keep(draft.path, { oid, size: Buffer.byteLength(saved), text: saved }),
      onClosed: () => this.#closed(place, draft),
    }
    const draft = new KeptDraft(options)
    return draft
  }

  async #discard(found: FoundDraft): Promise<void> {
    const { path } = found.header
    if (this.#open.has(keyOf(found.header))) {
      throw new Failure('forbidden', `${path} is open.`, { hint: 'Discard the text where it is open, or close it.' })
    }
    await this.#access.store.drafts.discard(found)
    this.#access.tell()
  }

  /** One that is forgotten is no more among them. */
  #others(found: readonly FoundDraft[]): readonly KeptVersion[] {
    const others = found.map((one): KeptVersion => {
      const version = this.#version(one)
      const discard = async (): Promise<void> => {
        await version.discard()
        others.splice(others.indexOf(kept), 1)
        this.#access.tell()
      }
      const kept = { ...version, discard }
      return kept
    })
    return others
  }

  #version(found: FoundDraft): KeptVersion {
    const { header, elsewhere } = found
    return {
      changedAt: new Date(header.changedAt),
      elsewhere,
      text: async () => (await this.#access.store.drafts.text(found)) ?? '',
      discard: () => this.#access.store.drafts.discard(found),
    }
  }
}

interface OpenDraft {
  readonly opening: Promise<KeptDraft>
  draft: KeptDraft | undefined
  /** How many wait to share it. */
  awaited: number
}

function keyOf({ branchId, path }: DraftKey): string {
  return `${branchId}\n${path}`
}

function isThere(path: string): Failure {
  return new Failure('invalid_request', `${path} is there already.`, { hint: 'Open it, or choose another name.' })
}
