import { deployPrefix, mainRef } from '../content/refs/ref-names.ts'
import type { Repository } from '../content/repository.ts'
import type { Lease } from '../storage/store.ts'
import type { DeployingPorts } from './ports.ts'
import type { DeployRecords } from './records.ts'
import type { DeployReports } from './reports.ts'
import type { DeployState, StoredDeploy } from './state.ts'

interface RecoveryParts {
  readonly ports: DeployingPorts
  readonly records: DeployRecords
  readonly reports: DeployReports
}

/**
 * Makes repository and records agree again. The ref transaction decides: a deploy of whose refs one has moved has
 * happened and is carried to its end, with the refs that have not; one of which none has moved has changed nothing and is
 * recorded as failed.
 */
export class Recovery {
  readonly #parts: RecoveryParts
  readonly #verified = new Set<string>()

  constructor(parts: RecoveryParts) {
    this.#parts = parts
  }

  /** Repository and records may differ: the next holder of the project's lock looks again. */
  verifyAgain(projectId: string): void {
    this.#verified.delete(projectId)
  }

  /** Looks once a process at a project whose lock the caller holds, and mends what a crash or a restored backup left. */
  async verify(projectId: string, repository: Repository, lease: Lease): Promise<void> {
    if (this.#verified.has(projectId)) return
    const refs = await repository.listRefs(deployPrefix)
    const numbers = new Map([...refs].map(([ref, oid]) => [Number(ref.slice(deployPrefix.length)), oid]))
    for (const deploy of (await this.#parts.records.state(projectId)).deploys.toReversed()) {
      if (deploy.status === 'building')
        await this.#resume(projectId, deploy, { repository, lease, commit: numbers.get(deploy.number) })
    }
    await this.#followMain(projectId, { repository, lease, numbers })
    const last = Math.max(0, ...numbers.keys())
    if ((await this.#parts.records.state(projectId)).next <= last)
      await this.#parts.records.skipNumbers(projectId, last + 1, lease)
    this.#verified.add(projectId)
  }

  async #resume(
    projectId: string,
    deploy: StoredDeploy,
    found: { readonly repository: Repository; readonly lease: Lease; readonly commit: string | undefined },
  ): Promise<void> {
    const { ports, records, reports } = this.#parts
    // Written before the refs moved; the summary alone would do, but knows less.
    const ready = (await reports.read(projectId, deploy.id)) ?? deploy
    if (await hasHappened(found.repository, ready, found.commit !== undefined)) {
      const commit = found.commit ?? ready.commit
      await this.#complete(projectId, { ...ready, ...(commit === undefined ? {} : { commit }) }, found)
      return
    }
    const finishedAt = ports.now().toISOString()
    const errors = [{ message: 'Interrupted by a restart; nothing changed.' }]
    const counts = { errors: 1, warnings: 0 }
    await records.fail(projectId, { ...deploy, status: 'failed', errors, counts, finishedAt }, found.lease, {
      forgetKey: true,
    })
    ports.log.warn({ projectId, deploy: deploy.id }, 'a deploy had been interrupted; nothing of it is kept')
  }

  async #complete(
    projectId: string,
    deploy: StoredDeploy,
    found: { readonly repository: Repository; readonly lease: Lease },
  ): Promise<void> {
    const { ports, records } = this.#parts
    const tree = deploy.tree ?? (await found.repository.readCommit(deploy.commit ?? '')).tree
    const finishedAt = deploy.finishedAt ?? ports.now().toISOString()
    await records.goLive(projectId, { ...deploy, tree, status: 'live', finishedAt }, found.lease)
    ports.log.warn(
      { projectId, deploy: deploy.id },
      'a deploy had been interrupted after its commit was live; carried to its end',
    )
  }

  /** Main is ahead of the records when these come from an older backup than the repository. */
  async #followMain(
    projectId: string,
    found: { readonly repository: Repository; readonly lease: Lease; readonly numbers: ReadonlyMap<number, string> },
  ): Promise<void> {
    const { ports, records } = this.#parts
    const state = await records.state(projectId)
    const main = await found.repository.resolveRef(mainRef)
    if (main === null || state.live?.commit === main) return
    const number = Math.max(0, ...[...found.numbers].filter(([, oid]) => oid === main).map(([n]) => n))
    const deploy = number === 0 ? null : await this.#findReport(projectId, number, state)
    const releases = await ports.hosting.open(projectId)
    if (deploy === null || (await releases.read(deploy.release)) === null) {
      ports.log.warn({ projectId, main }, 'main is not what is live, and its release is not kept: deploy again')
      return
    }
    await this.#complete(projectId, { ...deploy, commit: main }, found)
  }

  async #findReport(projectId: string, number: number, state: Readonly<DeployState>): Promise<StoredDeploy | null> {
    const known = state.deploys.find((deploy) => deploy.number === number)
    if (known !== undefined) return known
    for (const id of await this.#parts.reports.ids(projectId)) {
      const report = await this.#parts.reports.read(projectId, id)
      if (report !== null && report.number <= number) return report.number === number ? report : null
    }
    return null
  }
}

/**
 * Whether a deploy has happened: one of its refs has moved. Those that have not follow. A branch that is gone says nothing:
 * somebody may have deleted it before.
 *
 * @param known that it has happened; all there is to say of the deploys of earlier versions, which named no refs.
 */
async function hasHappened(repository: Repository, { moves = [] }: StoredDeploy, known: boolean): Promise<boolean> {
  const made = moves.filter((move) => move.old !== move.new)
  const now = await Promise.all(made.map(({ ref }) => repository.resolveRef(ref)))
  if (!known && !made.some((move, index) => move.new !== null && now[index] === move.new)) return false
  // What was moved elsewhere since, a branch by a save, stays there.
  await repository.updateRefs(made.filter((move, index) => now[index] === move.old))
  return true
}
