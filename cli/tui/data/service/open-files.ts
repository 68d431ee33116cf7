import pLimit from 'p-limit'
import type { BranchChange } from '#contract/branch-files.ts'
import type { ProjectFile } from '#contract/files.ts'
import { Failure } from '#contract/failure.ts'
import { contract } from '#contract/index.ts'
import { limits } from '#contract/limits.ts'
import { fileSize } from '#cli/output.ts'
import type { BranchFiles, FileMend, FileMove, OpenedFile } from '../branch-files.ts'
import type { Draft } from '../drafts/draft.ts'
import type { Drafts } from './drafts.ts'
import { RemoteBranch } from './remote-branch.ts'
import type { ServiceAccess } from './service-access.ts'
import { encode, oidOf } from '../disk/slices.ts'
import type { Branch, Loaded } from '../workspace.ts'

const plainLength = 256 * 1024

/** The files of a branch of the service, or of main. */
export class OpenFiles implements BranchFiles {
  readonly #access: ServiceAccess
  readonly #drafts: Drafts
  readonly #remote: RemoteBranch
  readonly slug: string
  readonly branch: string
  readonly branchId: string | undefined

  constructor(access: ServiceAccess, drafts: Drafts, at: { readonly slug: string; readonly branch: Branch | 'main' }) {
    this.#access = access
    this.#drafts = drafts
    this.slug = at.slug
    this.branch = at.branch === 'main' ? 'main' : at.branch.name
    this.branchId = at.branch === 'main' ? undefined : at.branch.id
    this.#remote = new RemoteBranch(access, { slug: this.slug, branch: this.branch, branchId: this.branchId })
  }

  get readOnly(): boolean {
    return this.branchId === undefined
  }

  list(known?: readonly ProjectFile[]): Promise<Loaded<readonly ProjectFile[]>> {
    return this.#remote.list(known)
  }

  read(path: string): Promise<Loaded<OpenedFile>> {
    return this.#remote.read(path)
  }

  async edit(path: string): Promise<Draft> {
    return this.#drafts.open(this.#place(), path)
  }

  async create(path: string, text: string): Promise<Draft> {
    const place = this.#place()
    const name = checkedPath(path)
    return this.#drafts.create(place, name, text)
  }

  async remove(file: ProjectFile): Promise<void> {
    const params = this.#params(file.path)
    await this.#access.client.call(contract.branches.removeFile, { params, headers: { 'if-match': `"${file.oid}"` } })
    this.#remote.forget(file.path)
    this.#access.tell()
  }

  async move(moves: readonly FileMove[], mends: readonly FileMend[], message: string): Promise<void> {
    const place = this.#place()
    for (const { to } of moves) await this.#drafts.requireFree(place, checkedPath(to))
    const limit = pLimit(6)
    const pairs = await Promise.all(moves.map((one) => limit(() => this.#changesOf(one))))
    const mended = mends.map(({ path, oid, text }) => ({ path, ...sendable(text), expectedOid: oid }))
    const body = { changes: [...pairs.flat(), ...mended], message }
    try {
      const params = { slug: this.slug, id: place.branchId }
      await this.#access.client.call(contract.branches.commit, { params, body })
    } catch (error) {
      // The answer of the first try may have been lost.
      if (!(error instanceof Failure) || error.code !== 'stale_file' || !(await this.#areMoved(moves))) throw error
    }
    for (const { file, to } of moves) {
      this.#remote.forget(file.path)
      await this.#drafts.move(place, file.path, to)
    }
    for (const { path } of mends) this.#remote.forget(path)
    this.#access.tell()
  }

  async restore({ path, oid, status }: ProjectFile): Promise<void> {
    const { id, slug } = this.#params(path)
    const body = { path, expectedOid: status === 'deleted' ? null : oid }
    await this.#access.client.call(contract.branches.restore, { params: { slug, id }, body })
    this.#remote.forget(path)
    this.#access.tell()
  }

  async upload(path: string, content: Uint8Array, over?: string): Promise<void> {
    const name = checkedPath(path)
    this.#params(name)
    if (content.byteLength > limits.fileBytes) {
      throw new Failure(
        'file_too_large',
        `${name} has ${fileSize(content.byteLength)}; a file may have ${fileSize(limits.fileBytes)}.`,
        { hint: 'Make it smaller, or link to it elsewhere.' },
      )
    }
    await this.#remote.put(name, content, over)
    this.#remote.forget(name)
    this.#access.tell()
  }

  #params(path: string): { readonly slug: string; readonly id: string; readonly path: string } {
    return { slug: this.slug, id: this.#place().branchId, path }
  }

  /** @throws Failure forbidden: main. */
  #place(): {
    readonly remote: RemoteBranch
    readonly slug: string
    readonly branch: string
    readonly branchId: string
  } {
    if (this.branchId !== undefined)
      return { remote: this.#remote, slug: this.slug, branch: this.branch, branchId: this.branchId }
    throw new Failure('forbidden', 'Files of main are not changed directly.', {
      hint: 'Create a branch, change them there, and publish it.',
    })
  }

  async #changesOf({ file, to, text }: FileMove): Promise<BranchChange[]> {
    const path = checkedPath(to)
    const gone = { path: file.path, content: null, expectedOid: file.oid }
    if (text !== undefined) return [gone, { path, ...sendable(text), expectedOid: null }]
    const { oid, content, encoding } = await this.#remote.content(file.path)
    if (oid !== file.oid) throw changedSince(file.path)
    return [gone, { path, content, encoding, expectedOid: null }]
  }

  async #areMoved(moves: readonly FileMove[]): Promise<boolean> {
    for (const { file, to, text } of moves) {
      const after = text === undefined ? file.oid : await oidOf(await encode(text))
      const [from, there] = [await this.#remote.oid(file.path), await this.#remote.oid(to)]
      if (from !== null || there !== after) return false
    }
    return true
  }
}

/** Longer texts are sent as Base64: escapes could make them longer than a request may be. */
function sendable(text: string): { readonly content: string; readonly encoding?: 'base64' } {
  if (text.length <= plainLength) return { content: text }
  return { content: Buffer.from(text).toString('base64'), encoding: 'base64' }
}

function changedSince(path: string): Failure {
  return new Failure('stale_file', `${path} is not what it was: somebody else changed it.`, {
    hint: 'Look at it again, and then move it.',
  })
}

/** What the service would refuse is told before anything is typed into it. @throws Failure invalid_path */
function checkedPath(path: string): string {
  const name = path.trim().normalize('NFC')
  const parts = name.split('/')
  const isFine = parts.every((part) => part !== '' && part !== '.' && part !== '..') && !/[\p{Cc}\\]/u.test(name)
  if (!isFine) {
    throw new Failure('invalid_path', `${JSON.stringify(path)} is no path for a file.`, {
      hint: 'Write it from the project’s root, such as guides/install.mdx.',
    })
  }
  if (
    Buffer.byteLength(name) <= limits.pathBytes &&
    parts.every((part) => Buffer.byteLength(part) <= limits.pathSegmentBytes)
  )
    return name
  throw new Failure('invalid_path', 'The path is too long.', {
    hint: `It may have ${limits.pathBytes} bytes, and each part of it ${limits.pathSegmentBytes}.`,
  })
}
