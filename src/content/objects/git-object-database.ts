import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { endChild, gitHangs, killChild, quickly, type Git } from '../git/git.ts'
import { isOid, type Oid } from '../repository.ts'
import { writeObjects } from './object-writer.ts'
import type { GitObject, ObjectDatabase, ObjectSource, ObjectType } from './objects.ts'

interface Request {
  readonly command: 'contents' | 'info'
  readonly oid: Oid
  tries: number
  readonly resolve: (object: GitObject | null) => void
  readonly reject: (error: Error) => void
}

/** Milliseconds without a request after which the process ends; the next request starts another. */
const idleTime = 30_000
const tries = 3

/**
 * Objects of one repository on disk. They are read through one lasting `git cat-file --batch-command`: requests are
 * pipelined and answered in order; a process that dies is started again and the open requests are asked again.
 */
export class GitObjectDatabase implements ObjectDatabase {
  readonly #git: Git
  readonly #directory: string
  readonly #onStart: (objects: GitObjectDatabase) => void
  readonly #longestSilence: number
  #child: ChildProcessWithoutNullStreams | null = null
  #waiting = new Queue<Request>()
  #idle: NodeJS.Timeout | undefined
  /** Runs while an answer is owed. */
  #silence: NodeJS.Timeout | undefined

  /**
   * @param onStart told each time that a process was started, so that an owner can bound their number.
   * @param longestSilence milliseconds after which a process that owes an answer and says nothing is ended.
   */
  constructor(
    git: Git,
    directory: string,
    onStart: (objects: GitObjectDatabase) => void = () => undefined,
    longestSilence = quickly,
  ) {
    this.#longestSilence = longestSilence
    this.#git = git
    this.#directory = directory
    this.#onStart = onStart
  }

  read(oid: Oid): Promise<GitObject | null> {
    return this.#request('contents', oid)
  }

  async type(oid: Oid): Promise<ObjectType | null> {
    return (await this.#request('info', oid))?.type ?? null
  }

  async blobSize(oid: Oid): Promise<number | null> {
    const object = await this.#request('info', oid)
    return object?.type === 'blob' ? object.size : null
  }

  write(source: ObjectSource, oids: readonly Oid[]): Promise<void> {
    return writeObjects(this.#git, this.#directory, source, oids)
  }

  /** Ends the process after its open requests; the next request starts another. */
  async close(): Promise<void> {
    clearTimeout(this.#idle)
    if (this.#child) await endChild(this.#child)
  }

  #request(command: Request['command'], oid: Oid): Promise<GitObject | null> {
    // Anything else would be a revision expression, or with a line feed another command.
    if (!isOid(oid)) return Promise.resolve(null)
    return new Promise((resolve, reject) => this.#send({ command, oid, tries: 0, resolve, reject }))
  }

  #send(request: Request): void {
    clearTimeout(this.#idle)
    let child
    try {
      child = this.#child?.stdin.writable ? this.#child : this.#start()
    } catch (error) {
      request.reject(error as Error)
      return
    }
    request.tries++
    if (this.#waiting.size === 0) this.#silence = setTimeout(() => this.#giveUp(child), this.#longestSilence)
    this.#waiting.push(request)
    // What is asked in one go is written in one go: a write for each costs more than all else.
    if (child.stdin.writableCorked === 0) {
      child.stdin.cork()
      process.nextTick(() => child.stdin.uncork())
    }
    child.stdin.write(`${request.command} ${request.oid}\n`)
  }

  #start(): ChildProcessWithoutNullStreams {
    const child = this.#git.start(['cat-file', '--batch-command'], this.#directory)
    const waiting = new Queue<Request>()
    const parser = new ReplyParser(
      () => waiting.first?.command === 'contents',
      (object) => {
        waiting.shift()?.resolve(object)
        if (waiting.size > 0 || this.#child !== child) return
        clearTimeout(this.#silence)
        this.#endWhenIdle(child)
      },
    )
    let stderr = ''
    child.stdout.on('data', (chunk: Buffer) => {
      if (this.#child === child) this.#silence?.refresh()
      parser.push(chunk)
    })
    child.stderr.on('data', (chunk: Buffer) => (stderr = (stderr + chunk.toString()).slice(-2000)))
    child.stdin.on('error', () => child.stdin.destroy())
    const ended = (reason: string) => {
      if (this.#child === child) {
        clearTimeout(this.#silence)
        this.#child = null
      }
      for (const request of waiting.takeAll()) {
        if (request.tries < tries) this.#send(request)
        else request.reject(new Error(`git cat-file in ${this.#directory} ended: ${reason}`))
      }
    }
    child.on('error', (error) => ended(error.message))
    child.on('close', (code, signal) => ended(stderr.trim() || `exit code ${code}, signal ${signal}`))
    // Of a process that has ended, which its own end tells.
    clearTimeout(this.#silence)
    this.#child = child
    this.#waiting = waiting
    this.#onStart(this)
    return child
  }

  /** It hangs: what it was asked is not asked again, as that would hang, too. */
  #giveUp(child: ChildProcessWithoutNullStreams): void {
    this.#child = null
    const failure = gitHangs(this.#longestSilence)
    for (const request of this.#waiting.takeAll()) request.reject(failure)
    killChild(child)
  }

  #endWhenIdle(child: ChildProcessWithoutNullStreams): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => child.stdin.end(), idleTime).unref()
  }
}
/** First in, first out. Taking costs the same however many wait, unlike `shift` of a long array. */
class Queue<T> {
  #items: T[] = []
  /** Those before it have been taken. */
  #head = 0

  get size(): number {
    return this.#items.length - this.#head
  }

  get first(): T | undefined {
    return this.#items[this.#head]
  }

  push(item: T): void {
    this.#items.push(item)
  }

  shift(): T | undefined {
    const { first } = this
    this.#head = Math.min(this.#head + 1, this.#items.length)
    if (this.#head * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#head)
      this.#head = 0
    }
    return first
  }

  takeAll(): T[] {
    const items = this.#items.slice(this.#head)
    this.#items = []
    this.#head = 0
    return items
  }
}

/** Splits the output of `git cat-file --batch-command` into replies. */
class ReplyParser {
  readonly #expectsBody: () => boolean
  readonly #onReply: (object: GitObject | null) => void
  #chunks: Buffer[] = []
  #length = 0
  /** Bytes that must be there before it is worth looking again. */
  #need = 1
  #open: { readonly type: ObjectType; readonly size: number } | null = null

  /** @param expectsBody whether the next reply comes with the object’s content (`contents`) or not (`info`). */
  constructor(expectsBody: () => boolean, onReply: (object: GitObject | null) => void) {
    this.#expectsBody = expectsBody
    this.#onReply = onReply
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#length += chunk.length
    if (this.#length < this.#need) return
    let rest = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks, this.#length)
    for (let used = this.#take(rest); used > 0; used = this.#take(rest)) rest = rest.subarray(used)
    this.#chunks = rest.length > 0 ? [rest] : []
    this.#length = rest.length
  }

  /** Consumes one header or one body; returns how many bytes, 0 when it is not whole yet. */
  #take(bytes: Buffer): number {
    if (this.#open) {
      const { type, size } = this.#open
      this.#need = size + 1
      if (bytes.length < this.#need) return 0
      this.#open = null
      this.#need = 1
      // A copy: a slice would keep the whole chunk alive for as long as the object is.
      this.#onReply({ type, size, body: Buffer.from(bytes.subarray(0, size)) })
      return size + 1
    }
    const end = bytes.indexOf(0x0a)
    this.#need = end < 0 ? bytes.length + 1 : 1
    if (end < 0) return 0
    const [, type = '', size = ''] = bytes.toString('latin1', 0, end).split(' ')
    if (!/^(?:blob|tree|commit|tag)$/.test(type)) this.#onReply(null)
    else if (this.#expectsBody()) this.#open = { type: type as ObjectType, size: Number(size) }
    else this.#onReply({ type: type as ObjectType, size: Number(size), body: Buffer.alloc(0) })
    return end + 1
  }
}
