import { Failure } from '#contract/failure.ts'
import type { FileContent, ProjectFile } from '#contract/files.ts'
import { contract } from '#contract/index.ts'
import type { OpenedFile } from '../branch-files.ts'
import type { KeptFile } from '../disk/cache.ts'
import type { Theirs } from '../drafts/draft.ts'
import type { RemoteFile } from '../drafts/remote-file.ts'
import { loaded, patiently, type ServiceAccess } from './service-access.ts'
import { base64Of, oidOf } from '../disk/slices.ts'
import type { Loaded } from '../workspace.ts'

/** Longer texts are sent as Base64: escapes could make them longer than a request may be. */
const plainBytes = 1024 * 1024

interface At {
  readonly slug: string
  readonly branch: string
  /** Undefined: main. */
  readonly branchId: string | undefined
}

interface FileList {
  /** The commit; absent before the first. */
  readonly head?: string
  readonly items: readonly ProjectFile[]
}

/** The files of a branch, or of main, on the service. */
export class RemoteBranch implements RemoteFile {
  readonly #access: ServiceAccess
  #at: At
  /** The last that the service gave. */
  #listed: FileList | undefined

  constructor(access: ServiceAccess, at: At) {
    this.#access = access
    this.#at = at
  }

  get isOffline(): boolean {
    return this.#access.connection.state === 'offline'
  }

  /** @param known what was listed last: the same where the branch has not moved since */
  async list(known?: readonly ProjectFile[]): Promise<Loaded<readonly ProjectFile[]>> {
    const { branch, branchId: id, slug } = this.#at
    const { store } = this.#access
    const key = `files\n${id ?? slug}`
    const { value, ...rest } = await loaded<FileList>(this.#access, `The list of files of ${branch}`, {
      load: async () => {
        const listed = this.#listed
        const isKnown = known !== undefined && listed?.items === known && (await this.#isAt(listed.head))
        this.#listed = isKnown ? listed : await this.#list()
        return this.#listed
      },
      // A list of thousands is written when something has changed.
      keep: ({ items, head }) => store.cache.keepList(key, items, head),
      kept: async () => {
        const kept = await store.cache.list<ProjectFile>(key)
        return kept === undefined ? undefined : { ...kept, value: { items: kept.value } }
      },
    })
    return { ...rest, value: value.items }
  }

  /** A file, from what is kept where that is still so or nobody can be asked. */
  async read(path: string): Promise<Loaded<OpenedFile>> {
    const key = this.#key(path)
    const { cache } = this.#access.store
    const before = await cache.file(key)
    const { value, ...rest } = await loaded<KeptFile>(this.#access, path, {
      load: async () => {
        const content = await this.#content(path, before?.value.oid)
        return content === 'unchanged' && before !== undefined ? before.value : keptFile(content)
      },
      keep: (file) => {
        if (file !== before?.value) cache.keepFile(key, file)
      },
      kept: async () => before,
    })
    return { ...rest, value: { path, ...value } }
  }

  /** As the service gives it. */
  async content(path: string): Promise<FileContent> {
    const content = await patiently(this.#access, () => this.#content(path, undefined))
    if (content === 'unchanged') throw new Error('nothing was said of what is known')
    return content
  }

  /** What is there now; null: nothing. */
  async oid(path: string): Promise<string | null> {
    return (await this.theirs(path)).oid
  }

  async theirs(path: string): Promise<Theirs> {
    try {
      const { oid, content, encoding } = await this.content(path)
      return { oid, text: encoding === 'utf-8' ? content : null }
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'not_found') throw error
      await this.#assertBranch()
      return { oid: null, text: null }
    }
  }

  async save(
    path: string,
    bytes: Buffer,
    { expected, message }: { readonly expected: string | null; readonly message?: string },
  ): Promise<string> {
    const condition = expected === null ? { 'if-none-match': '*' } : { 'if-match': `"${expected}"` }
    const plain = bytes.length <= plainBytes
    const body = {
      content: plain ? bytes.toString('utf8') : await base64Of(bytes),
      ...(plain ? {} : { encoding: 'base64' as const }),
      ...(message === undefined ? {} : { message }),
    }
    const send = (): Promise<{ oid: string | null }> => {
      const { slug, branchId: id = '' } = this.#at
      return this.#access.client.call(contract.branches.saveFile, {
        params: { slug, id, path },
        body,
        headers: condition,
      })
    }
    try {
      const { oid } = await patiently(this.#access, send)
      return oid ?? (await oidOf(bytes))
    } catch (error) {
      // Nothing is said of whether branch or project is gone.
      if (!(error instanceof Failure) || error.code !== 'not_found') throw error
      await this.#assertBranch()
      if (!(await this.#followProject())) throw error
      const { oid } = await send()
      return oid ?? (await oidOf(bytes))
    }
  }

  /** A new file, or one in the place of `over`; one with the same content may be there. @throws Failure stale_file */
  async put(path: string, content: Uint8Array, over?: string): Promise<void> {
    const { slug, branchId: id = '' } = this.#at
    const body = { content: await base64Of(Buffer.from(content)), encoding: 'base64' as const }
    const params = { slug, id, path }
    const headers = over === undefined ? { 'if-none-match': '*' } : { 'if-match': `"${over}"` }
    try {
      await patiently(this.#access, () =>
        this.#access.client.call(contract.branches.saveFile, { params, body, headers }),
      )
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'stale_file') throw error
      if (error.extra['oid'] === (await oidOf(content))) return
      if (over !== undefined)
        throw new Failure('stale_file', `${path} is not what it was: somebody else changed it.`, {
          hint: 'Look at it again, and then replace it.',
          cause: error,
        })
      throw new Failure('stale_file', `${path} is there already, and is another file.`, {
        hint: 'Give this one another name, or delete that one first.',
        cause: error,
      })
    }
  }

  #list(): Promise<FileList> {
    const { slug, branchId: id } = this.#at
    const { client } = this.#access
    return id === undefined
      ? client.call(contract.files.list, { params: { slug } })
      : client.call(contract.branches.files, { params: { slug, id } })
  }

  /** Of a list of thousands only the commit need be asked for. */
  async #isAt(head: string | undefined): Promise<boolean> {
    const { slug, branchId: id } = this.#at
    if (id === undefined) return false
    return (await this.#access.client.call(contract.branches.read, { params: { slug, id } })).head === head
  }

  /** What is kept of a file is no longer so. */
  forget(path: string): void {
    this.#access.store.cache.forget(this.#key(path))
  }

  keep(path: string, file: KeptFile): void {
    this.#access.store.cache.keepFile(this.#key(path), file)
  }

  /** @throws Failure not_found that says so where the branch, or the project, is gone */
  async #assertBranch(): Promise<void> {
    const { slug, branch, branchId: id } = this.#at
    if (id === undefined) return
    const { client } = this.#access
    try {
      await patiently(this.#access, () => client.call(contract.branches.read, { params: { slug, id } }))
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'not_found') throw error
      throw new Failure(
        'not_found',
        `The branch ${branch} of ${slug} is no longer there, or you can no longer see it.`,
        {
          hint: 'It was published, deleted or renamed, or you are no member any more. Open the file on another branch to bring your text there.',
          cause: error,
        },
      )
    }
  }

  /** A project that was renamed is read under its old slug, but written under the new one. @returns whether it was */
  async #followProject(): Promise<boolean> {
    const { slug } = this.#at
    const project = await patiently(this.#access, () =>
      this.#access.client.call(contract.projects.read, { params: { slug } }),
    )
    this.#at = { ...this.#at, slug: project.slug }
    return project.slug !== slug
  }

  async #content(path: string, known: string | undefined): Promise<FileContent | 'unchanged'> {
    const { slug, branchId: id } = this.#at
    const { client } = this.#access
    const headers: Record<string, string> = known === undefined ? {} : { 'if-none-match': `"${known}"` }
    try {
      return id === undefined
        ? await client.call(contract.files.read, { params: { slug, path }, headers })
        : await client.call(contract.branches.readFile, { params: { slug, id, path }, headers })
    } catch (error) {
      if (error instanceof Failure && error.extra['httpStatus'] === 304) return 'unchanged'
      throw error
    }
  }

  #key(path: string): string {
    return `file\n${this.#at.branchId ?? this.#at.slug}\n${path}`
  }
}

function keptFile(content: FileContent | 'unchanged'): KeptFile {
  if (content === 'unchanged') throw new Error('nothing was known of what is unchanged')
  const { oid, size, encoding } = content
  return { oid, size, text: encoding === 'utf-8' ? content.content : undefined }
}
