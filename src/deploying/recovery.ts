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
 * Makes repository and records agree again. The ref transaction decides: a deploy whose ref exists has happened and is
 * carried to its end; one whose ref does not exist has changed nothing and is recorded as failed.
 */
export class Recovery {
  readonly #parts: RecoveryParts
  readonly #verified = new Set<string>()

  constructor(parts: RecoveryParts) {
    this.#parts = parts
  }

  /** Repository and records may differ: the next holder of the project's lock looks again. */
  verifyAgain(slug: string): void {
    this.#verified.delete(slug)
  }

  /** Looks once a process at a project whose lock the caller holds, and mends what a crash or a restored backup left. */
  async verify(slug: string, repository: Repository, lease: Lease): Promise<void> {
    if (this.#verified.has(slug)) return
    const refs = await repository.listRefs(deployPrefix)
    const numbers = new Map([...refs].map(([ref, oid]) => [Number(ref.slice(deployPrefix.length)), oid]))
    for (const deploy of (await this.#parts.records.state(slug)).deploys.toReversed()) {
      if (deploy.status === 'building')
        await this.#resume(slug, deploy, { repository, lease, commit: numbers.get(deploy.number) })
    }
    await this.#followMain(slug, { repository, lease, numbers })
    const last = Math.max(0, ...numbers.keys())
    if ((await this.#parts.records.state(slug)).next <= last)
      await this.#parts.records.skipNumbers(slug, last + 1, lease)
    this.#verified.add(slug)
  }

  async #resume(
    slug: string,
    deploy: StoredDeploy,
    found: { readonly repository: Repository; readonly lease: Lease; readonly commit: string | undefined },
  ): Promise<void> {
    const { ports, records, reports } = this.#parts
    if (found.commit !== undefined) {
      // Written before the refs moved; the summary alone would do, but knows less.
      const ready = (await reports.read(slug, deploy.id)) ?? deploy
      await this.#complete(slug, { ...ready, commit: found.commit }, found)
      return
    }
    const finishedAt = ports.now().toISOString()
    const errors = [{ message: 'Interrupted by a restart; nothing changed.' }]
    const counts = { errors: 1, warnings: 0 }
    await records.fail(slug, { ...deploy, status: 'failed', errors, counts, finishedAt }, found.lease, {
      forgetKey: true,
    })
    ports.log.warn({ slug, deploy: deploy.id }, 'a deploy had been interrupted; nothing of it is kept')
  }

  async #complete(
    slug: string,
    deploy: StoredDeploy,
    found: { readonly repository: Repository; readonly lease: Lease },
  ): Promise<void> {
    const { ports, records } = this.#parts
    const tree = deploy.tree ?? (await found.repository.readCommit(deploy.commit ?? '')).tree
    const finishedAt = deploy.finishedAt ?? ports.now().toISOString()
    await records.goLive(slug, { ...deploy, tree, status: 'live', finishedAt }, found.lease)
    ports.log.warn(
      { slug, deploy: deploy.id },
      'a deploy had been interrupted after its commit was live; carried to its end',
    )
  }

  /** Main is ahead of the records when these come from an older backup than the repository. */
  async #followMain(
    slug: string,
    found: { readonly repository: Repository; readonly lease: Lease; readonly numbers: ReadonlyMap<number, string> },
  ): Promise<void> {
    const { ports, records } = this.#parts
    const state = await records.state(slug)
    const main = await found.repository.resolveRef(mainRef)
    if (main === null || state.live?.commit === main) return
    const number = Math.max(0, ...[...found.numbers].filter(([, oid]) => oid === main).map(([n]) => n))
    const deploy = number === 0 ? null : await this.#findReport(slug, number, state)
    const releases = await ports.hosting.open(slug)
    if (deploy === null || (await releases.read(deploy.release)) === null) {
      ports.log.warn({ slug, main }, 'main is not what is live, and its release is not kept: deploy again')
      return
    }
    await this.#complete(slug, { ...deploy, commit: main }, found)
  }

  async #findReport(slug: string, number: number, state: Readonly<DeployState>): Promise<StoredDeploy | null> {
    const known = state.deploys.find((deploy) => deploy.number === number)
    if (known !== undefined) return known
    for (const id of await this.#parts.reports.ids(slug)) {
      const report = await this.#parts.reports.read(slug, id)
      if (report !== null && report.number <= number) return report.number === number ? report : null
    }
    return null
  }
}
