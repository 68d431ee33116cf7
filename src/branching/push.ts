import { checkBranchName } from '../content/refs/ref-names.ts'
import type { BranchPush, MainPush, PushTarget } from '../content/push/receive-pack.ts'
import type { Oid } from '../content/repository.ts'
import type { ErrorDetail } from '../contract/common.ts'
import type { DeployEvent } from '../contract/deploys.ts'
import { Failure } from '../contract/failure.ts'
import type { CommitContent, ContentSource } from '../deploying/content-source.ts'
import { failureOfDeploy } from '../deploying/deploys.ts'
import type { BranchRefs } from './branch-refs.ts'
import type { BranchingPorts } from './ports.ts'
import type { Previews } from './previews.ts'
import type { BranchRecord } from './registry.ts'

/** How long a push waits for the preview that it caused, and for its turn among those of other branches. */
const previewWaitMs = 30_000
const queueWaitMs = 2_000
/** Lines of errors or warnings that a terminal is told. */
const maxLines = 20
const progressEveryMs = 1_000

type Report = (line: string) => void

interface PushesParts {
  readonly ports: Pick<BranchingPorts, 'deploys' | 'repositories' | 'urlOf'>
  readonly refs: BranchRefs
  readonly previews: Pick<Previews, 'pending' | 'settled'>
}

/** A push to main: what was pushed becomes main, unless main has moved since. Failure `stale_ref`. */
class PushedCommit implements ContentSource {
  readonly kind = 'push'
  readonly retries = true
  readonly #push: MainPush

  constructor(push: MainPush) {
    this.#push = push
  }

  async prepare(main: Oid | null): Promise<CommitContent> {
    if (main !== this.#push.old) {
      throw new Failure('stale_ref', 'main has moved since you fetched it.', { hint: 'Fetch, merge and push again.' })
    }
    return { type: 'commit', commit: this.#push.new }
  }
}

/** Where pushes arrive: a push to a branch is a save, a push to main is a deploy. */
export class Pushes implements PushTarget {
  readonly #parts: PushesParts

  constructor(parts: PushesParts) {
    this.#parts = parts
  }

  async saveBranch(projectId: string, { name, old, new: head }: BranchPush, report: Report): Promise<void> {
    const { refs } = this.#parts
    checkBranchName(name)
    if (head === null) return refs.removeAt(projectId, name, old)
    const record =
      old === null
        ? await refs.create(projectId, name, async () => head)
        : await refs.moveTo(projectId, name, { old, head })
    await this.#tellPreview(record, head, report)
  }

  async deployMain(projectId: string, push: MainPush, report: Report): Promise<void> {
    const { deploys, repositories } = this.#parts.ports
    const repository = await repositories.open(projectId)
    const [subject = ''] = (await repository.readCommit(push.new)).message.split('\n')
    const message = subject === '' ? {} : { message: subject.slice(0, 200) }
    const trigger = { projectId, author: push.author, receivedAt: performance.now(), ...message }
    const accepted = await deploys.run(trigger, new PushedCommit(push))
    const stop = await deploys.follow(projectId, accepted.deploy.id, tellProgress(report))
    try {
      const deploy = await accepted.finished
      const failure = failureOfDeploy(deploy)
      if (failure !== null) throw failure
      tellDetails(deploy.warnings, { report, kind: 'warning', total: deploy.counts.warnings })
      report(`Live at ${deploy.url}: ${pagesText(deploy.pages)} in ${seconds(deploy.durationMs ?? 0)}.`)
    } finally {
      stop()
    }
  }

  async #tellPreview(record: BranchRecord, head: Oid, report: Report): Promise<void> {
    const { previews, ports } = this.#parts
    const url = ports.urlOf(record.label)
    report(`Preview: ${url}`)
    if (!(await previews.settled(record, queueWaitMs))) {
      if (previews.pending(record) === 'queued') {
        report('It waits for the previews of other branches; reload the page in a while.')
        return
      }
      if (!(await previews.settled(record, previewWaitMs))) {
        report('It is still being built; reload the page in a while.')
        return
      }
    }
    const { build } = record
    if (record.gone || build === undefined) return
    if (build.status === 'failed') {
      const served = record.served === undefined ? 'There is no preview yet.' : 'The preview stays as it was.'
      report(`The site does not build. ${served}`)
      tellDetails(build.errors, { report, kind: 'error', total: build.counts.errors })
      return
    }
    if (build.commit !== head) report('A newer save came in between; the preview shows that one.')
    tellDetails(build.warnings, { report, kind: 'warning', total: build.counts.warnings })
    report(`It shows your push: ${pagesText(build.pages)} in ${seconds(build.durationMs)}.`)
  }
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
  for (const detail of details.slice(0, maxLines)) report(`${kind}: ${positionOf(detail)}${detail.message}`)
  const left = total - Math.min(details.length, maxLines)
  if (left > 0) report(`and ${left} more ${kind}${left === 1 ? '' : 's'}`)
}

function positionOf({ path, line, column }: ErrorDetail): string {
  if (path === undefined) return ''
  return `${[path, line, column].filter((part) => part !== undefined).join(':')}: `
}

function pagesText({ total, built }: { readonly total: number; readonly built: number }): string {
  return `${total} ${total === 1 ? 'page' : 'pages'}, ${built} of them built`
}

function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(2)} s`
}
