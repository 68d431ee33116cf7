import { randomBytes } from 'node:crypto'
import type { AssistantTurn, Conversation } from '../contract/assistant.ts'
import type { List, ListQuery } from '../contract/common.ts'
import { Failure } from '../contract/failure.ts'
import { pageOf } from '../lib/pages.ts'
import type { RecordChange, RecordTable, Records, StreamSpec } from '../storage/records.ts'
import { kept } from './bounds.ts'
import { lineOf, titleOf } from './words.ts'

interface ConversationHead {
  readonly branch: string
  readonly title: string
  readonly createdAt: string
  readonly updatedAt: string
}

/** Of a turn: its conversation stands in its key. */
interface TurnHead {
  readonly turn: true
}

type Head = ConversationHead | TurnHead
type Table = RecordTable<Head, AssistantTurn>
type Change = RecordChange<Head, AssistantTurn>

/** What is deleted is erased: people tell the assistant what they tell nobody else. */
const stream: StreamSpec<Table> = {
  name: 'assistant',
  open: ({ table }) => table({ erases: true }),
  weigh: ({ size }) => size * 300,
}

/** A conversation of a branch with the sizes of its turns by id, oldest first. */
interface Known {
  readonly id: string
  readonly head: ConversationHead
  readonly turns: Map<string, number>
}

/** One conversation of a branch. */
export interface ConversationKey {
  readonly projectId: string
  /** Id. */
  readonly branch: string
  readonly conversation: string
}

/** A conversation with its turns, oldest first. */
export interface KeptConversation {
  readonly conversation: Conversation
  readonly turns: AssistantTurn[]
}

/** What was said to the assistant: conversations of branches, each a record, and a record for each of their turns. */
export class Conversations {
  readonly #records: Pick<Records, 'use' | 'exists'>

  constructor(records: Pick<Records, 'use' | 'exists'>) {
    this.#records = records
  }

  /** Of a branch, newest first. */
  async list(projectId: string, branch: string, query: ListQuery): Promise<List<Conversation>> {
    const found = await this.#use(projectId, (table) =>
      [...knownIn(table)].filter(({ head }) => head.branch === branch),
    )
    const page = pageOf(found, query, ({ id, head }) => `${head.updatedAt} ${id}`)
    return { ...page, items: page.items.map(present) }
  }

  /** With its turns, oldest first, as they are on record. Throws `not_found`. */
  async read(key: ConversationKey): Promise<KeptConversation> {
    return this.#use(key.projectId, async (table) => {
      const known = requireIn(table, key)
      const turns: AssistantTurn[] = []
      for (const id of known.turns.keys()) {
        const body = (await table.read(keyOf(known.id, id)))?.body
        if (body !== undefined) turns.push(body)
      }
      return { conversation: present(known), turns }
    })
  }

  /**
   * Puts a turn at the end of its conversation, which it begins where there is none. What is too old goes, and what a
   * crash left of branches that are gone.
   */
  async begin(key: ConversationKey, turn: AssistantTurn, isGone: (branch: string) => boolean): Promise<void> {
    await this.#use(key.projectId, async (table) => {
      const known = new Map([...knownIn(table)].map((each) => [each.id, each]))
      const own = known.get(key.conversation)
      const { question, createdAt } = turn
      const head = own?.head ?? { branch: key.branch, title: titleOf(question, kept.title), createdAt }
      const turns = own?.turns ?? new Map<string, number>()
      const old = oldTurns(turns).map((id): Change => ({ delete: keyOf(key.conversation, id) }))
      known.delete(key.conversation)
      const [left, others] = divide([...known.values()], ({ head: { branch } }) => isGone(branch))
      const gone = [...left, ...oldConversations(others, key.branch)].flatMap(deletionsOf)
      await table.write([
        ...old,
        ...gone,
        { put: key.conversation, head: { ...head, updatedAt: createdAt } },
        { put: keyOf(key.conversation, turn.id), head: { turn: true }, body: turn },
      ])
    })
  }

  /** Writes a turn anew, durably; nothing where its conversation is gone. */
  async update({ projectId, conversation }: ConversationKey, turn: AssistantTurn): Promise<void> {
    await this.#use(projectId, async (table) => {
      const key = keyOf(conversation, turn.id)
      if (table.head(key) === undefined) return
      await table.write([{ put: key, head: { turn: true }, body: turn }])
    })
  }

  /** For good. Throws `not_found`. */
  async remove(key: ConversationKey): Promise<void> {
    await this.#use(key.projectId, (table) => table.write(deletionsOf(requireIn(table, key))))
  }

  /** Those of branches that are gone. */
  async prune(projectId: string, isGone: (branch: string) => boolean): Promise<void> {
    if (!(await this.#records.exists(projectId, stream.name))) return
    await this.#use(projectId, async (table) => {
      const gone = [...knownIn(table)].filter(({ head }) => isGone(head.branch))
      if (gone.length > 0) await table.write(gone.flatMap(deletionsOf))
    })
  }

  #use<R>(projectId: string, work: (table: Table) => R | Promise<R>): Promise<R> {
    return this.#records.use(projectId, stream, work)
  }
}

/** An id that sorts by time, and that nobody guesses. */
export function newId(kind: 'c' | 't', now: Date): string {
  return `${kind}${now.getTime().toString(36).padStart(10, '0')}${randomBytes(8).toString('hex')}`
}

function keyOf(conversation: string, turn: string): string {
  return `${conversation}.${turn}`
}

/** There are at most some thousand records, and only their heads are looked at. */
function knownIn(table: Table): Iterable<Known> {
  const known = new Map<string, Known>()
  for (const [id, head] of table.heads()) if (!('turn' in head)) known.set(id, { id, head, turns: new Map() })
  for (const [key] of table.heads()) {
    const [id = '', turn] = key.split('.', 2)
    if (turn !== undefined) known.get(id)?.turns.set(turn, table.bodyBytes(key))
  }
  return known.values()
}

function requireIn(table: Table, { conversation, branch }: ConversationKey): Known {
  for (const known of knownIn(table)) if (known.id === conversation && known.head.branch === branch) return known
  throw new Failure('not_found', `The branch has no conversation ${lineOf(conversation, 64)}.`, {
    hint: 'The oldest conversations of a branch go when there are too many.',
  })
}

function present({ id, head: { title, createdAt, updatedAt }, turns }: Known): Conversation {
  return { id, title, turns: turns.size, createdAt, updatedAt }
}

function deletionsOf({ id, turns }: Known): Change[] {
  return [{ delete: id }, ...[...turns.keys()].map((turn) => ({ delete: keyOf(id, turn) }))]
}

function divide<T>(items: readonly T[], holds: (item: T) => boolean): readonly [T[], T[]] {
  return [items.filter(holds), items.filter((item) => !holds(item))]
}

/** So many of the oldest turns that one more has room. */
function oldTurns(turns: ReadonlyMap<string, number>): string[] {
  const sizes = [...turns]
  let bytes = sizes.reduce((sum, [, size]) => sum + size, 0)
  let count = sizes.length
  return sizes.flatMap(([id, size]) => {
    if (count < kept.turns && bytes <= kept.conversationBytes) return []
    count -= 1
    bytes -= size
    return [id]
  })
}

/** So many of the longest unused that one more has room. */
function oldConversations(others: readonly Known[], branch: string): Known[] {
  const sized = others
    .map((known) => ({ known, bytes: [...known.turns.values()].reduce((sum, size) => sum + size, 0) }))
    .sort((one, other) => (one.known.head.updatedAt < other.known.head.updatedAt ? -1 : 1))
  let bytes = sized.reduce((sum, each) => sum + each.bytes, 0)
  let all = sized.length
  let ofBranch = others.filter(({ head }) => head.branch === branch).length
  return sized.flatMap(({ known, bytes: size }) => {
    const own = known.head.branch === branch
    const fits = all < kept.ofProject && bytes <= kept.projectBytes
    if (fits && (!own || ofBranch < kept.ofBranch)) return []
    all -= 1
    bytes -= size
    if (own) ofBranch -= 1
    return [known]
  })
}
