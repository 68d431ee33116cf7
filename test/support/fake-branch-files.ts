import type { BranchFiles, FileMend, FileMove, OpenedFile } from '#cli/tui/data/branch-files.ts'
import type { Draft, DraftState } from '#cli/tui/data/drafts/draft.ts'
import type { Loaded, ProjectSpace } from '#cli/tui/data/workspace.ts'
import { blobOid } from '#contract/blob-oid.ts'
import type { Branch } from '#contract/branches.ts'
import { Failure } from '#contract/failure.ts'
import type { FileStatus, ProjectFile } from '#contract/files.ts'
import { FakeWorkspace } from './fake-workspace.ts'

/** Files of a branch in memory; what was done to them is kept in words. */
export class FakeBranchFiles implements BranchFiles {
  readonly slug = 'acme-docs'
  readonly branch: string
  readonly branchId: string | undefined
  readonly readOnly: boolean
  /** Such as `rename a.mdx to b.mdx`. */
  readonly done: string[] = []
  readonly texts: Map<string, string>
  readonly uploaded = new Map<string, Uint8Array>()
  readonly statuses = new Map<string, FileStatus>()
  /** So many moves succeed before one is refused. */
  failAfter: number | undefined
  /** The next change is refused with it. */
  refusal: Failure | undefined

  constructor(texts: Readonly<Record<string, string>>, branch: Branch | 'main' = 'main') {
    this.texts = new Map(Object.entries(texts))
    this.branch = branch === 'main' ? branch : branch.name
    this.branchId = branch === 'main' ? undefined : branch.id
    this.readOnly = branch === 'main'
  }

  async list(): Promise<Loaded<readonly ProjectFile[]>> {
    const paths = new Set([...this.texts.keys(), ...this.uploaded.keys(), ...this.statuses.keys()])
    return loaded([...paths].sort().map((path) => this.file(path)))
  }

  file(path: string): ProjectFile {
    const text = this.texts.get(path) ?? ''
    const size = this.uploaded.get(path)?.length ?? text.length
    return { path, status: this.statuses.get(path) ?? 'unchanged', oid: blobOid(Buffer.from(text)), size }
  }

  async read(path: string): Promise<Loaded<OpenedFile>> {
    const text = this.texts.get(path)
    if (text === undefined) throw new Failure('not_found', `There is no ${path}.`)
    return loaded({ path, oid: blobOid(Buffer.from(text)), text, size: text.length })
  }

  async edit(path: string): Promise<Draft> {
    return this.#draft(path, this.texts.get(path) ?? '')
  }

  async create(path: string, text: string): Promise<Draft> {
    return this.#draft(path, text)
  }

  async remove({ path }: ProjectFile): Promise<void> {
    this.#do(`remove ${path}`)
    this.texts.delete(path)
    this.statuses.set(path, 'deleted')
  }

  async move(moves: readonly FileMove[], mends: readonly FileMend[], message: string): Promise<void> {
    for (const { file, text } of [...moves, ...mends.map((mend) => ({ ...mend, file: mend }))])
      if (this.texts.has(file.path) && file.oid !== this.file(file.path).oid)
        throw new Failure('stale_file', `${file.path} is another one, not that of ${text ?? ''}.`)
    if (this.failAfter === 0) this.refusal = new Failure('unavailable', 'The disk is full.')
    if (this.failAfter !== undefined) this.failAfter = this.failAfter === 0 ? undefined : this.failAfter - 1
    this.#do(message)
    for (const { file, to, text } of moves) {
      const bytes = this.uploaded.get(file.path)
      if (bytes === undefined) this.texts.set(to, text ?? this.texts.get(file.path) ?? '')
      else this.uploaded.set(to, bytes)
      this.texts.delete(file.path)
      this.uploaded.delete(file.path)
    }
    for (const { path, text } of mends) this.texts.set(path, text)
  }

  async restore({ path }: ProjectFile): Promise<void> {
    this.#do(`restore ${path}`)
    this.statuses.delete(path)
    this.texts.set(path, 'as on main')
  }

  async upload(path: string, content: Uint8Array): Promise<void> {
    this.#do(`upload ${path}`)
    this.uploaded.set(path, content)
  }

  #do(what: string): void {
    const { refusal } = this
    this.refusal = undefined
    if (refusal !== undefined) throw refusal
    this.done.push(what)
  }

  #draft(path: string, before: string): Draft {
    let text = before
    let state: DraftState = this.texts.has(path) ? 'saved' : 'changed'
    return {
      path,
      base: { oid: null, text: '' },
      get text() {
        return text
      },
      cursor: 0,
      recovered: false,
      get state() {
        return state
      },
      theirs: undefined,
      trouble: undefined,
      onChange: () => () => undefined,
      changed: (now) => {
        text = now()
        state = 'changed'
      },
      lend: () => Promise.reject(new Error('no program runs here')),
      save: async () => {
        this.#do(`save ${path}`)
        this.texts.set(path, text)
        state = 'saved'
      },
      rebase: () => undefined,
      discard: async () => void this.done.push(`discard ${path}`),
      keep: async () => undefined,
      close: async () => undefined,
    }
  }
}

/** A workspace in which every branch has the same files. */
export class FileWorkspace extends FakeWorkspace {
  readonly files: FakeBranchFiles

  constructor(files: FakeBranchFiles) {
    super()
    this.files = files
  }

  override project(slug: string): ProjectSpace {
    return { ...super.project(slug), files: () => this.files }
  }
}

function loaded<T>(value: T): Loaded<T> {
  return { value, asOf: new Date('2026-03-01T12:00:00.000Z'), offline: false }
}
