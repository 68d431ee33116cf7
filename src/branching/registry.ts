import { createHash } from 'node:crypto'
import type { BranchingPorts, PreviewOutbox } from './ports.ts'
import {
  newBranchId,
  summarise,
  type BranchingDocument,
  type PreviewBuild,
  type SentFiles,
  type ServedPreview,
  type StoredBranch,
} from './state.ts'

/** RFC 1035, 2.3.4. */
const maxLabel = 63
/** 60 bits in base 36. */
const hashLength = 12
/** Characters of a branch’s name for which a long slug is cut short. */
const nameReserve = 8

const hashed = /--[0-9a-z]{12}$/
const hostName = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/

/** A branch in memory. While its ref is there, everybody who asks for the branch gets the same object. */
export interface BranchRecord {
  readonly projectId: string
  readonly id: string
  readonly name: string
  label: string
  readonly createdAt: string
  served: ServedPreview | undefined
  build: PreviewBuild | undefined
  sent: SentFiles | undefined
  /** The branch was removed: a build for it may stop. */
  gone: boolean
}

export interface RegistryOptions {
  readonly store: BranchingPorts['store']
  readonly documentOf: (projectId: string) => string
  readonly documentPrefix: string
  readonly outbox: PreviewOutbox
  readonly slugOf: (project: string) => string
  readonly urlOf: (label: string) => string
  readonly now: () => Date
}

/**
 * What is on record of branches, all in memory because every request for a preview asks, and in the projects' documents.
 * Which branches there are say the refs; this follows them.
 */
export class Registry {
  readonly #options: RegistryOptions
  readonly #projects = new Map<string, Map<string, BranchRecord>>()
  readonly #labels = new Map<string, BranchRecord>()
  readonly #adding = new Map<string, Promise<BranchRecord>>()

  constructor(options: RegistryOptions) {
    this.#options = options
  }

  /** At start: everything that is on record. */
  async load(): Promise<void> {
    const { store, documentPrefix } = this.#options
    for (const document of await store.list(documentPrefix)) {
      const branching = (await store.read<BranchingDocument>(document))?.branching
      const projectId = document.slice(documentPrefix.length)
      for (const stored of branching?.branches ?? []) this.#put(projectId, stored)
    }
  }

  /** Projects that have branches. */
  projectIds(): readonly string[] {
    return [...this.#projects].filter(([, records]) => records.size > 0).map(([projectId]) => projectId)
  }

  records(projectId: string): readonly BranchRecord[] {
    return [...(this.#projects.get(projectId)?.values() ?? [])]
  }

  byName(projectId: string, name: string): BranchRecord | undefined {
    return this.#projects.get(projectId)?.get(name)
  }

  byId(projectId: string, id: string): BranchRecord | undefined {
    return this.records(projectId).find((record) => record.id === id)
  }

  byLabel(label: string): BranchRecord | undefined {
    return this.#labels.get(label)
  }

  /** The record of a branch whose ref is there; made and durable when there was none. */
  ensure(projectId: string, name: string): Promise<BranchRecord> {
    const known = this.byName(projectId, name)
    if (known !== undefined) return Promise.resolve(known)
    const key = `${projectId} ${name}`
    let adding = this.#adding.get(key)
    if (adding === undefined) {
      adding = this.#add(projectId, name).finally(() => this.#adding.delete(key))
      this.#adding.set(key, adding)
    }
    return adding
  }

  /** Gone from memory at once; from the document when the promise settles. */
  async remove(record: BranchRecord): Promise<void> {
    record.gone = true
    if (this.byName(record.projectId, record.name) === record) this.#projects.get(record.projectId)?.delete(record.name)
    if (this.#labels.get(record.label) === record) this.#labels.delete(record.label)
    await this.#change(record.projectId, (branches) => branches.filter(({ id }) => id !== record.id))
  }

  /** Writes down what the preview of a branch shows and how its last build ended, with its event. */
  async savePreview(record: BranchRecord): Promise<void> {
    const { outbox, urlOf } = this.#options
    const { projectId, id, name, label } = record
    const stored = summarise(storedOf(record))
    await this.#change(projectId, (branches, document) => {
      if (stored.build !== undefined && branches.some((branch) => branch.id === id))
        outbox.record(document, { projectId, branch: name, url: urlOf(label), build: stored.build })
      return branches.map((branch) => (branch.id === id ? stored : branch))
    })
    outbox.wake(projectId)
  }

  /** Writes down of which files a branch is made. */
  async saveSent(record: BranchRecord, sent: SentFiles): Promise<void> {
    record.sent = sent
    const stored = summarise(storedOf(record))
    await this.#change(record.projectId, (branches) =>
      branches.map((branch) => (branch.id === record.id ? stored : branch)),
    )
  }

  /** The project has another slug, and its previews other hosts. */
  renamed(projectId: string): void {
    for (const record of this.records(projectId)) {
      if (this.#labels.get(record.label) === record) this.#labels.delete(record.label)
      record.label = this.#labelOf(projectId, record.name)
      this.#labels.set(record.label, record)
    }
  }

  /** Forgets the branches of a project that is being removed, and returns them. Its document is not this room’s to delete. */
  forgetProject(projectId: string): readonly BranchRecord[] {
    const records = this.records(projectId)
    for (const record of records) {
      record.gone = true
      this.#labels.delete(record.label)
    }
    this.#projects.delete(projectId)
    return records
  }

  async #add(projectId: string, name: string): Promise<BranchRecord> {
    const stored: StoredBranch = { id: newBranchId(), name, createdAt: this.#options.now().toISOString() }
    await this.#change(projectId, (branches) => [...branches.filter((branch) => branch.name !== name), stored])
    return this.#put(projectId, stored)
  }

  #put(projectId: string, { id, name, createdAt, served, build, sent }: StoredBranch): BranchRecord {
    const record: BranchRecord = {
      projectId,
      id,
      name,
      label: this.#labelOf(projectId, name),
      createdAt,
      served,
      build,
      sent,
      gone: false,
    }
    const records = this.#projects.get(projectId) ?? new Map<string, BranchRecord>()
    records.set(name, record)
    this.#projects.set(projectId, records)
    this.#labels.set(record.label, record)
    return record
  }

  #labelOf(projectId: string, name: string): string {
    return previewLabel(this.#options.slugOf(projectId), name)
  }

  /** Without a document there is no project any more, and nothing to write. */
  #change(
    projectId: string,
    change: (branches: readonly StoredBranch[], document: BranchingDocument) => StoredBranch[],
  ): Promise<void> {
    const { store, documentOf } = this.#options
    return store.mutate<BranchingDocument, void>(documentOf(projectId), (draft) => {
      if (draft !== undefined) draft.branching = { branches: change(draft.branching?.branches ?? [], draft) }
      return { document: draft, result: undefined }
    })
  }
}

function storedOf({ id, name, createdAt, served, build, sent }: BranchRecord): StoredBranch {
  return {
    id,
    name,
    createdAt,
    ...(served === undefined ? {} : { served }),
    ...(build === undefined ? {} : { build }),
    ...(sent === undefined ? {} : { sent }),
  }
}

/**
 * The first part of the host of a branch's preview: a pure function of slug and name, a valid DNS label of at most 63
 * characters, another one for every branch.
 *
 * `docs` and `new-intro` give `docs--new-intro`. Names that a host cannot have, or that are too long, give a readable
 * part and a hash: `docs--a-b--0f3k9x2m1q7z`. No name that is kept as it is looks like that, so the two never meet.
 */
export function previewLabel(slug: string, name: string): string {
  const plain = `${slug}--${name}`
  if (plain.length <= maxLabel && hostName.test(name) && !hashed.test(name) && slug !== 'xn') return plain
  // Readers' browsers take what begins with `xn--` for an encoded international name.
  const readableSlug = slug === 'xn' ? 'xn-x' : slug
  const room = maxLabel - hashLength - '--'.length * 2
  const readable = name.replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '') || 'branch'
  const first = trimEnd(readableSlug.slice(0, room - Math.min(readable.length, nameReserve)))
  const second = trimEnd(readable.slice(0, room - first.length))
  return `${first}--${second}--${hashOf(slug, name)}`
}

function trimEnd(text: string): string {
  return text.replace(/-+$/, '')
}

function hashOf(slug: string, name: string): string {
  const bytes = createHash('sha256').update(`${slug}\0${name}`).digest()
  return bytes.readBigUInt64BE(0).toString(36).padStart(13, '0').slice(-hashLength)
}
