import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { contract } from '#contract/index.ts'
import { createProject, type ProjectAccess } from '#test/support/service-process.ts'

const run = promisify(execFile)

/** A project with a branch and an entry of its changelog. */
export interface LoadedProject extends ProjectAccess {
  readonly branch: string
}

/** One kind of work. Each turn does it once, and throws when the service refuses it. */
export interface Work {
  readonly name: string
  readonly once: (turn: number) => Promise<void>
  /** One at a time: the service refuses a second one. */
  readonly isAlone?: boolean
}

/** A few lines with code, as a page of documentation has them. */
export function pageOf(
  slug: string,
  number: number,
  turn: number,
): { readonly path: string; readonly content: string } {
  return {
    path: number === 0 ? 'index.mdx' : `guide/part-${number}.mdx`,
    content: `---\ntitle: Part ${number} of ${slug}\n---\n\nAs of turn ${turn}. Read the [first page](/).\n\n<Note>Keys are made in the *dashboard*.</Note>\n\n## Begin\n\n\`\`\`js\nimport { Client } from "${slug}"\n\nawait new Client().send(${turn})\n\`\`\`\n`,
  }
}

const pagesOf = (slug: string, count: number, turn: number) =>
  Array.from({ length: count }, (_, number) => pageOf(slug, number, turn))

/** Makes projects, eight at a time, each live with so many pages. */
export async function fillService(url: string, projects: number, pages: number): Promise<readonly LoadedProject[]> {
  const made: LoadedProject[] = []
  let next = 0
  const make = async (): Promise<void> => {
    for (let number = next++; number < projects; number = next++) {
      const slug = `project-${number}`
      const project = await createProject(url, slug)
      const { client } = project
      const params = { slug }
      await client.call(contract.deploys.create, { body: { files: pagesOf(slug, pages, -1) } })
      const { id } = await client.call(contract.branches.create, { params, body: { name: 'draft' } })
      made[number] = { ...project, branch: id }
    }
  }
  await Promise.all(Array.from({ length: 8 }, make))
  return made
}

/** @param directory for clones */
export function worksOf(
  url: string,
  projects: readonly LoadedProject[],
  options: { readonly pages: number; readonly directory: string },
): readonly Work[] {
  const at = (turn: number): LoadedProject => {
    const project = projects[turn % projects.length]
    if (project === undefined) throw new Error('There are no projects')
    return project
  }
  const deploy = async ({ client, slug }: ProjectAccess, turn: number): Promise<void> =>
    void (await client.call(contract.deploys.create, {
      body: { files: [...pagesOf(slug, options.pages, -1).slice(1), pageOf(slug, 0, turn)] },
    }))
  const { port } = new URL(url)
  return [
    { name: 'deploy, another project each time', once: (turn) => deploy(at(turn), turn) },
    { name: 'deploy, one project', once: (turn) => deploy(at(0), turn), isAlone: true },
    {
      name: 'save',
      once: async (turn) => {
        const { client, slug, branch } = at(turn)
        const params = { slug, id: branch, path: `page-${turn}.mdx` }
        await client.call(contract.branches.saveFile, { params, body: { content: `# ${turn}\n` } })
      },
    },
    { name: 'push', once: pushes(url, at, options.directory) },
    {
      name: 'page',
      once: reading(Number(port), (turn) => ({ host: `${at(turn).slug}.localhost:${port}`, path: '/' })),
    },
    {
      name: 'feed',
      once: reading(Number(port), (turn) => ({
        host: `localhost:${port}`,
        path: `/api/projects/${at(turn).slug}/changelog/atom`,
      })),
    },
  ]
}

/** A branch of one commit each time, from a clone of the project, which the first push of it makes. */
function pushes(url: string, at: (turn: number) => LoadedProject, directory: string): Work['once'] {
  const clones = new Map<string, Promise<string>>()
  const git = (folder: string, ...args: readonly string[]) =>
    run('git', ['-C', folder, '-c', 'user.name=Load', '-c', 'user.email=load@example.com', ...args])
  const clone = async ({ slug, key }: LoadedProject): Promise<string> => {
    const folder = join(directory, slug)
    await mkdir(folder, { recursive: true })
    await run('git', ['clone', '--quiet', `${url.replace('//', `//me:${key}@`)}/git/${slug}.git`, folder])
    return folder
  }
  const turns = new Map<string, Promise<unknown>>()
  const pushOne = async (project: LoadedProject, turn: number): Promise<void> => {
    const cloning = clones.get(project.slug) ?? clone(project)
    clones.set(project.slug, cloning)
    const folder = await cloning
    await writeFile(join(folder, 'index.mdx'), pageOf(project.slug, 0, turn).content)
    await git(folder, 'commit', '--quiet', '--all', '--message', `Turn ${turn}`)
    await git(folder, 'push', '--quiet', '--force', 'origin', 'HEAD:refs/heads/pushed')
  }
  return async (turn) => {
    const project = at(turn)
    // A clone is one person's: the next push of it waits.
    const before = turns.get(project.slug) ?? Promise.resolve()
    const pushing = before.catch(() => undefined).then(() => pushOne(project, turn))
    turns.set(project.slug, pushing)
    await pushing
  }
}

/** Reads over connections that are kept. */
export function reading(
  port: number,
  what: (turn: number) => { readonly host: string; readonly path: string },
): Work['once'] {
  const agent = new Agent({ keepAlive: true })
  return (turn) =>
    new Promise((resolve, reject) => {
      const { host, path } = what(turn)
      request({ host: '127.0.0.1', port, path, agent, headers: { host } }, (response) => {
        response.resume()
        response.once('error', reject)
        response.once('end', () =>
          response.statusCode === 200 ? resolve() : reject(new Error(`${path}: ${response.statusCode}`)),
        )
      })
        .on('error', reject)
        .end()
    })
}
