import { committer } from '../content/objects/staging.ts'
import type { Oid } from '../content/repository.ts'
import { Failure } from '../contract/failure.ts'
import type { CommitContent, ContentSource, DeployTrigger } from './content-source.ts'
import type { AcceptedDeploy, Log } from './ports.ts'

interface RebuildsParts {
  readonly accept: (trigger: DeployTrigger, source: ContentSource) => Promise<AcceptedDeploy>
  readonly isLive: (projectId: string) => Promise<boolean>
  /** The address that pages call their own. */
  readonly canonicalUrl: (projectId: string) => string
  readonly log: Pick<Log, 'info' | 'error'>
}

/** Main as it is. */
class LiveCommit implements ContentSource {
  readonly kind = 'deploy'

  async prepare(main: Oid | null): Promise<CommitContent> {
    if (main === null) throw new Failure('not_found', 'The project has no deploy.')
    return { type: 'commit', commit: main }
  }
}

/**
 * Builds live sites anew when their address has changed: canonical links, sitemap and llms.txt name it. No page is
 * rendered for it, and it takes no deploy of the plan.
 */
export class Rebuilds {
  readonly #parts: RebuildsParts
  readonly #underWay = new Map<string, Promise<void>>()
  /** Projects of which a deploy is under way, which may have begun with the address of before. */
  readonly #waiting = new Set<string>()

  constructor(parts: RebuildsParts) {
    this.#parts = parts
  }

  /** Ends with the rebuild that is under way, if one is: other deploys come after it, and are not refused for it. */
  underWay(projectId: string): Promise<void> | undefined {
    return this.#underWay.get(projectId)
  }

  /** A deploy has ended. */
  finished(projectId: string): void {
    if (this.#waiting.delete(projectId)) this.begin(projectId)
  }

  /** Where it fails the site stays as it was, and the next deploy names the address. */
  begin(projectId: string): void {
    const rebuild = this.#after(this.underWay(projectId), projectId)
    this.#underWay.set(projectId, rebuild)
    void rebuild.finally(() => {
      if (this.#underWay.get(projectId) === rebuild) this.#underWay.delete(projectId)
    })
  }

  async #after(before: Promise<void> | undefined, projectId: string): Promise<void> {
    await before
    await this.#rebuild(projectId)
  }

  async #rebuild(projectId: string): Promise<void> {
    const { accept, isLive, canonicalUrl, log } = this.#parts
    try {
      if (!(await isLive(projectId))) return
      const message = `The address is ${canonicalUrl(projectId)} now`
      const trigger = { projectId, author: committer, receivedAt: performance.now(), message }
      await (
        await accept(trigger, new LiveCommit())
      ).finished
    } catch (error) {
      if (error instanceof Failure && error.code === 'deploy_in_progress') this.#waiting.add(projectId)
      else if (error instanceof Failure) log.info({ err: error, projectId }, 'a site keeps the address of before')
      else log.error({ err: error, projectId }, 'a site could not be built for its new address')
    }
  }
}
