import { createHash } from 'node:crypto'
import { Type, type Static } from 'typebox'
import { Value } from 'typebox/value'
import { Failure } from '../../src/contract/failure.ts'
import type { OutputFolder } from './output-folder.ts'
import type { PlannedEntry, PlannedGroup, SitePlan } from './plan.ts'

/** A dotfile: Git keeps it, and no deploy sends it. */
export const lockFile = '.quire-generate.json'

const Hash = Type.String()

/** What is remembered of a page. */
const PageState = Type.Object({
  /** Content of each source, as it was when the page was written. */
  sources: Type.Record(Type.String(), Hash),
  /** What of the sources the model was shown. */
  material: Hash,
  /** The page as it was written: another one in its place is somebody's work. */
  hash: Hash,
  /** That wrote it. */
  model: Type.String(),
  /** Run that wrote it: one that is gone on with does not write it again. */
  run: Type.Optional(Type.String()),
  /** Groups of docs.json that it was put in; absent before that. */
  placed: Type.Optional(Type.Array(Type.String())),
  /** A newer text of a page that somebody changed, to be taken or not. */
  offer: Type.Optional(
    Type.Object({
      content: Type.String(),
      sources: Type.Record(Type.String(), Hash),
      material: Hash,
      model: Type.String(),
    }),
  ),
})
export type PageState = Static<typeof PageState>

const Page = Type.Object({
  path: Type.String(),
  title: Type.String(),
  description: Type.String(),
  purpose: Type.String(),
  sources: Type.Array(Type.String()),
})
const Group = Type.Object({ group: Type.String(), pages: Type.Array(Type.Unknown()) })
const LeftOut = Type.Object({ source: Type.String(), reason: Type.String() })

function isEntry(value: unknown): value is PlannedEntry {
  return Value.Check(Group, value) ? value.pages.every(isEntry) : Value.Check(Page, value)
}
const isGroup = (value: unknown): value is PlannedGroup => Value.Check(Group, value) && isEntry(value)

const Lock = Type.Object({
  version: Type.Literal(1),
  promptVersion: Type.Integer(),
  /** Asked for with `--model`; absent: the service's default. */
  model: Type.Optional(Type.String()),
  /** Of a run that has left pages to be made: they belong to the same generation of the plan. */
  generation: Type.Optional(Type.String()),
  /** Of asking for pages in it: with another number, the answers that are known are not given again. */
  attempt: Type.Optional(Type.Integer()),
  plan: Type.Optional(
    Type.Object({ name: Type.String(), groups: Type.Array(Type.Unknown()), leftOut: Type.Array(LeftOut) }),
  ),
  /** Files that the plan was made from: with others, another plan. */
  inputs: Type.Array(Type.String()),
  pages: Type.Record(Type.String(), PageState),
  /** Pages that were taken away, for branches that still have them. */
  removed: Type.Array(Type.String()),
  /** Is being written: on disk before the page itself is, so that no death of the process loses or doubles it. */
  pending: Type.Optional(
    Type.Object({
      path: Type.String(),
      content: Type.String(),
      /** Of what it replaces. */
      over: Type.Optional(Hash),
      state: PageState,
    }),
  ),
})

export type LockState = Omit<Static<typeof Lock>, 'plan'> & { plan?: SitePlan }

export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/** Of a text file: Git may change the ends of its lines when it checks it out. */
export function textHash(text: string): string {
  return sha256(text.replaceAll('\r\n', '\n'))
}

export function emptyLock(promptVersion: number, model: string | undefined): LockState {
  return { version: 1, promptVersion, ...(model === undefined ? {} : { model }), inputs: [], pages: {}, removed: [] }
}

/** @throws Failure invalid_request when the file is not one of ours: what it knows of the pages must not be lost. */
export async function readLock(folder: OutputFolder): Promise<LockState | undefined> {
  const text = await folder.read(lockFile)
  if (text === undefined) return undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = undefined
  }
  if (Value.Check(Lock, value)) {
    const { plan, ...rest } = value
    if (plan === undefined) return rest
    const { groups } = plan
    if (groups.every(isGroup)) return { ...rest, plan: { ...plan, groups } }
  }
  throw new Failure(
    'invalid_request',
    `${folder.name(lockFile)} cannot be read: it is not what quire generate wrote.`,
    {
      hint: 'Take it back from Git if a merge left marks in it. Without it, all existing pages count as yours and stay.',
    },
  )
}

export async function writeLock(folder: OutputFolder, lock: LockState): Promise<void> {
  await folder.write(lockFile, `${JSON.stringify(lock, null, 2)}\n`)
}
