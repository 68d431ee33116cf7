import type { Scope } from '../../contract/endpoint.ts'
import { Failure } from '../../contract/failure.ts'
import { branchPrefix, checkBranchName, mainRef, tagNameProblem, tagPrefix } from '../refs/ref-names.ts'
import type { Oid } from '../repository.ts'
import { malformed, type PktReader } from '../git/pkt-line.ts'

/** One ref that a push wants to move. `old: null`: it does not exist yet; `new: null`: delete it. */
export interface Command {
  /** In full: `refs/heads/…`. As the client sent it: not checked yet, but without control characters. */
  readonly ref: string
  readonly old: Oid | null
  readonly new: Oid | null
}

/** A command that creates or moves a ref. */
export type Tip = Command & { readonly new: Oid }

export interface PushRequest {
  readonly commands: readonly Command[]
  /** Whether the client wants to hear what became of its refs. */
  readonly reportStatus: boolean
  /** Whether report and messages come in bands; without it nothing can be said but the report. */
  readonly sideBand: boolean
  /** Whether the client asked for no progress. */
  readonly quiet: boolean
  /** Whether all of its refs move or none. */
  readonly atomic: boolean
}

export interface PushRights {
  /** What the repository’s branches and tags are now, by full ref. */
  readonly current: ReadonlyMap<string, Oid>
  readonly may: (scope: Scope) => boolean
}

/** Refusals by command. */
export type Refusals = Map<Command, Failure>

/** Refs of one push. */
const maxCommands = 1000
/** Of a project. */
const maxTags = 1000
/** A clone by depth tells where it ends; for a check of the whole history that means nothing. */
const maxShallow = 10_000

const zero = '0'.repeat(40)

/** What the service can do: https://git-scm.com/docs/gitprotocol-capabilities */
export const capabilities =
  'report-status report-status-v2 side-band-64k delete-refs ofs-delta quiet atomic object-format=sha1 agent=quire'

/**
 * Reads the part of a push that precedes the pack (https://git-scm.com/docs/gitprotocol-pack, “Reference Update
 * Request”). A request without commands is git’s question whether it may push at all.
 *
 * @throws Failure `invalid_request` for everything that the protocol does not foresee.
 */
export async function readCommands(reader: PktReader): Promise<PushRequest> {
  const commands: Command[] = []
  let wanted: ReadonlySet<string> = new Set()
  let shallow = 0
  for (let line = await reader.next(); line !== null; line = await reader.next()) {
    const [text, options] = splitLine(line, commands.length === 0)
    if (commands.length === 0 && /^shallow [0-9a-f]{40}$/.test(text)) {
      if (++shallow > maxShallow) throw malformed('too many shallow lines')
      continue
    }
    if (commands.length === 0) wanted = checkOptions(options)
    commands.push(parseCommand(text))
    if (commands.length > maxCommands) throw malformed(`it moves more than ${maxCommands} refs at once`)
  }
  return {
    commands,
    reportStatus: wanted.has('report-status') || wanted.has('report-status-v2'),
    sideBand: wanted.has('side-band-64k'),
    quiet: wanted.has('quiet'),
    atomic: wanted.has('atomic'),
  }
}

/** Capabilities follow a NUL, in the first command only. */
function splitLine(line: Buffer, first: boolean): [text: string, options: string] {
  const nul = line.indexOf(0)
  if (nul >= 0 && !first) throw malformed('capabilities after the first command')
  const text = (nul < 0 ? line : line.subarray(0, nul)).toString()
  if (text.includes('\ufffd')) throw malformed('a ref name is not UTF-8')
  return [text.replace(/\n$/, ''), nul < 0 ? '' : line.toString('utf8', nul + 1).trim()]
}

function checkOptions(options: string): ReadonlySet<string> {
  const wanted = new Set(options.split(' ').filter((option) => option !== ''))
  for (const option of wanted) {
    if (option.startsWith('object-format=') && option !== 'object-format=sha1')
      throw malformed('the repository has SHA-1 object ids')
    if (/^(?:push-options|push-cert\b|side-band$)/.test(option))
      throw malformed(`it wants ${JSON.stringify(option)}, which was not offered`)
  }
  return wanted
}

function parseCommand(text: string): Command {
  if (/^push-cert\b/.test(text)) throw malformed('signed pushes were not offered')
  const [, before = '', after = '', ref = ''] = /^([0-9a-f]{40}) ([0-9a-f]{40}) (\P{Cc}{1,1024})$/u.exec(text) ?? []
  if (ref === '') throw malformed('a command is not “old new ref”')
  return { ref, old: before === zero ? null : before, new: after === zero ? null : after }
}

/** Refuses what can be refused before the pack is read: by the ref, by who pushes, by where the ref is now. */
export function refuseCommands(commands: readonly Command[], rights: PushRights): Refusals {
  const refusals: Refusals = new Map()
  const seen = new Set<string>()
  let tags = [...rights.current.keys()].filter((ref) => ref.startsWith(tagPrefix)).length
  for (const command of commands) {
    const isNewTag = command.old === null && command.ref.startsWith(tagPrefix)
    if (isNewTag) tags += 1
    const failure = seen.has(command.ref)
      ? new Failure('invalid_request', `${command.ref} is given twice.`)
      : (refusalOf(command, rights) ?? (isNewTag && tags > maxTags ? tooManyTags() : null))
    seen.add(command.ref)
    if (failure) refusals.set(command, failure)
  }
  return refusals
}

/** Where an atomic push has lost one of its refs, none of the others moves. @param refusals more are added. */
export function refuseTogether({ atomic, commands }: PushRequest, refusals: Refusals): void {
  if (!atomic || refusals.size === 0) return
  for (const command of commands) if (!refusals.has(command)) refusals.set(command, atomicFailed)
}

const atomicFailed = new Failure('invalid_request', 'atomic push failed: another of its refs was refused', {
  hint: 'Nothing has moved: with --atomic all refs of a push move, or none.',
})

function refusalOf(command: Command, rights: PushRights): Failure | null {
  const { ref } = command
  if (ref.startsWith(tagPrefix)) return refuseTag(command, rights) ?? refuseStale(command, rights)
  if (!ref.startsWith(branchPrefix)) {
    return new Failure(
      'invalid_branch_name',
      `${ref} is neither a branch nor a tag: only refs/heads/… and refs/tags/… can be pushed.`,
      { hint: 'Other refs are not kept here. Push branches and tags only.' },
    )
  }
  return (ref === mainRef ? refuseMain(command, rights) : refuseBranch(command, rights)) ?? refuseStale(command, rights)
}

function refuseMain(command: Command, { may }: PushRights): Failure | null {
  if (command.new === null) return new Failure('forbidden', 'main cannot be deleted: it is what is live.')
  return may('deploy') ? null : lacks('deploy', 'A push to main is a deploy')
}

function refuseBranch(command: Command, { may }: PushRights): Failure | null {
  try {
    checkBranchName(command.ref.slice(branchPrefix.length))
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  return may('write') ? null : lacks('write', 'A push to a branch is a save')
}

/** Tags name versions of what is live: whoever may deploy may set them. They do not move, as nobody would notice. */
function refuseTag({ ref, old, new: value }: Command, { may }: PushRights): Failure | null {
  const problem = tagNameProblem(ref.slice(tagPrefix.length))
  // One of before can go.
  if (problem !== null && value !== null)
    return new Failure('invalid_request', `${ref} is no name for a tag: ${problem}.`, { hint: 'Choose another name.' })
  if (!may('deploy')) return lacks('deploy', 'A push of a tag names a version')
  if (old === null || value === null || old === value) return null
  return new Failure('stale_ref', `${ref} exists already, and a tag does not move.`, {
    hint: 'Choose another name, or delete the tag first (git push --delete).',
  })
}

function tooManyTags(): Failure {
  return new Failure('invalid_request', `A project has ${maxTags} tags at most.`, {
    hint: 'Delete tags that nobody needs (git push --delete).',
  })
}

function lacks(scope: Scope, why: string): Failure {
  return new Failure('forbidden', `${why}: the key lacks the scope ${scope}.`, {
    hint: `Use a key that has the scope ${scope}.`,
  })
}

/** The client decided by what it saw; meanwhile others may have pushed. */
function refuseStale({ ref, old, new: value }: Command, { current }: PushRights): Failure | null {
  const now = current.get(ref) ?? null
  if (old === null && value === null) return new Failure('not_found', `There is no ${ref} to delete.`)
  if (now === old) return null
  const what = now === null ? 'is gone' : old === null ? 'exists already' : 'has moved'
  return new Failure('stale_ref', `${ref} ${what} since you fetched: fetch first.`, {
    hint: 'Run `git fetch`, look at what is new, and push again.',
  })
}

export function isTip(command: Command): command is Tip {
  return command.new !== null
}
