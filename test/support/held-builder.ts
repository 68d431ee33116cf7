import type { BuildRequest, BuildResult } from '#site/builder.ts'
import { FakeBuilder } from './fake-builder.ts'

interface Held {
  /** What the page `index.md` of the build says. */
  readonly text: string
  readonly branch: string | undefined
  open(): void
}

/** A builder whose builds wait, each for itself, while `holding` is on. */
export class HeldBuilder extends FakeBuilder {
  holding = false
  readonly held: Held[] = []
  /** Texts of `index.md` of all builds, in the order in which they began. */
  readonly texts: string[] = []
  /** Pages that each build may take over. */
  readonly earlier: BuildRequest['earlier'][] = []

  override async build(request: BuildRequest): Promise<BuildResult> {
    const oid = request.source.files.get('index.md')
    const text = oid === undefined ? '' : (await request.source.read(oid)).toString()
    this.texts.push(text)
    this.earlier.push(request.earlier)
    if (this.holding) {
      await new Promise<void>((open, reject) => {
        this.held.push({ text, branch: request.branch, open })
        request.signal?.addEventListener('abort', () => reject(request.signal?.reason as Error))
      })
    }
    return super.build(request)
  }

  /** Lets everybody go on. */
  release(): void {
    this.holding = false
    for (const held of this.held.splice(0)) held.open()
  }
}
