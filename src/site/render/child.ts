/**
 * The child: reads pages from standard input, writes what they become to standard output. It executes no text of a
 * page; it is a process of its own because parsers can be worn out or broken, and then only it is lost.
 */
import { Value } from 'typebox/value'
import { PageRenderer } from '../mdx/page.ts'
import { describe } from '../api/describe.ts'
import { DescriptionProblem } from '../api/document.ts'
import type { LoadFile } from '../page.ts'
import { encodeFrame, FrameReader, pieceUnits, sentBytes, sourceIn, ToChild, type FromChild } from './protocol.ts'

type Job = Extract<ToChild, { type: 'render' }>
type Loaded = Awaited<ReturnType<LoadFile>>

/** Renders pages one at a time: the pool measures a page by what its child uses meanwhile. */
export class RenderChild {
  readonly #frames = new FrameReader((message): message is ToChild => Value.Check(ToChild, message), sentBytes)
  readonly #waiting = new Map<string, (file: Loaded) => void>()
  readonly #queue: Job[] = []
  /** Settles when no page is under way. */
  #idle = Promise.resolve()
  #build = -1
  /** Those of one build, by the base of their pages. */
  readonly #renderers = new Map<string, PageRenderer>()

  /** @param end Called when the pool wants no more, or is gone. */
  serve(end: () => void): void {
    process.stdin.on('data', (chunk: Buffer) => {
      for (const message of this.#frames.push(chunk)) this.#receive(message)
    })
    process.stdin.on('error', end)
    process.stdin.on('end', end)
  }

  #rendererOf({ build, base = '' }: Job): PageRenderer {
    if (build !== this.#build) this.#renderers.clear()
    this.#build = build
    const known = this.#renderers.get(base)
    if (known !== undefined) return known
    const renderer = new PageRenderer((path) => this.#load(path))
    this.#renderers.set(base, renderer)
    return renderer
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
    resolve?.(file === null ? null : { oid: file.oid, source: sourceIn(file) })
  }

  async #describe({ id, path, ...sent }: Job): Promise<void> {
    const load = async (other: string): Promise<string | null> => {
      const file = await this.#load(other)
      return file === null ? null : Buffer.from(file.source).toString('utf8')
    }
    try {
      const { index, text } = await describe(path, sourceIn(sent).toString('utf8'), load)
      for (const whole of [index, text])
        for (let at = 0; at < whole.length; at += pieceUnits)
          this.#send({ type: 'piece', id, text: whole.slice(at, at + pieceUnits) })
      this.#send({ type: 'described', id, index: index.length })
    } catch (error) {
      const isDeep = error instanceof RangeError && error.message.includes('call stack')
      if (!(error instanceof DescriptionProblem) && !isDeep) throw error
      const { line, column } = error instanceof DescriptionProblem ? error : {}
      const message = isDeep ? `${path} nests too deep.` : `${path} ${error.message}`
      const place = { ...(line === undefined ? {} : { line }), ...(column === undefined ? {} : { column }) }
      this.#send({
        type: 'outcome',
        id,
        outcome: { ok: false, errors: [{ path, ...place, rule: 'api-description', message }] },
      })
    }
  }

  async #drain(): Promise<void> {
    for (let job = this.#queue.shift(); job !== undefined; job = this.#queue.shift()) {
      if (job.kind === 'description') {
        await this.#describe(job)
        continue
      }
      const { path, oid, base, icons } = job
      const page = {
        path,
        oid,
        source: sourceIn(job),
        ...(base === undefined ? {} : { base }),
        ...(icons === undefined ? {} : { icons }),
      }
      const outcome = await this.#rendererOf(job).render(page)
      this.#send({ type: 'outcome', id: job.id, outcome })
    }
  }
}
