import type { Deploy, DeployEvent, DeployStage } from '../contract/deploys.ts'

export type DeployListener = (event: DeployEvent) => void

/** What happened in one running deploy, for those who watch it, also from later on. */
export class Progress {
  /** Stages so far: at most as many as there are. */
  readonly #stages: DeployEvent[] = []
  #latest: DeployEvent | undefined
  #done: DeployEvent | undefined
  readonly #listeners = new Set<DeployListener>()

  stage(stage: DeployStage): void {
    const event: DeployEvent = { type: 'stage', stage, at: new Date().toISOString() }
    this.#stages.push(event)
    this.#tell(event)
  }

  pages(done: number, total: number): void {
    this.#latest = { type: 'progress', done, total }
    this.#tell(this.#latest)
  }

  finish(deploy: Deploy): void {
    this.#done = { type: 'done', deploy }
    this.#tell(this.#done)
    this.#listeners.clear()
  }

  /** Replays the stages and the latest count, then tells what comes. Returns how to stop. */
  watch(listener: DeployListener): () => void {
    for (const event of this.#stages) listener(event)
    if (this.#latest !== undefined) listener(this.#latest)
    if (this.#done !== undefined) listener(this.#done)
    else this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #tell(event: DeployEvent): void {
    for (const listener of this.#listeners) listener(event)
  }
}
