import { branchRef, checkBranchName } from '../content/refs/ref-names.ts'
import type { BranchPush, MainPush, PushTarget } from '../content/push/receive-pack.ts'
import type { Oid } from '../content/repository.ts'
import type { ErrorDetail } from '../contract/common.ts'
import type { DeployEvent } from '../contract/deploys.ts'
import { Failure } from '../contract/failure.ts'
import type { Creation } from './creation.ts'
import { mutexKey, type Heads } from './heads.ts'
import type { BranchingPorts } from './ports.ts'
import type { Previews } from './previews.ts'
import type { Entry, Registry } from './registry.ts'
import type { KeyedMutex } from '../lib/keyed-mutex.ts'

/** How long a push waits for the preview that it caused. */
const previewWaitMs = 30_000
/** Lines of errors or warnings that a terminal is told. */
const maxLines = 20
const progressEveryMs = 1_000

type Report = (line: string) => void

interface PushesOptions {
  readonly ports: BranchingPorts
  readonly heads: Heads
  readonly registry: Registry
  readonly mutex: KeyedMutex
  readonly previews: Previews
  readonly creation: Creation
}

/** Where pushes arrive: a push to a branch is a save, a push to main is a deploy. */
export class Pushes implements PushTarget {
  readonly #options: PushesOptions

  constructor(options: PushesOptions) {
    this.#options = options
  }

  async saveBranch(slug: string, push: BranchPush, report: Report): Promise<void> {
    checkBranchName(push.name)
    if (push.new === null) return this.#delete(slug, push)
    const { creation } = this.#options
    const entry =
      push.old === null
        ? await creation.create(slug, push.name, async () => push.new ?? '')
        : await this.#move(slug, push, push.new)
    await this.#tellPreview(entry, push.new, report)
  }

  async deployMain(slug: string, push: MainPush, report: Report): Promise<void> {
    const { deploys, repositories } = this.#options.ports
    const repository = await repositories.open(slug)
    const [subject = ''] = (await repository.readCommit(push.new)).message.split('\n')
    const accepted = await deploys.land(
      {
        slug,
        author: push.author,
        receivedAt: performance.now(),
        ...(subject === '' ? {} : { message: subject.slice(0, 200) }),
      },
      async () => ({
        kind: 'push',
        find: async (main) => {
          if (main !== push.old) throw movedMeanwhile('main')
          return { commit: push.new, refs: [], settle: () => undefined }
        },
      }),
    )
    const stop = await deploys.follow(slug, accepted.deploy.id, tellProgress(report))
    try {
      const deploy = await accepted.finished
      const failure = deploys.failureOf(deploy)
      if (failure !== null) throw failure
      tellDetails(deploy.warnings, { report, kind: 'warning', total: deploy.counts.warnings })
      report(`Live at ${deploy.url}: ${pagesText(deploy.pages)} in ${seconds(deploy.durationMs ?? 0)}.`)
    } finally {
      stop()
    }
  }

  async #move(slug: string, { name, old }: BranchPush, head: Oid): Promise<Entry> {
    const { ports, registry, mutex, previews } = this.#options
    return mutex.run(mutexKey({ slug, name }), async () => {
      const repository = await ports.repositories.open(slug)
      await repository.updateRefs([{ ref: branchRef(name), old, new: head }])
      const entry = await registry.ensure(slug, name)
      previews.request(entry)
      return entry
    })
  }

  async #delete(slug: string, { name, old }: BranchPush): Promise<void> {
    const { ports, registry, mutex, heads } = this.#options
    await mutex.run(mutexKey({ slug, name }), async () => {
      const repository = await ports.repositories.open(slug)
      await repository.updateRefs([{ ref: branchRef(name), old, new: null }])
      const entry = registry.byName(slug, name)
      if (entry !== undefined) await heads.forget(entry)
    })
  }

  async #tellPreview(entry: Entry, head: Oid, report: Report): Promise<void> {
    const { previews, ports } = this.#options
    const url = ports.urlOf(entry.label)
    report(`Preview: ${url}`)
    if (!(await previews.settled(entry, previewWaitMs))) {
      report('It is still being built; reload the page in a while.')
      return
    }
    const { build } = entry
    if (entry.gone || build === undefined) return
    if (build.status === 'failed') {
      const served = entry.served === undefined ? 'There is no preview yet.' : 'The preview stays as it was.'
      report(`The site does not build. ${served}`)
      tellDetails(build.errors, { report, kind: 'error', total: build.counts.errors })
      return
    }
    if (build.commit !== head) report('A newer save came in between; the preview shows that one.')
    tellDetails(build.warnings, { report, kind: 'warning', total: build.counts.warnings })
    report(`It shows your push: ${pagesText(build.pages)} in ${seconds(build.durationMs)}.`)
  }
}

function movedMeanwhile(name: string): Failure {
  return new Failure('stale_ref', `${name} has moved since you fetched it.`, { hint: 'Fetch, merge and push again.' })
}

function tellProgress(report: Report): (event: DeployEvent) => void {
  let last = performance.now()
  return (event) => {
    if (event.type === 'stage' && event.stage === 'build') report('Building the site …')
    if (event.type !== 'progress' || performance.now() - last < progressEveryMs) return
    last = performance.now()
    report(`${event.done} of ${event.total} pages`)
  }
}

function tellDetails(
  details: readonly ErrorDetail[],
  { report, kind, total }: { readonly report: Report; readonly kind: string; readonly total: number },
): void {
  for (const detail of details.slice(0, maxLines)) report(`${kind}: ${placeOf(detail)}${detail.message}`)
  const left = total - Math.min(details.length, maxLines)
  if (left > 0) report(`and ${left} more ${kind}${left === 1 ? '' : 's'}`)
}

function placeOf({ path, line, column }: ErrorDetail): string {
  if (path === undefined) return ''
  return `${[path, line, column].filter((part) => part !== undefined).join(':')}: `
}

function pagesText({ total, built }: { readonly total: number; readonly built: number }): string {
  return `${total} ${total === 1 ? 'page' : 'pages'}, ${built} of them built`
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(2)} s`
}
