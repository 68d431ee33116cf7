import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { contract } from '#contract/index.ts'
import { environmentOf } from '#scripts/tools/soak/git.ts'
import { createProject, type ProjectAccess, type ServiceProcess } from '#test/support/service-process.ts'
import { getSite } from '#test/support/site.ts'

const run = promisify(execFile)
const slug = 'quiet'
const pages = 5

export const operations = ['deploy', 'save', 'clone', 'push', 'page view'] as const
export type Operation = (typeof operations)[number]

/** An account with one small project, that does what everybody does. */
export class Neighbour {
  readonly #service: ServiceProcess
  readonly #project: ProjectAccess
  readonly #branch: string
  /** Room for its clones. */
  readonly #home: string
  #turn = 0

  private constructor(
    service: ServiceProcess,
    project: ProjectAccess,
    place: { readonly branch: string; readonly home: string },
  ) {
    this.#service = service
    this.#project = project
    this.#branch = place.branch
    this.#home = place.home
  }

  /** @param home folder that is there. */
  static async moveIn(service: ServiceProcess, home: string): Promise<Neighbour> {
    const project = await createProject(service.url, slug)
    await project.client.call(contract.deploys.create, { body: { files: filesOf(0) } })
    const { id } = await project.client.call(contract.branches.create, { params: { slug }, body: { name: 'saved' } })
    const neighbour = new Neighbour(service, project, { branch: id, home })
    await git(home, ['clone', '--quiet', neighbour.#remote, 'work'])
    return neighbour
  }

  /** Milliseconds that one took; throws what it was refused with. */
  async measure(operation: Operation, signal: AbortSignal): Promise<number> {
    this.#turn += 1
    const turn = this.#turn
    const work = join(this.#home, 'work')
    if (operation === 'push') {
      await writeFile(join(work, 'index.md'), textOf(0, turn))
      await git(work, ['commit', '--quiet', '--all', '--message', `Turn ${turn}`])
    }
    const began = performance.now()
    await this.#do(operation, { turn, work, signal })
    const took = performance.now() - began
    if (operation === 'clone') await rm(join(this.#home, 'clone'), { recursive: true })
    return took
  }

  async #do(
    operation: Operation,
    { turn, work, signal }: { readonly turn: number; readonly work: string; readonly signal: AbortSignal },
  ): Promise<void> {
    const { client } = this.#project
    switch (operation) {
      case 'deploy':
        await client.call(contract.deploys.create, { body: { files: filesOf(turn) }, signal })
        return
      case 'save': {
        const params = { slug, id: this.#branch, path: 'index.md' }
        const headers = { 'if-match': '*' }
        await client.call(contract.branches.saveFile, { params, body: { content: textOf(0, turn) }, headers, signal })
        return
      }
      case 'clone':
        await git(this.#home, ['clone', '--quiet', this.#remote, 'clone'], signal)
        return
      case 'push':
        await git(work, ['push', '--quiet', 'origin', 'HEAD:refs/heads/pushed'], signal)
        return
      case 'page view': {
        const { status } = await getSite(this.#service.port, `${slug}.localhost`, '/')
        if (status !== 200) throw new Error(`the page was answered with ${status}`)
      }
    }
  }

  get #remote(): string {
    return `${this.#service.url.replace('http://', `http://anybody:${this.#project.key}@`)}/git/${slug}.git`
  }
}

/** All files; the first is another one each turn. */
function filesOf(turn: number): { path: string; content: string }[] {
  return Array.from({ length: pages }, (_, index) => ({
    path: index === 0 ? 'index.md' : `guide/part-${index}.md`,
    content: textOf(index, index === 0 ? turn : 0),
  }))
}

function textOf(index: number, turn: number): string {
  return `---\ntitle: Part ${index}\n---\n\nWelcome, as of **turn ${turn}**.\n\n## Begin\n\n\`\`\`js\nconst turn = ${turn}\n\`\`\`\n`
}

async function git(cwd: string, args: readonly string[], signal?: AbortSignal): Promise<void> {
  await run('git', args, { cwd, signal, env: environmentOf('ada') })
}
