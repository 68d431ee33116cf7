import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract } from '#contract/index.ts'
import { median } from '#scripts/tools/bench/machine.ts'
import { createProject, unlimited } from '#test/support/service-process.ts'
import { Ledger } from './ledger.ts'
import { git } from './git.ts'
import { Publisher } from './publisher.ts'
import { Pusher } from './pusher.ts'
import { Random } from './random.ts'
import { KilledService, watchCollections } from './service.ts'
import { boardOf, boardPath, ownPath, ownText } from './texts.ts'
import {
  findDamage,
  findDisagreement,
  findDuplicatePublishes,
  findLostCommits,
  findLostContent,
  findStuckLocks,
  findStuckPreviews,
  noFindings,
  type Findings,
} from './verify.ts'
import { World } from './world.ts'
import { Writer } from './writer.ts'

export interface StormOptions {
  readonly kills: number
  /** Seconds between a start and its kill. */
  readonly seconds: readonly [from: number, to: number]
  /** Seconds after which nobody is killed any more, whatever the number. */
  readonly deadline: number
  readonly seed: number
  readonly writers: number
  readonly pushers: number
  readonly publishers: number
  /** Told of what happens. */
  readonly onProgress?: (line: string) => void
}

export interface StormReport {
  readonly figures: readonly (readonly [label: string, value: string | number])[]
  /** What went wrong, in sentences. Empty: nothing. */
  readonly problems: readonly string[]
  readonly kills: number
  readonly acknowledged: number
}

const slug = 'storm'
/** Two writers on each of the first; some developers push to branches that others save to. */
const sharedBranches = ['guide', 'docs/intro', 'docs_intro', 'docs-intro']

/**
 * Writers save, developers push, others publish and update, garbage is collected, and all the while the service is
 * killed with SIGKILL and started again. Then looks whether it kept what it had acknowledged.
 */
export async function storm(options: StormOptions): Promise<StormReport> {
  const directory = await mkdtemp(join(tmpdir(), 'quire-storm-'))
  const data = join(directory, 'data')
  const service = new KilledService(data, { ...unlimited, LOG_LEVEL: 'error', GC_EVERY: '40' })
  try {
    await service.start()
    return await run(options, { directory, repository: join(data, `${slug}.git`), service })
  } finally {
    await service.stop()
    // A killed service leaves git processes behind, which end by themselves.
    await rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
  }
}

interface Place {
  readonly directory: string
  readonly repository: string
  readonly service: KilledService
}

async function run(options: StormOptions, place: Place): Promise<StormReport> {
  const { service, repository } = place
  const began = performance.now()
  const world = await openWorld(options, service)
  const crew = await gather(options, world, join(place.directory, 'clones'))
  const collections = watchCollections(repository)
  const publisher = new Publisher(world)
  const publishers = Array.from({ length: options.publishers }, () => publisher.run())
  const [from, to] = options.seconds
  let acknowledged = 0
  const working = Promise.all([...publishers, ...crew.map((member) => member.run())])
  // Whoever fails is heard below; until then the service goes on being killed.
  working.catch(() => undefined)
  try {
    await service.killAgainAndAgain({
      kills: options.kills,
      life: () => world.random.between(from * 1000, to * 1000),
      until: began + options.deadline * 1000,
      worked: () => world.ledger.acknowledged.length > acknowledged,
      onKill: (kills) => {
        acknowledged = world.ledger.acknowledged.length
        if (kills % 20 === 0)
          options.onProgress?.(`${kills} kills, ${world.ledger.acknowledged.length} commits acknowledged`)
      },
    })
  } finally {
    world.stopping = true
    await working
    collections.stop()
  }
  const stormed = performance.now() - began
  options.onProgress?.(`${service.kills} kills in ${(stormed / 1000).toFixed(0)} s; now the last one, and the count`)
  await service.kill()
  await service.start()
  const subject = { repository, ledger: world.ledger, project: world.project, port: service.running.port }
  const findings = noFindings()
  await findLostCommits(subject, findings)
  await findStuckPreviews(subject, findings)
  for (const branch of (await publisher.branches()) ?? []) await publisher.publish(branch)
  await findLostContent(subject, findings)
  const published = await findDuplicatePublishes(subject, findings)
  await findDisagreement(subject, findings)
  const commits = await git(repository, 'rev-list', '--count', '--all')
  await findStuckLocks(subject, findings)
  await service.stop()
  await findDamage(subject, findings)
  return report({ options, world, service, findings, stormed, commits, published, collections: collections.count() })
}

async function openWorld(options: StormOptions, service: KilledService): Promise<World> {
  const { url } = service.running
  const project = await createProject(url, slug)
  const names = [...crewNames('writer', options.writers), ...crewNames('pusher', options.pushers)]
  await project.client.call(contract.deploys.create, {
    body: {
      files: [
        { path: 'index.md', content: '# Storm\n' },
        { path: boardPath(0), content: boardOf([]) },
        ...names.map((name) => ({ path: ownPath(name), content: ownText(name, 0) })),
      ],
    },
  })
  const cloneUrl = `${url.replace('http://', `http://anybody:${project.key}@`)}/git/${slug}.git`
  return new World({ project, ledger: new Ledger(), random: new Random(options.seed), cloneUrl })
}

const crewNames = (kind: string, count: number): string[] => Array.from({ length: count }, (_, i) => `${kind}-${i + 1}`)

async function gather(options: StormOptions, world: World, home: string): Promise<{ run(): Promise<void> }[]> {
  await mkdir(home)
  const writers = crewNames('writer', options.writers).map((name, index) => {
    const shared = sharedBranches[index % (2 * sharedBranches.length)]
    return new Writer(world, name, shared ?? `alone/${name}`)
  })
  const pushers: Pusher[] = []
  for (const [index, name] of crewNames('pusher', options.pushers).entries()) {
    const shared = index % 2 === 0 ? undefined : sharedBranches[index % sharedBranches.length]
    pushers.push(await Pusher.open(world, { name, branch: shared ?? `push/${name}`, home }))
  }
  return [...writers, ...pushers]
}

function report(what: {
  readonly options: StormOptions
  readonly world: World
  readonly service: KilledService
  readonly findings: Findings
  readonly stormed: number
  readonly commits: string
  readonly published: number
  readonly collections: number
}): StormReport {
  const { options, world, service, findings } = what
  const { ledger } = world
  const kills = service.kills
  const problems = [
    ...Object.entries(findings).flatMap(([kind, lines]: [string, string[]]) => lines.map((line) => `${kind}: ${line}`)),
    ...ledger.unexpected.map((line) => `unexpected: ${line}`),
    ...service.mistakes.map((line) => `logged: ${line}`),
  ]
  if (kills < options.kills) problems.push(`only ${kills} of ${options.kills} kills before the deadline`)
  const seconds = (ms: number): string => `${(ms / 1000).toFixed(2)} s`
  return {
    kills,
    acknowledged: ledger.acknowledged.length,
    problems,
    figures: [
      ['writers by HTTP, by git push, publishers', `${options.writers}, ${options.pushers}, ${options.publishers}`],
      ['kills (SIGKILL)', kills],
      ['run', seconds(what.stormed)],
      ['restart until healthy, median', seconds(median(service.starts))],
      ['restart until healthy, worst', seconds(Math.max(...service.starts))],
      ...ledger.figures(),
      ['collections of garbage seen', what.collections],
      ['publishes on main, all told', what.published],
      ['commits in the repository', Number(what.commits)],
      ['acknowledged commits checked', ledger.acknowledged.length],
      ['acknowledged lines checked', [...ledger.lines.values()].reduce((sum, lines) => sum + lines.size, 0)],
      ['lost', findings.lost.length],
      ['duplicates', findings.duplicates.length],
      ['stuck locks', findings.locks.length],
      ['fsck problems', findings.damage.length],
      ['main, pointer, refs, previews apart', findings.apart.length],
      ['unexpected refusals', ledger.unexpected.length],
      ['mistakes logged by the service', service.mistakes.length],
    ],
  }
}
