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
/** When a page ended, in milliseconds. */
let lastPage = -Infinity
/** A build whose next page is on its way is not over: its processor time is for pages. */
const pauseMs = 300
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
    lastPage = performance.now()
    send({ type: 'outcome', id: job.id, outcome })
  }
}

/** Warms up between builds: a child is of use before it is warm, and a page never waits for more than one step. */
async function warm(rest: AsyncGenerator<void>): Promise<void> {
  while ((await rest.next()).done !== true) {
    // Even where nothing is to do, what has arrived comes first.
    await sleep(0)
    await idle
    while (performance.now() - lastPage < pauseMs) {
      await sleep(pauseMs)
      await idle
    }
  }
}

const steps = warmUp()
await steps.next()
const frames = new FrameReader((message): message is ToChild => Value.Check(ToChild, message))
stdin.on('data', (chunk: Buffer) => {
  for (const message of frames.push(chunk)) receive(message)
})
// The pool closes the pipe when it wants no more, or dies.
stdin.on('end', () => process.exit(0))
send({ type: 'ready' })
await warm(steps)
