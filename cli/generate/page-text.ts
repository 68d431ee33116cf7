import type { PlannedPage } from './plan.ts'

/** Where a claim comes from, as its comment says. */
export interface SourceNote {
  readonly path: string
  readonly from: number
  readonly to: number
}

/** The page as a file: front matter of ours, then what the model wrote. */
export function pageFile(page: PlannedPage, body: string): string {
  // A string of JSON is one of YAML, too.
  const matter = [`title: ${JSON.stringify(page.title)}`, `description: ${JSON.stringify(page.description)}`]
  return `---\n${matter.join('\n')}\n---\n\n${body.trim()}\n`
}

/** The MDX of an answer: without a fence around it, front matter or a title of its own. */
export function bodyOf(answer: string): string {
  let body = answer.replaceAll('\r\n', '\n').trim()
  const lines = body.split('\n')
  if (/^(?:`{3,}|~{3,})(?:mdx|markdown|md)?$/.test(lines[0] ?? '') && lines.length > 1) {
    const fence = /^[`~]+/.exec(lines[0] ?? '')?.[0] ?? ''
    if (lines.at(-1)?.trim() === fence) body = lines.slice(1, -1).join('\n').trim()
  }
  while (body.startsWith('---\n')) {
    const end = body.indexOf('\n---', 3)
    if (end === -1) break
    body = body.slice(body.indexOf('\n', end + 1) + 1 || body.length).trim()
  }
  return body.replace(/^# [^\n]*\n+/, '')
}

interface Section {
  /** Text of the heading; absent for what stands before the first. */
  readonly heading?: string
  readonly lines: readonly string[]
}

export interface CheckedBody {
  /** Without the comments that name no place in the sources. */
  readonly body: string
  /** Sentences for the model: comments that are wrong, and dropped. */
  readonly wrong: readonly string[]
  /** Sentences for the model that make the page unusable. */
  readonly problems: readonly string[]
}

const comment = /\{\/\*\s*source:((?:[^*]|\*(?!\/))*)\*\/\}/gi
const overLines = /\{\/\*\s*source:(?:(?!\*\/)[^]){0,2000}\*\/\}/gi
/** After lines: names of files may have commas. */
const betweenEntries = /(?<=:\s{0,9}\d[\d-]{0,15}\s{0,9}),/

/**
 * Checks what a builder cannot: that comments name places that the page rests on, and that no section is without one.
 * @param lengths lines of each source of the page.
 */
export function checkBody(body: string, lengths: ReadonlyMap<string, number>): CheckedBody {
  const wrong: string[] = []
  const problems: string[] = []
  const kept: string[] = []
  const bare = new Set<string>()
  let hasNotes = false
  for (const section of sectionsOf(body.replace(overLines, (note) => note.replaceAll(/\s*\n\s*/g, ' ')))) {
    let notes = 0
    for (const { line, isCode } of withFences(section.lines)) {
      if (!isCode && /^(?:import|export)\s/.test(line)) problems.push(`No import or export: ${quoted(line)}.`)
      const checked = isCode ? { line, notes: 0, wrong: [] } : checkLine(line, lengths)
      notes += checked.notes
      wrong.push(...checked.wrong)
      if (checked.line !== undefined) kept.push(checked.line)
    }
    hasNotes ||= notes > 0
    if (notes === 0 && section.heading !== undefined) bare.add(section.heading)
  }
  for (const heading of bare) problems.push(`The section ${quoted(heading)} names no source in a comment.`)
  if (!hasNotes && bare.size === 0) problems.push('The page names no source in a comment.')
  return { body: kept.join('\n'), wrong, problems }
}

const quoted = (text: string): string => JSON.stringify(text.slice(0, 100))

/** The line without wrong comments; undefined when nothing else stood on it. */
function checkLine(
  line: string,
  lengths: ReadonlyMap<string, number>,
): { readonly line: string | undefined; readonly notes: number; readonly wrong: readonly string[] } {
  if (!/source:/i.test(line)) return { line, notes: 0, wrong: [] }
  const wrong: string[] = []
  let notes = 0
  const checked = line.replace(comment, (_whole, list: string) => {
    const good: string[] = []
    for (const entry of list.split(betweenEntries).map((word) => word.trim())) {
      const problem = problemOf(entry, lengths)
      if (problem === undefined) good.push(entry)
      else wrong.push(problem)
    }
    notes += good.length
    return good.length === 0 ? '' : `{/* source: ${good.join(', ')} */}`
  })
  return { line: checked.trim() === '' && line.trim() !== '' ? undefined : checked, notes, wrong }
}

/** `src/a.ts:3`, `src/a.ts:3-9`. */
export function readNote(entry: string): SourceNote | undefined {
  const at = entry.lastIndexOf(':')
  const range = /^(\d{1,7})(?:-(\d{1,7}))?$/.exec(entry.slice(at + 1).trim())
  if (at < 1 || range === null) return undefined
  const from = Number(range[1])
  return { path: entry.slice(0, at).trim(), from, to: range[2] === undefined ? from : Number(range[2]) }
}

function problemOf(entry: string, lengths: ReadonlyMap<string, number>): string | undefined {
  const note = readNote(entry)
  if (note === undefined) return `The comment "source: ${entry.slice(0, 100)}" must be path:line or path:first-last.`
  const lines = lengths.get(note.path)
  if (lines === undefined) return `The comment names ${quoted(note.path)}, which is no source of this page.`
  if (note.from < 1 || note.from > note.to || note.to > lines)
    return `The comment names lines ${note.from}-${note.to} of ${note.path}, which has ${lines}.`
  return undefined
}

function sectionsOf(body: string): Section[] {
  const sections: { heading?: string; lines: string[] }[] = [{ lines: [] }]
  for (const { line, isCode } of withFences(body.split('\n'))) {
    const heading = isCode ? null : /^##[ \t]+(.*)$/.exec(line)
    if (heading !== null) sections.push({ heading: (heading[1] ?? '').trim(), lines: [line] })
    else sections.at(-1)?.lines.push(line)
  }
  return sections
}

/** Lines, and whether each is of a code block. */
function* withFences(lines: readonly string[]): Generator<{ readonly line: string; readonly isCode: boolean }> {
  let fence: string | undefined
  for (const line of lines) {
    const mark = /^[ \t]*(`{3,}|~{3,})(.*)$/.exec(line)
    if (fence === undefined) {
      if (mark?.[1] !== undefined) fence = mark[1]
      yield { line, isCode: fence !== undefined }
    } else {
      yield { line, isCode: true }
      const closes = mark?.[1]?.startsWith(fence) === true && (mark[2] ?? '').trim() === ''
      if (closes) fence = undefined
    }
  }
}
