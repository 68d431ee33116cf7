import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { endChild } from '../git/end-child.ts'
import type { Git } from '../git/git.ts'
import { isOid, type GitObject, type ObjectType } from './objects.ts'
import { ReplyParser } from '../git/reply-parser.ts'
import type { Oid } from '../repository.ts'

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
 * Objects of one repository through one lasting `git cat-file --batch-command`: requests are pipelined and answered in
 * order; a process that dies is started again and the open requests are asked again.
 */
export class ObjectReader {
  readonly #git: Git
  readonly #directory: string
  readonly #onStart: (reader: ObjectReader) => void
  #child: ChildProcessWithoutNullStreams | null = null
  #waiting: Request[] = []
  #idle: NodeJS.Timeout | undefined

  /** @param onStart told each time that a process was started, so that an owner can bound their number. */
  constructor(git: Git, directory: string, onStart: (reader: ObjectReader) => void = () => undefined) {
    this.#git = git
    this.#directory = directory
    this.#onStart = onStart
  }

  /** The object, or null when the repository lacks it. */
  read(oid: Oid): Promise<GitObject | null> {
    return this.#ask('contents', oid)
  }

  /** The type of an object, or null when the repository lacks it. */
  async type(oid: Oid): Promise<ObjectType | null> {
    return (await this.#ask('info', oid))?.type ?? null
  }

  /** Bytes of a blob, or null when the repository lacks it. */
  async blobSize(oid: Oid): Promise<number | null> {
    const object = await this.#ask('info', oid)
    return object?.type === 'blob' ? object.size : null
  }

  get busy(): boolean {
    return this.#waiting.length > 0
  }

  /** Ends the process after its open requests. The reader stays usable. */
  async close(): Promise<void> {
    clearTimeout(this.#idle)
    if (this.#child) await endChild(this.#child)
  }

  #ask(command: Request['command'], oid: Oid): Promise<GitObject | null> {
    // Anything else would be a revision expression, or with a line feed another command.
    if (!isOid(oid)) return Promise.resolve(null)
    return new Promise((resolve, reject) => this.#send({ command, oid, tries: 0, resolve, reject }))
  }

  #send(request: Request): void {
    clearTimeout(this.#idle)
    const child = this.#child?.stdin.writable ? this.#child : this.#start()
    request.tries++
    this.#waiting.push(request)
    child.stdin.write(`${request.command} ${request.oid}\n`)
  }

  #start(): ChildProcessWithoutNullStreams {
    const child = this.#git.start(['cat-file', '--batch-command'], this.#directory)
    const waiting: Request[] = []
    const parser = new ReplyParser(
      () => waiting[0]?.command === 'contents',
      (object) => {
        waiting.shift()?.resolve(object)
        if (waiting.length === 0 && this.#child === child) this.#rest(child)
      },
    )
    let stderr = ''
    child.stdout.on('data', (chunk: Buffer) => parser.push(chunk))
    child.stderr.on('data', (chunk: Buffer) => (stderr = (stderr + chunk.toString()).slice(-2000)))
    child.stdin.on('error', () => child.stdin.destroy())
    const ended = (reason: string) => {
      if (this.#child === child) this.#child = null
      for (const request of waiting.splice(0)) {
        if (request.tries < tries) this.#send(request)
        else request.reject(new Error(`git cat-file in ${this.#directory} ended: ${reason}`))
      }
    }
    child.on('error', (error) => ended(error.message))
    child.on('close', (code, signal) => ended(stderr.trim() || `exit code ${code}, signal ${signal}`))
    this.#child = child
    this.#waiting = waiting
    this.#onStart(this)
    return child
  }

  #rest(child: ChildProcessWithoutNullStreams): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => child.stdin.end(), idleTime).unref()
  }
}
