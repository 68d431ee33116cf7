/**
 * The child: reads pages from standard input, writes what they become to standard output. It executes no text of a
 * page; it is a process of its own because parsers can be worn out or broken, and then only it is lost.
 */
import { stdin, stdout } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { Value } from 'typebox/value'
import { PageRenderer } from '../mdx/page.ts'
import type { LoadFile } from '../page.ts'
import { encodeFrame, FrameReader, ToChild, type FromChild } from './protocol.ts'
import { warmUp } from './warmup.ts'

type Job = Extract<ToChild, { type: 'render' }>
type Loaded = Awaited<ReturnType<LoadFile>>

const waiting = new Map<string, (file: Loaded) => void>()
const queue: Job[] = []
/** Settles when no page is under way. */
let idle = Promise.resolve()
let build = -1
let renderer = new PageRenderer(load)

function send(message: FromChild): void {
  stdout.write(encodeFrame(message))
}

function load(path: string): Promise<Loaded> {
  return new Promise((resolve) => {
    waiting.set(path, resolve)
    send({ type: 'load', path })
  })
}

function receive(message: ToChild): void {
  if (message.type === 'render') {
    queue.push(message)
    idle = idle.then(drain)
    return
  }
  const resolve = waiting.get(message.path)
  waiting.delete(message.path)
  resolve?.(message.file === null ? null : { oid: message.file.oid, source: Buffer.from(message.file.source, 'utf8') })
}

/** One page at a time: the pool measures a page by what its child uses meanwhile. */
async function drain(): Promise<void> {
  for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
    if (job.build !== build) renderer = new PageRenderer(load)
    build = job.build
    const { path, oid, source } = job
    const outcome = await renderer.render({ path, oid, source: Buffer.from(source, 'utf8') })
    send({ type: 'outcome', id: job.id, outcome })
  }
}

/**
 * A child that has waited this long is asked for so seldom that its warm-up costs nobody anything. Where deploys follow
 * one another faster, children are used up before, and go without.
 */
const restMs = 5000

function isFresh(): boolean {
  return build === -1 && queue.length === 0
}

/** Warms up while no project has come. A step is short, so that a first page hardly waits. */
async function warmWhileWaiting(steps: AsyncGenerator<void>): Promise<void> {
  await sleep(restMs)
  // Timers run before input is read: what has arrived comes first.
  while (isFresh() && (await steps.next()).done !== true) await sleep(1)
}

/** Reads pages until standard input ends. Says that it is ready when it has shown that it can render at all. */
export async function serve(): Promise<void> {
  const steps = warmUp()
  await steps.next()
  const frames = new FrameReader((message): message is ToChild => Value.Check(ToChild, message))
  stdin.on('data', (chunk: Buffer) => {
    for (const message of frames.push(chunk)) receive(message)
  })
  // The pool closes the pipe when it wants no more, or dies.
  stdin.on('end', () => process.exit(0))
  send({ type: 'ready' })
  await warmWhileWaiting(steps)
}

/** Runs what most pages run, so that its code is compiled: see `start.ts`. */
export async function compileAhead(): Promise<void> {
  const steps = warmUp()
  while ((await steps.next()).done !== true);
}
