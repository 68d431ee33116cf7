import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { Failure } from '#contract/failure.ts'
import type { Disk } from '../disk/disk.ts'
import { diskText } from './draft-failures.ts'
import { DraftHeader, type DraftFiles } from './draft-files.ts'
import type { Lent } from './draft.ts'
import { isInstanceAlive } from '../disk/instance.ts'
import { decode, encode, encoded, oidOf } from '../disk/slices.ts'

/** What is noted of a text that another program has. */
const Note = Type.Object({
  quire: Type.Literal('lent'),
  version: Type.Literal(1),
  /** Of the UI that gave it away. */
  instance: Type.String(),
  /** Name of the file. */
  name: Type.String(),
  header: DraftHeader,
  /** Of the draft’s text, what stands before and after the part that the program has. */
  before: Type.String(),
  after: Type.String(),
  /** Of what is known of its content: as it was given away, or taken back. */
  oid: Type.String(),
})
type Note = Static<typeof Note>

interface LentText {
  readonly name: string
  /** What the program gets. */
  readonly text: string
  /** The text of the draft, with that in it. */
  readonly whole: string
  /** What the draft began from. */
  readonly base: string
}

/** So long after its last write no program has a text open that nobody waits for. */
const forgottenMs = 7 * 24 * 60 * 60_000

/**
 * Texts that another program has open, such as the person’s own editor: `lent/<id>.json` and `lent/<id>/<name>`. Where
 * the UI is killed meanwhile, what the program writes becomes a draft.
 */
export class LentFiles {
  readonly #disk: Disk
  readonly #directory: string
  readonly #instance: string
  readonly #drafts: DraftFiles
  readonly #log: (message: string) => void

  constructor(
    disk: Disk,
    options: {
      readonly directory: string
      readonly instance: string
      readonly drafts: DraftFiles
      readonly log: (message: string) => void
    },
  ) {
    this.#disk = disk
    this.#directory = join(options.directory, 'lent')
    this.#instance = options.instance
    this.#drafts = options.drafts
    this.#log = options.log
  }

  /** Durable when it resolves. @throws Failure where it cannot be written */
  async lend(header: DraftHeader, { name, text, whole, base }: LentText): Promise<Lent> {
    const id = `lent-${randomBytes(8).toString('hex')}`
    const file = this.#fileOf(id, name)
    const at = Math.max(0, whole.lastIndexOf(text))
    const around = { before: whole.slice(0, at), after: whole.slice(at + text.length) }
    const oid = await oidOf(await encode(text))
    try {
      if (header.baseOid !== null) await this.#drafts.writeBase(header, header.baseOid, base)
      await this.#disk.replace(file, encoded(text), { durable: true })
      await this.#write(id, { quire: 'lent', version: 1, instance: this.#instance, name, header, ...around, oid })
    } catch (error) {
      throw new Failure('unavailable', `${header.path} cannot be given to another program: ${diskText(error)}.`, {
        hint: 'Make room there, or write here.',
        cause: error,
      })
    }
    return { file, end: () => this.#forget(id) }
  }

  /** What programs have written since their UI was killed becomes drafts, which the person finds as any other. */
  async takeBack(): Promise<void> {
    try {
      for (const { name } of await this.#disk.list(this.#directory))
        if (name.endsWith('.json')) await this.#takeOne(name.slice(0, -'.json'.length))
    } catch (error) {
      this.#log(`${this.#directory} cannot be read: ${String(error)}`)
    }
  }

  async #takeOne(id: string): Promise<void> {
    const note = noteOf(await this.#disk.read(this.#noteOf(id)))
    if (note === undefined) return
    const entries = await this.#disk.list(join(this.#directory, id))
    const entry = entries.find(({ name }) => name === note.name)
    if (await isInstanceAlive(note.instance, entry?.modifiedAt ?? new Date(0))) return
    const bytes = entry && (await this.#disk.read(this.#fileOf(id, note.name)))
    if (entry === undefined || bytes === undefined) return this.#forget(id)
    const oid = await oidOf(bytes)
    if (oid !== note.oid) {
      const header = { ...note.header, waiting: false, sent: [], changedAt: entry.modifiedAt.toISOString() }
      await this.#drafts.adopt(id, header, note.before + (await decode(bytes)) + note.after)
      await this.#write(id, { ...note, oid })
    } else if (Date.now() - entry.modifiedAt.getTime() > forgottenMs) await this.#forget(id)
  }

  async #write(id: string, note: Note): Promise<void> {
    await this.#disk.replace(this.#noteOf(id), [Buffer.from(JSON.stringify(note))], { durable: true })
  }

  /** The folder goes with the next sweep, with whatever the program left beside the file. */
  async #forget(id: string): Promise<void> {
    const folder = join(this.#directory, id)
    for (const { name } of await this.#disk.list(folder)) await this.#disk.remove(join(folder, name))
    await this.#disk.remove(this.#noteOf(id))
  }

  #noteOf(id: string): string {
    return join(this.#directory, `${id}.json`)
  }

  #fileOf(id: string, name: string): string {
    return join(this.#directory, id, name)
  }
}

function noteOf(bytes: Buffer | undefined): Note | undefined {
  try {
    const value: unknown = JSON.parse(bytes?.toString('utf8') ?? '')
    return Value.Check(Note, value) ? value : undefined
  } catch {
    return undefined
  }
}
