import type { BranchPush, MainPush, PushTarget } from '../../src/content/push/receive-pack.ts'
import type { Repository } from '../../src/content/repository.ts'

type Report = (line: string) => void

/** Moves refs and does nothing else, unless a test has it fail. */
export class RefTarget implements PushTarget {
  readonly calls: string[] = []
  /** Runs before a ref moves, `main` or a branch’s name; what it throws refuses the push of it. */
  before: (name: string, report: Report) => Promise<void> = async () => undefined
  readonly #open: (slug: string) => Promise<Repository>

  constructor(open: (slug: string) => Promise<Repository>) {
    this.#open = open
  }

  saveBranch(slug: string, { name, old, new: value }: BranchPush, report: Report): Promise<void> {
    return this.#move(slug, name, { old, new: value }, report)
  }

  deployMain(slug: string, push: MainPush, report: Report): Promise<void> {
    return this.#move(slug, 'main', push, report)
  }

  async #move(
    slug: string,
    name: string,
    { old, new: value }: { readonly old: string | null; readonly new: string | null },
    report: Report,
  ): Promise<void> {
    this.calls.push(name)
    await this.before(name, report)
    await (await this.#open(slug)).updateRefs([{ ref: `refs/heads/${name}`, old, new: value }])
    if (value !== null) report(`https://docs--${name}.example.com`)
  }
}
