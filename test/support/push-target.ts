import type { AtomicPush, BranchPush, MainPush, PushTarget, TagsPush } from '#content/push/delivery.ts'
import type { Repository } from '#content/repository.ts'

type Report = (line: string) => void

/** Moves refs and does nothing else, unless a test has it fail. */
export class RefTarget implements PushTarget {
  readonly calls: string[] = []
  /** Runs before a ref moves, `main` or a branch’s name; what it throws refuses the push of it. */
  before: (name: string, report: Report) => Promise<void> = async () => undefined
  readonly #open: (projectId: string) => Promise<Repository>

  constructor(open: (projectId: string) => Promise<Repository>) {
    this.#open = open
  }

  saveBranch(projectId: string, { name, old, new: value }: BranchPush, report: Report): Promise<void> {
    return this.#move(projectId, name, { old, new: value }, report)
  }

  deployMain(projectId: string, push: MainPush, report: Report): Promise<void> {
    return this.#move(projectId, 'main', push, report)
  }

  async moveTogether(projectId: string, { moves }: AtomicPush, report: Report): Promise<void> {
    for (const { ref } of moves) {
      const name = ref.replace('refs/heads/', '')
      this.calls.push(name)
      await this.before(name, report)
    }
    await (await this.#open(projectId)).updateRefs(moves, { journal: true })
  }

  async followTags(_projectId: string, { names }: TagsPush, report: Report): Promise<void> {
    report(`tags: ${names.join(', ')}`)
  }

  async #move(
    projectId: string,
    name: string,
    { old, new: value }: { readonly old: string | null; readonly new: string | null },
    report: Report,
  ): Promise<void> {
    this.calls.push(name)
    await this.before(name, report)
    await (await this.#open(projectId)).updateRefs([{ ref: `refs/heads/${name}`, old, new: value }])
    if (value !== null) report(`https://docs--${name}.example.com`)
  }
}
