import { mkdir, readFile, rm, writeFile, chmod } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { BareRepository } from '#content/repository.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'
import { author, git, newRepository } from './support.ts'

/** Content by path; null deletes; `mode` for an executable. */
export type Edits = Readonly<Record<string, string | Buffer | null | { readonly executable: string }>>

const settings = [
  `user.name=${author.name}`,
  `user.email=${author.email}`,
  'merge.directoryRenames=false',
  'core.autocrlf=false',
  'gc.auto=0',
].flatMap((setting) => ['-c', setting])

/** A work tree of the real git beside the repository, in which histories are made as people make them. */
export class Workshop {
  readonly repository: BareRepository
  readonly directory: string

  constructor(repository: BareRepository, directory: string) {
    this.repository = repository
    this.directory = directory
  }

  static async open(): Promise<Workshop> {
    const repository = await newRepository()
    const directory = await temporaryDirectory()
    const workshop = new Workshop(repository, directory)
    await workshop.git('init', '-q', '-b', 'main')
    return workshop
  }

  git(...args: string[]): Promise<string> {
    return git(this.directory, ...settings, ...args)
  }

  /** Commits on the current branch. */
  async commit(edits: Edits): Promise<string> {
    // Deletions first: a directory may become a file.
    for (const [path, content] of Object.entries(edits))
      if (content === null) await rm(join(this.directory, path), { recursive: true })
    for (const [path, content] of Object.entries(edits)) {
      if (content === null) continue
      const file = join(this.directory, path)
      await rm(file, { recursive: true, force: true })
      await mkdir(dirname(file), { recursive: true })
      const plain = typeof content === 'string' || Buffer.isBuffer(content)
      await writeFile(file, plain ? content : content.executable)
      await chmod(file, plain ? 0o644 : 0o755)
    }
    await this.git('add', '-A')
    await this.git('commit', '-q', '--allow-empty', '-m', 'Change')
    return this.head()
  }

  async head(): Promise<string> {
    const read = async (name: string): Promise<string> =>
      (await readFile(join(this.directory, '.git', name), 'utf8')).trim()
    const head = await read('HEAD')
    return head.startsWith('ref: ') ? read(head.slice('ref: '.length)) : head
  }

  /** Brings a branch into the repository, objects and all. */
  async send(...branches: string[]): Promise<void> {
    await this.git('push', '-q', this.repository.directory, ...branches)
  }

  /** What `git merge` makes of it: the tree, or null when it stops with conflicts. */
  async merge(ours: string, theirs: string): Promise<string | null> {
    await this.git('checkout', '-q', '--force', '--detach', ours)
    const merged = await this.git('merge', '-q', '--no-edit', '--no-ff', theirs).then(
      () => true,
      () => false,
    )
    const tree = merged ? await this.git('rev-parse', 'HEAD^{tree}') : null
    if (!merged) await this.git('reset', '-q', '--hard')
    await this.git('clean', '-qfd')
    return tree
  }
}

/** A base, then main and branch each with their edits on it; both sent. */
export async function fork(
  base: Edits,
  main: Edits,
  branch: Edits,
): Promise<{ workshop: Workshop; repository: BareRepository; main: string; branch: string; base: string }> {
  const workshop = await Workshop.open()
  const start = await workshop.commit(base)
  await workshop.git('checkout', '-q', '-b', 'work')
  const branchHead = await workshop.commit(branch)
  await workshop.git('checkout', '-q', 'main')
  const mainHead = await workshop.commit(main)
  await workshop.send('main', 'work')
  return { workshop, repository: workshop.repository, main: mainHead, branch: branchHead, base: start }
}
