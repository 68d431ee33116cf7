import { malformed, type PktReader } from './pkt-line.ts'
import type { Oid } from '../repository.ts'

/** One ref that a push wants to move. `old: null`: it does not exist yet; `new: null`: delete it. */
export interface Command {
  /** In full: `refs/heads/…`. As the client sent it: not checked yet, but without control characters. */
  readonly ref: string
  readonly old: Oid | null
  readonly new: Oid | null
}

export interface PushRequest {
  readonly commands: readonly Command[]
  /** Whether the client wants to hear what became of its refs. */
  readonly reportStatus: boolean
  /** Whether report and messages come in bands; without it nothing can be said but the report. */
  readonly sideBand: boolean
  /** Whether the client asked for no progress. */
  readonly quiet: boolean
}

/** Refs of one push. */
const maxCommands = 1000
/** A clone by depth tells where it ends; for a check of the whole history that means nothing. */
const maxShallow = 10_000

const zero = '0'.repeat(40)

/** What the service can do: https://git-scm.com/docs/gitprotocol-capabilities */
export const capabilities =
  'report-status report-status-v2 side-band-64k delete-refs ofs-delta quiet object-format=sha1 agent=quire'

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
    if (/^(?:atomic|push-options|push-cert\b|side-band$)/.test(option))
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
