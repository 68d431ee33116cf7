import { contract } from '#contract/index.ts'
import type { Outcome } from './attempt.ts'
import type { OwnFile } from './ledger.ts'
import { boardOf, boardPath, linesOf, ownPath, ownText, saveOf, scratchPath } from './texts.ts'
import type { World } from './world.ts'

const fullBoard = 120

interface Read {
  readonly text: string
  readonly oid: string | null
  readonly commit: string
}

/**
 * A person at an editor: reads a file, saves it with `If-Match`, and after an error reads again to see whether the save
 * had happened before it is tried once more.
 */
export class Writer {
  readonly #world: World
  readonly #name: string
  readonly #branch: string
  readonly #own: OwnFile
  #id: string | null = null
  #lines = 0

  constructor(world: World, name: string, branch: string) {
    this.#world = world
    this.#name = name
    this.#branch = branch
    this.#own = { path: ownPath(name), branch, kept: 0, tried: 0 }
    world.ledger.ownFiles.push(this.#own)
  }

  async run(): Promise<void> {
    const { random } = this.#world
    while (!this.#world.stopping) {
      if (random.once(2)) await this.#saveOwn()
      else await this.#addLine()
      await this.#world.rest(20, 160)
    }
  }

  async #saveOwn(): Promise<void> {
    const { random } = this.#world
    const save = ++this.#own.tried
    const withScratch = random.once(6)
    while (!this.#world.stopping) {
      const now = await this.#read(this.#own.path)
      if (now === null) continue
      if (saveOf(now.text) === save) return this.#kept(save, now.commit, 'landed')
      const content = ownText(this.#name, save)
      const commit = withScratch ? await this.#saveBoth(content, now) : await this.#save(this.#own.path, content, now)
      if (commit !== null) return this.#kept(save, commit, 'saves')
    }
  }

  /** Files that many write: nobody’s line may go, and none may come twice. */
  async #addLine(): Promise<void> {
    const line = `- ${this.#name} on ${this.#branch}, line ${++this.#lines}`
    const path = boardPath(this.#world.board)
    while (!this.#world.stopping) {
      const now = await this.#read(path)
      if (now === null) continue
      const lines = linesOf(now.text)
      const landed = lines.includes(line)
      const commit = landed ? now.commit : await this.#save(path, boardOf([...lines, line]), now)
      if (commit === null) continue
      this.#world.ledger.keepLine(path, line)
      this.#acknowledge(commit, landed ? 'landed' : 'saves')
      if (lines.length >= fullBoard && path === boardPath(this.#world.board)) this.#world.board++
      return
    }
  }

  #kept(save: number, commit: string, how: 'landed' | 'saves'): void {
    this.#own.kept = save
    this.#acknowledge(commit, how)
  }

  #acknowledge(commit: string, how: 'landed' | 'saves'): void {
    const { ledger } = this.#world
    ledger.count(how)
    ledger.acknowledged.push({ commit, branch: this.#branch, by: this.#name })
  }

  /** Null: not known, try again. A file that is not there has no oid. */
  async #read(path: string): Promise<Read | null> {
    this.#id ??= await this.#world.branchId(this.#branch)
    const id = this.#id
    if (id === null) return null
    const { client, slug } = this.#world.project
    const file = await this.#world.send((signal) =>
      client.call(contract.branches.readFile, { params: { slug, id, path }, signal }),
    )
    if (file.kind === 'done') return { text: file.value.content, oid: file.value.oid, commit: file.value.commit }
    if (file.kind === 'unknown') return null
    if (file.failure.code !== 'not_found') this.#surprise('reading', file.failure.message)
    // Either the file or the branch is not there.
    const branch = await this.#world.send((signal) =>
      client.call(contract.branches.read, { params: { slug, id }, signal }),
    )
    if (branch.kind === 'done') return { text: '', oid: null, commit: branch.value.head }
    if (branch.kind === 'refused') this.#id = null
    return null
  }

  async #save(path: string, content: string, { oid }: Read): Promise<string | null> {
    const id = this.#id
    if (id === null) return null
    const { client, slug } = this.#world.project
    const headers: Record<string, string> = oid === null ? { 'if-none-match': '*' } : { 'if-match': `"${oid}"` }
    const saved = await this.#world.send((signal) =>
      client.call(contract.branches.saveFile, { params: { slug, id, path }, body: { content }, headers, signal }),
    )
    return this.#commitOf(saved)
  }

  /** Two files in one commit; the second comes and goes. */
  async #saveBoth(content: string, { oid }: Read): Promise<string | null> {
    const path = scratchPath(this.#name)
    const scratch = await this.#read(path)
    const id = this.#id
    if (scratch === null || id === null) return null
    const { client, slug } = this.#world.project
    const changes = [
      { path: this.#own.path, content, expectedOid: oid },
      { path, content: scratch.oid === null ? `# Scratch\n\n${this.#name}\n` : null, expectedOid: scratch.oid },
    ]
    const saved = await this.#world.send((signal) =>
      client.call(contract.branches.commit, { params: { slug, id }, body: { changes }, signal }),
    )
    return this.#commitOf(saved)
  }

  #commitOf(saved: Outcome<{ readonly commit: string }>): string | null {
    if (saved.kind === 'done') return saved.value.commit
    if (saved.kind === 'unknown') return null
    const { code, message } = saved.failure
    if (code === 'stale_file') this.#world.ledger.count('stale')
    else if (code === 'not_found') this.#id = null
    else if (code !== 'stale_ref') this.#surprise('saving', message)
    return null
  }

  #surprise(what: string, message: string): void {
    this.#world.ledger.unexpected.push(`${this.#name} ${what}: ${message}`)
  }
}
