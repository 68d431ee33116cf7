import { branchPrefix, checkBranchName, mainRef, staleRef } from '../content/refs/ref-names.ts'
import type { Command } from '../content/push/commands.ts'
import type { AtomicPush, BranchPush, MainPush, PushTarget, TagsPush } from '../content/push/delivery.ts'
import type { Oid, RefUpdate, Repository } from '../content/repository.ts'
import type { ErrorDetail } from '../contract/common.ts'
import type { DeployEvent } from '../contract/deploys.ts'
import { Failure } from '../contract/failure.ts'
import type { CommitContent, ContentSource } from '../deploying/content-source.ts'
import { failureOfDeploy } from '../deploying/deploys.ts'
import { eachInTurns } from '../lib/slices.ts'
import type { BranchRefs } from './branch-refs.ts'
import type { Reserved } from '../usage/usage.ts'
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

/** Branches of a push that are put on record at once: a change of the document looks through all of them. */
const settledAtOnce = 8

interface PushesParts {
  readonly ports: Pick<BranchingPorts, 'deploys' | 'hosting' | 'log' | 'repositories' | 'reserveBranch' | 'urlOf'>
  readonly refs: BranchRefs
  readonly previews: Pick<Previews, 'pending' | 'settled'>
}

/** A push to main: what was pushed becomes main, unless main or a ref that moves with it has moved since. Failure `stale_ref`. */
class PushedCommit implements ContentSource {
  readonly kind = 'push'
  readonly retries = true
  readonly #repository: Repository
  readonly #push: MainPush
  readonly #refs: readonly RefUpdate[]

  constructor(repository: Repository, push: MainPush, refs: readonly RefUpdate[]) {
    this.#repository = repository
    this.#push = push
    this.#refs = refs
  }

  async prepare(main: Oid | null): Promise<CommitContent> {
    if (main !== this.#push.old) {
      throw new Failure('stale_ref', 'main has moved since you fetched it.', { hint: 'Fetch, merge and push again.' })
    }
    for (const { ref, old = null } of this.#refs) {
      const now = await this.#repository.resolveRef(ref)
      if (now !== old) throw staleRef(ref, old, now)
    }
    return { type: 'commit', commit: this.#push.new, refs: this.#refs }
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

  deployMain(projectId: string, push: MainPush, report: Report): Promise<void> {
    return this.#deploy(projectId, push, { report, refs: [] })
  }

  async followTags(projectId: string, { names, author }: TagsPush, report: Report): Promise<void> {
    const { deploys, hosting, log } = this.#parts.ports
    try {
      const live = await deploys.liveContent(projectId)
      const release = live === null ? null : await (await hosting.open(projectId)).read(live.release)
      const shown = names.filter((name) => release?.tags?.[name] !== undefined)
      if (live === null || shown.length === 0) return
      report(`The site shows ${shown.join(', ')}: it is built with what is there now.`)
      const { commit } = live
      await this.#deploy(projectId, { old: commit, new: commit, author }, { report, refs: [] })
    } catch (error) {
      // The tags have moved.
      if (!(error instanceof Failure)) log.error({ err: error, projectId }, 'a site could not follow its tags')
      report(error instanceof Failure ? `The site stays as it was: ${error.message}` : 'The site stays as it was.')
      if (error instanceof Failure) tellDetails(error.errors, { report, kind: 'error', total: error.errors.length })
    }
  }

  async moveTogether(projectId: string, { moves, author }: AtomicPush, report: Report): Promise<void> {
    const { refs } = this.#parts
    const main = moves.find(({ ref }) => ref === mainRef)
    const others = moves.filter((move) => move !== main)
    const branches = others.filter(({ ref }) => ref.startsWith(branchPrefix)).map(branchOf)
    // What an older branch of the name left after a crash is not taken for the record of the new one.
    for (const { name, old } of branches) if (old === null) await refs.follow(projectId, name)
    await this.#withBranchesReserved(projectId, branches, async () => {
      if (main !== undefined) {
        if (main.new === null) throw new Error('a push deletes main')
        await this.#deploy(projectId, { old: main.old, new: main.new, author }, { report, refs: others })
        return
      }
      const names = branches.map(({ name }) => name)
      const unlock = await refs.lockAll(projectId, names)
      try {
        const repository = await this.#parts.ports.repositories.open(projectId)
        await repository.updateRefs(others, { journal: true })
      } finally {
        unlock()
      }
    })
    const followed: { readonly record: BranchRecord; readonly head: Oid }[] = []
    const follow = async (branch: PushedBranch): Promise<void> => {
      const found = await this.#followed(projectId, branch)
      if (found !== null) followed.push(found)
    }
    await eachInTurns(branches, follow, settledAtOnce)
    for (const { record, head } of followed) await this.#tellPreview(record, head, report)
  }

  /** The refs have moved: what cannot follow now does when somebody next looks at the branches. */
  async #followed(projectId: string, { name, new: head }: PushedBranch) {
    try {
      const record = await this.#parts.refs.follow(projectId, name)
      return record === null || head === null ? null : { record, head }
    } catch (error) {
      this.#parts.ports.log.error({ err: error, projectId }, 'the record of a pushed branch could not follow it')
      return null
    }
  }

  /** Work that makes branches: each counts as a generation of the plan, unless the work fails. */
  async #withBranchesReserved(
    projectId: string,
    branches: readonly PushedBranch[],
    work: () => Promise<void>,
  ): Promise<void> {
    const reserved: Reserved[] = []
    const settle = (used: 0 | 1) => eachInTurns(reserved, (reservation) => reservation.settle(used), settledAtOnce)
    try {
      for (const { ref, name, old } of branches) {
        if (old !== null) continue
        const reservation = await this.#parts.ports.reserveBranch(projectId).catch(aboutRef(ref))
        reserved.push(reservation)
        await reservation.hold(name)
      }
      await work()
    } catch (error) {
      await settle(0)
      throw error
    }
    await settle(1).catch((error: unknown) => {
      // They are held: the next start settles them.
      this.#parts.ports.log.error({ err: error, projectId }, 'pushed branches could not be counted')
    })
  }

  async #deploy(
    projectId: string,
    push: MainPush,
    { report, refs }: { readonly report: Report; readonly refs: readonly RefUpdate[] },
  ): Promise<void> {
    const { deploys, repositories } = this.#parts.ports
    const repository = await repositories.open(projectId)
    const [subject = ''] = (await repository.readCommit(push.new)).message.split('\n')
    const message = subject === '' ? {} : { message: subject.slice(0, 200) }
    const trigger = { projectId, author: push.author, receivedAt: performance.now(), ...message }
    const accepted = await deploys.run(trigger, new PushedCommit(repository, push, refs))
    const stop = await deploys.follow(projectId, accepted.deploy.id, tellProgress(report))
    try {
      const deploy = await accepted.finished
      const failure = failureOfDeploy(deploy)
      if (failure !== null) throw failure
      // Of pages that stay as they were.
      tellDetails(deploy.errors, { report, kind: 'error', total: deploy.counts.errors })
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
    tellDetails(build.errors, { report, kind: 'error', total: build.counts.errors })
    tellDetails(build.warnings, { report, kind: 'warning', total: build.counts.warnings })
    report(`It shows your push: ${pagesText(build.pages)} in ${seconds(build.durationMs)}.`)
  }
}

interface PushedBranch extends Command {
  readonly name: string
}

function branchOf(command: Command): PushedBranch {
  return { ...command, name: command.ref.slice(branchPrefix.length) }
}

/** For `catch`: the same refusal, about a ref. */
function aboutRef(ref: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof Failure)) throw error
    const { code, message, hint, errors, retryAfter, extra } = error
    throw new Failure(code, message, {
      ...(hint === undefined ? {} : { hint }),
      ...(retryAfter === undefined ? {} : { retryAfter }),
      errors,
      extra: { ...extra, ref },
    })
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
