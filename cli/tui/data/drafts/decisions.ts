import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { nodeDisk, type Disk } from '../disk/disk.ts'

const Oid = Type.Union([Type.String(), Type.Null()])
const Decision = Type.Union([
  Type.Object({ use: Type.Union([Type.Literal('branch'), Type.Literal('main')]) }),
  Type.Object({ content: Type.String() }),
])

/** What a file in conflict is to be: what a side has, or a text. */
export type Decision = Static<typeof Decision>

const Taken = Type.Union([Type.Literal('mine'), Type.Literal('theirs'), Type.Literal('both')])

const KeptDecision = Type.Object({
  path: Type.String(),
  /** The blobs of both sides that it was made on. */
  seen: Type.Object({ main: Oid, branch: Oid }),
  /** Absent: some of its pieces are decided, and not all of them. */
  decision: Type.Optional(Decision),
  /** False: it is to be looked at again. */
  settled: Type.Boolean(),
  /** What was done of its pieces, also what is being written: see `PieceDecision` of the panes. */
  pieces: Type.Optional(
    Type.Array(
      Type.Object({
        piece: Type.String(),
        choice: Type.Union([Type.Object({ take: Taken }), Type.Object({ text: Type.String() })]),
        writing: Type.Optional(Type.Literal(true)),
      }),
    ),
  ),
})
export type KeptDecision = Static<typeof KeptDecision>

const Kept = Type.Object({ version: Type.Literal(1), decisions: Type.Array(KeptDecision) })

/** Decisions on conflicts, by the id of their branch. */
export interface DecisionStore {
  read(branchId: string): Promise<readonly KeptDecision[]>
  /** All decisions of a branch in the place of those before: durable when it resolves. @throws what the disk says */
  write(branchId: string, decisions: readonly KeptDecision[]): Promise<void>
}

interface DecisionFilesOptions {
  readonly stateDirectory: string
  readonly url: string
  readonly log: (message: string) => void
  readonly disk?: Disk
}

/** Keeps decisions in a file a branch, so that a text that was merged by hand outlives the terminal. */
export class DecisionFiles implements DecisionStore {
  readonly #options: DecisionFilesOptions
  readonly #disk: Disk
  /** One write at a time, in order. */
  #work: Promise<void> = Promise.resolve()

  constructor(options: DecisionFilesOptions) {
    this.#options = options
    this.#disk = options.disk ?? nodeDisk
  }

  async read(branchId: string): Promise<readonly KeptDecision[]> {
    await this.#work
    try {
      const bytes = await this.#disk.read(this.#path(branchId))
      if (bytes === undefined) return []
      const kept: unknown = JSON.parse(bytes.toString('utf8'))
      return Value.Check(Kept, kept) ? kept.decisions : []
    } catch (error) {
      this.#options.log(`decisions on conflicts could not be read: ${String(error)}`)
      return []
    }
  }

  write(branchId: string, decisions: readonly KeptDecision[]): Promise<void> {
    const writing = this.#work.then(() => this.#replace(branchId, decisions))
    this.#work = writing.catch((error: unknown) => {
      this.#options.log(`decisions on conflicts could not be kept: ${String(error)}`)
    })
    return writing
  }

  async #replace(branchId: string, decisions: readonly KeptDecision[]): Promise<void> {
    const path = this.#path(branchId)
    if (decisions.length === 0) await this.#disk.remove(path)
    else await this.#disk.replace(path, [Buffer.from(JSON.stringify({ version: 1, decisions }))], { durable: true })
  }

  #path(branchId: string): string {
    const { stateDirectory, url } = this.#options
    const name = createHash('sha256')
      .update(`${new URL(url).origin}\0${branchId}`)
      .digest('hex')
      .slice(0, 32)
    return join(stateDirectory, 'decisions', `${name}.json`)
  }
}
