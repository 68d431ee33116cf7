import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { contract } from '#contract/index.ts'
import { commitFiles } from '#test/support/developer.ts'
import { git } from '#test/support/git-service.ts'
import {
  createProject,
  startService,
  unlimited,
  type ProjectAccess,
  type ServiceProcess,
} from '#test/support/service-process.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

const run = promisify(execFile)

/** What somebody asks of the service again and again, until it is refused. */
interface Work {
  readonly name: string
  /** Resolves with how to see, on the next start, that it happened; throws what it was refused with. */
  readonly once: (round: number) => Promise<(() => Promise<void>) | undefined>
  /** Sees, on the next start, that what this round began did not happen. */
  readonly didNot: (round: number) => Promise<void>
}

/**
 * How a request may end when the service does; nothing else is an answer. Refused in words, or nobody listens any more.
 * Or reset: the system does that to connections which it made while the service closed its ear, and never handed over.
 */
const refusals = [/about to stop/, /ECONNREFUSED/, /ECONNRESET/, /Connection reset by peer/]

function isRefusal(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const said = `${cause.message} ${(cause as NodeJS.ErrnoException).code}`
    if (refusals.some((words) => words.test(said))) return true
  }
  return false
}

async function repeat(work: Work, told: { checks: (() => Promise<void>)[]; problems: unknown[] }): Promise<void> {
  for (let round = 1; ; round++) {
    try {
      const check = await work.once(round)
      if (check !== undefined) told.checks.push(check)
    } catch (error) {
      if (isRefusal(error)) told.checks.push(() => work.didNot(round))
      else told.problems.push(work.name, error)
      return
    }
  }
}

/** Git as a developer runs it. Refusals of the service are told in its words, and by curl that nobody listens. */
async function gitOnce(...args: Parameters<typeof git>): Promise<string> {
  const [directory, ...rest] = args
  try {
    const { stdout } = await run('git', ['-C', directory, ...rest])
    return stdout
  } catch (error) {
    const { stderr = '' } = error as { stderr?: string }
    const isRefused = /error: 503|Failed to connect|Connection refused/i.test(stderr)
    throw new Error(isRefused ? `about to stop: ${stderr}` : stderr, { cause: error })
  }
}

/** As many deploys as there were at first and in the rounds before this one. */
async function expectDeploys({ client, slug }: ProjectAccess, round: number): Promise<void> {
  const { items } = await client.call(contract.deploys.list, { params: { slug }, query: { limit: 100 } })
  expect(items).toHaveLength(round)
}

it.each([50, 400, 900, 1600])(
  'whoever is answered when the service ends after %i ms is told the truth',
  async (afterMs) => {
    const directory = await temporaryDirectory()
    const home = await temporaryDirectory()
    const settings = { ...unlimited, DRAIN_SECONDS: '60' }
    const first = await startService(directory, settings)
    const told = { checks: [] as (() => Promise<void>)[], problems: [] as unknown[] }
    let running: ServiceProcess = first
    try {
      const names = ['deploys', 'saves', 'publishes', 'pushes', 'clones'] as const
      const of = Object.fromEntries(
        await Promise.all(names.map(async (name) => [name, await createProject(first.url, name)] as const)),
      ) as Record<(typeof names)[number], Awaited<ReturnType<typeof createProject>>>
      const page = (text: string) => [{ path: 'index.mdx', content: `# ${text}\n` }]
      for (const { client } of Object.values(of))
        await client.call(contract.deploys.create, { body: { files: page('Hello') } })
      const params = (slug: string) => ({ slug })
      const branch = await of.saves.client.call(contract.branches.create, {
        params: params('saves'),
        body: { name: 'draft' },
      })
      const urlOf = ({ slug, key }: { slug: string; key: string }) =>
        `${first.url.replace('http://', `http://me:${key}@`)}/git/${slug}.git`
      await git(home, 'clone', '--quiet', urlOf(of.pushes), 'pushing')
      const pushing = join(home, 'pushing')

      const works: readonly Work[] = [
        {
          name: 'deploys',
          once: async (round) => {
            const files = page(`Deploy ${round}`)
            const { id } = await of.deploys.client.call(contract.deploys.create, { body: { files } })
            return async () => {
              const { status } = await of.deploys.client.call(contract.deploys.read, {
                params: { slug: 'deploys', id },
              })
              expect(['live', 'superseded']).toContain(status)
            }
          },
          didNot: (round) => expectDeploys(of.deploys, round),
        },
        {
          name: 'saves',
          once: async (round) => {
            const { client } = of.saves
            const path = `page-${round}.mdx`
            const saved = await client.call(contract.branches.saveFile, {
              params: { slug: 'saves', id: branch.id, path },
              body: { content: `# ${round}\n` },
            })
            return async () => {
              const file = await client.call(contract.branches.readFile, {
                params: { slug: 'saves', id: branch.id, path },
              })
              expect(file.oid).toBe(saved.oid)
            }
          },
          didNot: async (round) => {
            const missing = of.saves.client.call(contract.branches.readFile, {
              params: { slug: 'saves', id: branch.id, path: `page-${round}.mdx` },
            })
            await expect(missing).rejects.toMatchObject({ code: 'not_found' })
          },
        },
        {
          name: 'publishes',
          once: async (round) => {
            const { client } = of.publishes
            const slug = 'publishes'
            const { id } = await client.call(contract.branches.create, {
              params: { slug },
              body: { name: `b${round}` },
            })
            const path = `page-${round}.mdx`
            await client.call(contract.branches.saveFile, {
              params: { slug, id, path },
              body: { content: `# ${round}\n` },
            })
            const deploy = await client.call(contract.branches.publish, { params: { slug }, body: { branchId: id } })
            return async () => {
              const { status } = await client.call(contract.deploys.read, { params: { slug, id: deploy.id } })
              expect(['live', 'superseded']).toContain(status)
              const gone = client.call(contract.branches.read, { params: { slug, id } })
              await expect(gone).rejects.toMatchObject({ code: 'not_found' })
            }
          },
          didNot: (round) => expectDeploys(of.publishes, round),
        },
        {
          name: 'pushes',
          once: async (round) => {
            const commit = await commitFiles(pushing, { 'index.mdx': `# Push ${round}\n` })
            await gitOnce(pushing, 'push', '--quiet', 'origin', `HEAD:refs/heads/push-${round}`)
            return async () => {
              const { items } = await of.pushes.client.call(contract.branches.list, {
                params: { slug: 'pushes' },
                query: { name: `push-${round}` },
              })
              expect(items[0]?.head).toBe(commit)
            }
          },
          didNot: async (round) => {
            const query = { name: `push-${round}` }
            const { items } = await of.pushes.client.call(contract.branches.list, { params: { slug: 'pushes' }, query })
            expect(items).toEqual([])
          },
        },
        {
          name: 'clones',
          once: async (round) => {
            await gitOnce(home, 'clone', '--quiet', urlOf(of.clones), `clone-${round}`)
            return undefined
          },
          didNot: () => Promise.resolve(),
        },
      ]
      const all = Promise.all(works.map((work) => repeat(work, told)))
      await sleep(afterMs)
      await first.stop()
      await all
      expect(told.problems).toEqual([])
      expect(first.child.exitCode).toBe(0)

      running = await startService(directory, settings, first.port)
      for (const check of told.checks) await check()
    } finally {
      await running.stop()
    }
  },
)
