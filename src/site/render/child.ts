/**
 * The child: reads pages from standard input, writes what they become to standard output. It executes no text of a
 * page; it is a process of its own because parsers can be worn out or broken, and then only it is lost.
 */
import { Value } from 'typebox/value'
import { PageRenderer } from '../mdx/page.ts'
import type { LoadFile } from '../page.ts'
import { encodeFrame, FrameReader, ToChild, type FromChild } from './protocol.ts'

type Job = Extract<ToChild, { type: 'render' }>
type Loaded = Awaited<ReturnType<LoadFile>>

/** Renders pages one at a time: the pool measures a page by what its child uses meanwhile. */
export class RenderChild {
  readonly #frames = new FrameReader((message): message is ToChild => Value.Check(ToChild, message))
  readonly #waiting = new Map<string, (file: Loaded) => void>()
  readonly #queue: Job[] = []
  /** Settles when no page is under way. */
  #idle = Promise.resolve()
  #build = -1
  #renderer = this.#newRenderer()

  /** @param end Called when the pool wants no more, or is gone. */
  serve(end: () => void): void {
    process.stdin.on('data', (chunk: Buffer) => {
      for (const message of this.#frames.push(chunk)) this.#receive(message)
    })
    process.stdin.on('error', end)
    process.stdin.on('end', end)
  }

  #newRenderer(): PageRenderer {
    return new PageRenderer((path) => this.#load(path))
  }

  #send(message: FromChild): void {
    process.stdout.write(encodeFrame(message))
  }

  #load(path: string): Promise<Loaded> {
    return new Promise((resolve) => {
      this.#waiting.set(path, resolve)
      this.#send({ type: 'load', path })
    })
  }

  #receive(message: ToChild): void {
    if (message.type === 'render') {
      this.#queue.push(message)
      this.#idle = this.#idle.then(() => this.#drain())
      return
    }
    const { path, file } = message
    const resolve = this.#waiting.get(path)
    this.#waiting.delete(path)
    resolve?.(file === null ? null : { oid: file.oid, source: Buffer.from(file.source, 'utf8') })
  }

  async #drain(): Promise<void> {
    for (let job = this.#queue.shift(); job !== undefined; job = this.#queue.shift()) {
      if (job.build !== this.#build) this.#renderer = this.#newRenderer()
      this.#build = job.build
      const { path, oid, source } = job
      const outcome = await this.#renderer.render({ path, oid, source: Buffer.from(source, 'utf8') })
      this.#send({ type: 'outcome', id: job.id, outcome })
    }
  }
}
