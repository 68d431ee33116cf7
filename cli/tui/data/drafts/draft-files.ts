import { createHash } from 'node:crypto'
import { join } from 'node:path'
import pLimit from 'p-limit'
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { Failure } from '#contract/failure.ts'
import type { Disk } from '../disk/disk.ts'
import { instanceText, isInstanceAlive } from '../disk/instance.ts'
import { decode, encoded } from '../disk/slices.ts'

const Oid = Type.Union([Type.String({ pattern: '^[0-9a-f]{40}$' }), Type.Null()])

/** First line of a draft’s file; the text follows as it is, so that a person can rescue it by hand. */
export const DraftHeader = Type.Object({
  quire: Type.Literal('draft'),
  version: Type.Literal(1),
  service: Type.String(),
  slug: Type.String(),
  branchId: Type.String(),
  branch: Type.String(),
  path: Type.String(),
  /** What the text began from; null: a new file. */
  baseOid: Oid,
  /** UTF-16 units into the text. */
  cursor: Type.Integer(),
  /** A save that waits for the connection. */
  waiting: Type.Boolean(),
  /** Of texts that were sent, and of which no answer came: the branch may have them. */
  sent: Type.Array(Type.String()),
  changedAt: Type.String(),
  /** Why a waiting save was refused, if it was. */
  refusal: Type.Optional(Type.String()),
})
export type DraftHeader = Static<typeof DraftHeader>

/** Longer first lines are none of ours: a path has at most 1,024 bytes, and few texts are sent without an answer. */
const headBytes = 64 * 1024
const suffix = '.draft'
/** Folders, and drafts of a folder: somebody whose machine fails often has hundreds, and waits for the list of them. */
const readAtOnce = 16
const newline = 0x0a

/** A draft that is on the disk. */
export interface FoundDraft {
  /** Of the instance that wrote it. */
  readonly instance: string
  readonly header: DraftHeader
  /** Of another UI that still runs: nothing to touch. */
  readonly elsewhere: boolean
}

/** Which file of which branch. */
export interface DraftKey {
  readonly branchId: string
  readonly path: string
}

/** The drafts of one account: `drafts/<file>/<instance>.draft`, and beside them the texts that they began from. */
export class DraftFiles {
  readonly #disk: Disk
  readonly #directory: string
  readonly #instance: string
  readonly #log: (message: string) => void
  /** All drafts, as they are being read, and as they will be read for whoever asked since that began. */
  #reading: Promise<readonly FoundDraft[]> | undefined
  #next: Promise<readonly FoundDraft[]> | undefined
  /** Of which path a folder is, which it stays: not each needs to be read for the drafts of one path. */
  readonly #pathOf = new Map<string, string>()

  constructor(
    disk: Disk,
    options: { readonly directory: string; readonly instance: string; readonly log: (message: string) => void },
  ) {
    this.#disk = disk
    this.#directory = join(options.directory, 'drafts')
    this.#instance = options.instance
    this.#log = options.log
  }

  /** Of all files, newest first. Those who ask at once, as several do at the start, are answered at once. */
  all(): Promise<readonly FoundDraft[]> {
    if (this.#reading === undefined) {
      this.#reading = this.#readAll().finally(() => (this.#reading = undefined))
      return this.#reading
    }
    const again = (): Promise<readonly FoundDraft[]> => {
      this.#next = undefined
      return this.all()
    }
    // What is being read may have been looked at before something was written that the asker knows of.
    this.#next ??= this.#reading.then(again, again)
    return this.#next
  }

  async #readAll(): Promise<readonly FoundDraft[]> {
    const found: FoundDraft[] = []
    const folders = (): Promise<string[]> =>
      this.#readable([], this.#directory, () => this.#disk.folders(this.#directory))
    // A draft that is given to another file meanwhile is in a folder that was not there before.
    await eachUntilAllSeen(folders, async (folder) => void found.push(...(await this.#inFolder(folder))))
    return newestFirst(found)
  }

  /** Of one path on all branches, newest first. */
  async ofPath(path: string): Promise<readonly FoundDraft[]> {
    const found: FoundDraft[] = []
    const folders = async (): Promise<string[]> => {
      const all = await this.#readable([], this.#directory, () => this.#disk.folders(this.#directory))
      return all.filter((folder) => (this.#pathOf.get(folder) ?? path) === path)
    }
    await eachUntilAllSeen(folders, async (folder) => void found.push(...(await this.#inFolder(folder))))
    return newestFirst(found.filter(({ header }) => header.path === path))
  }

  /** Of one file, newest first. */
  async of(key: DraftKey): Promise<FoundDraft[]> {
    return newestFirst(await this.#inFolder(folderOf(key)))
  }

  /** Makes a draft that nobody works on ours. Undefined: another UI was faster. */
  async claim({ header, instance }: FoundDraft): Promise<FoundDraft | undefined> {
    if (instance === this.#instance) return { header, instance, elsewhere: false }
    const from = this.#path(header, instance)
    const moved = await this.#disk.move(from, this.#path(header))
    return moved ? { header, instance: this.#instance, elsewhere: false } : undefined
  }

  /**
   * A draft that nobody works on, and what it began from, become those of another file. It stays one of its instance, so
   * that several of one file do not get in each other’s way; where that has one already, it stays where it is.
   */
  async relocate(found: FoundDraft, header: DraftHeader): Promise<void> {
    const { instance } = found
    const text = await this.text(found)
    const isTaken = (await this.of(header)).some((other) => other.instance === instance)
    if (text === undefined || isTaken) return
    const { baseOid } = header
    const base = baseOid === null ? undefined : await this.base(found.header, baseOid)
    if (baseOid !== null && base !== undefined) await this.writeBase(header, baseOid, base)
    await this.#disk.replace(this.#path(header, instance), fileOf(header, text), { durable: true })
    await this.#remove(found.header, instance)
  }

  /** The text of a draft; undefined where it is gone. */
  async text({ header, instance }: FoundDraft): Promise<string | undefined> {
    const bytes = await this.#disk.read(this.#path(header, instance))
    return bytes === undefined ? undefined : decode(bytes.subarray(bytes.indexOf(newline) + 1))
  }

  /** The text that a draft began from, where it is kept. */
  async base(key: DraftKey, oid: string): Promise<string | undefined> {
    const bytes = await this.#disk.read(this.#basePath(key, oid))
    return bytes === undefined ? undefined : decode(bytes)
  }

  /** Durable when it resolves. */
  async writeBase(key: DraftKey, oid: string, text: string): Promise<void> {
    const entries = await this.#disk.list(join(this.#directory, folderOf(key)))
    if (entries.some(({ name }) => name === `base-${oid}`)) return
    await this.#disk.replace(this.#basePath(key, oid), encoded(text), { durable: true })
  }

  /** Ours. Durable when it resolves. */
  async write(header: DraftHeader, text: Iterable<string>): Promise<void> {
    await this.#disk.replace(this.#path(header), fileOf(header, text), { durable: true })
  }

  /** A text becomes a draft that nobody works on. @param name tells it from others of the file. Durable when it resolves. */
  async adopt(name: string, header: DraftHeader, text: string): Promise<void> {
    await this.#disk.replace(this.#path(header, name), fileOf(header, text), { durable: true })
  }

  /** Ours; and what it began from, where no other draft of the file is left. */
  async remove(key: DraftKey): Promise<void> {
    await this.#remove(key, this.#instance)
  }

  async #remove(key: DraftKey, instance: string): Promise<void> {
    await this.#disk.remove(this.#path(key, instance))
    const folder = join(this.#directory, folderOf(key))
    const rest = await this.#disk.list(folder)
    if (rest.some(({ name }) => !name.startsWith('base-'))) return
    for (const { name } of rest) await this.#disk.remove(join(folder, name))
  }

  /** Forgets a draft that nobody works on. @throws Failure */
  async discard(found: FoundDraft): Promise<void> {
    const { header, instance } = found
    if (found.elsewhere && (await isInstanceAlive(instance, new Date()))) {
      throw new Failure('forbidden', `${header.path} is open in another terminal (${instanceText(instance)}).`, {
        hint: 'End that one first, or discard the text there.',
      })
    }
    await this.#remove(header, instance)
  }

  /** Whether ours is on the disk. */
  async has(key: DraftKey): Promise<boolean> {
    const read = (): Promise<Buffer | undefined> => this.#disk.read(this.#path(key), 1)
    return (await this.#readable(undefined, this.#path(key), read)) !== undefined
  }

  /** Where a person finds our draft. */
  fileOf(key: DraftKey): string {
    return this.#path(key)
  }

  async #inFolder(folder: string): Promise<FoundDraft[]> {
    const found: FoundDraft[] = []
    const directory = join(this.#directory, folder)
    const written = new Map<string, Date>()
    const names = async (): Promise<string[]> => {
      const entries = await this.#readable([], directory, () => this.#disk.list(directory))
      for (const { name, modifiedAt } of entries) written.set(name, modifiedAt)
      return entries.map(({ name }) => name).filter((name) => name.endsWith(suffix))
    }
    // A draft that somebody takes meanwhile has another name then, and would be missed under both.
    await eachUntilAllSeen(names, async (name) => {
      const file = join(directory, name)
      const head = await this.#readable(undefined, file, () => this.#disk.read(file, headBytes))
      if (head === undefined) return
      const header = headerOf(head)
      const instance = name.slice(0, -suffix.length)
      if (header !== undefined && folderOf(header) === folder) {
        this.#pathOf.set(folder, header.path)
        const modifiedAt = written.get(name) ?? new Date()
        const elsewhere = instance !== this.#instance && (await isInstanceAlive(instance, modifiedAt))
        found.push({ instance, header, elsewhere })
        return
      }
      this.#log(`${file} is no draft that this version can read; it is kept as ${name}.damaged.`)
      await this.#disk.move(file, `${file}.damaged`)
    })
    return found
  }

  /** One file that is somebody else’s, as of a UI that root began, must not hide all others. */
  async #readable<T>(other: T, path: string, read: () => Promise<T>): Promise<T> {
    return read().catch((error: unknown) => {
      this.#log(`${path} cannot be read: ${String(error)}`)
      return other
    })
  }

  #path(key: DraftKey, instance = this.#instance): string {
    return join(this.#directory, folderOf(key), instance + suffix)
  }

  #basePath(key: DraftKey, oid: string): string {
    return join(this.#directory, folderOf(key), `base-${oid}`)
  }
}

/** Does the work for each name, some at once, and looks again until there is none that it was not done for. */
async function eachUntilAllSeen(look: () => Promise<string[]>, work: (name: string) => Promise<void>): Promise<void> {
  const seen = new Set<string>()
  const limit = pLimit(readAtOnce)
  for (let names = await look(); names.length > 0; names = (await look()).filter((name) => !seen.has(name))) {
    for (const name of names) seen.add(name)
    await Promise.all(names.map((name) => limit(() => work(name))))
  }
}

/** What to tell of a draft of another UI that runs. */
export function elsewhereText({ header, instance }: FoundDraft): string {
  return `${header.path} is open in another terminal too (${instanceText(instance)}), with text that is not saved.`
}

async function* fileOf(
  header: DraftHeader,
  text: string | Iterable<string>,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield Buffer.from(`${JSON.stringify(header)}\n`)
  yield* encoded(text)
}

function headerOf(head: Buffer): DraftHeader | undefined {
  const end = head.indexOf(newline)
  if (end < 0) return undefined
  try {
    const value: unknown = JSON.parse(head.toString('utf8', 0, end))
    return Value.Check(DraftHeader, value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Paths may be longer than names of files, and mean something to the system. */
function folderOf({ branchId, path }: DraftKey): string {
  return createHash('sha256').update(`${branchId}\0${path}`).digest('hex').slice(0, 32)
}

function newestFirst(found: readonly FoundDraft[]): FoundDraft[] {
  return found.toSorted((a, b) => (a.header.changedAt < b.header.changedAt ? 1 : -1))
}
