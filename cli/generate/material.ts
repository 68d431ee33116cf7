import { sha256 } from './lock.ts'
import type { PlannedPage } from './plan.ts'
import { textOf, type Project } from './project.ts'
import type { ExportedSymbol, FileSymbols } from './symbols/symbol.ts'

/** UTF-16 units of the sources of one page, about 15,000 tokens, and of that at most for the outlines. */
const maxMaterial = 56_000
const maxOutline = 24_000

/** A symbol as the model sees it. */
export interface OutlinedSymbol {
  readonly name: string
  readonly kind: string
  readonly signature?: string
  readonly doc?: string
  /** First and last line. */
  readonly lines: readonly [number, number]
  readonly members?: readonly OutlinedSymbol[]
}

export interface OutlinedFile {
  readonly path: string
  /** How many it has. */
  readonly lines: number
  readonly language?: string
  readonly doc?: string
  readonly symbols?: readonly OutlinedSymbol[]
}

/** What a page is written from. */
export interface Material {
  readonly files: readonly OutlinedFile[]
  /** Text of each file with the numbers of its lines: whole, or the parts that matter most. */
  readonly excerpts: readonly { readonly path: string; readonly text: string }[]
  /** Of all of it: the page is as good as new while this stays. */
  readonly hash: string
}

/** Collects what a page is written from, within a budget that its files share. */
export async function materialOf(page: PlannedPage, project: Project): Promise<Material> {
  const texts = new Map<string, readonly string[]>()
  for (const path of page.sources) texts.set(path, linesOf(await textOf(project, path)))
  const files = outlineFiles(page.sources, project, texts)
  const room = maxMaterial - JSON.stringify(files).length
  const shown = new Map(files.map(({ path }) => [path, texts.get(path) ?? []]))
  const excerpts = shareOut(shown, room).map(({ path, share }) => ({
    path,
    text: excerptOf(texts.get(path) ?? [], project.symbols.get(path), share),
  }))
  return { files, excerpts, hash: sha256(JSON.stringify([files, excerpts])) }
}

export function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** With signatures and comments as far as there is room; else with names only; else files alone. */
function outlineFiles(
  paths: readonly string[],
  project: Project,
  texts: ReadonlyMap<string, readonly string[]>,
): OutlinedFile[] {
  const details: readonly Detail[] = ['full', 'names', 'none']
  let files: OutlinedFile[] = []
  for (const detail of details) {
    files = paths.map((path) => {
      const symbols = project.symbols.get(path)
      const lines = texts.get(path)?.length ?? 0
      return { path, lines, ...(symbols === undefined ? {} : outlined(symbols, detail)) }
    })
    if (JSON.stringify(files).length <= maxOutline) return files
  }
  // The rest of so many files has no room: no page could say something of all of them.
  let left = maxOutline
  return files.filter((file) => (left -= JSON.stringify(file).length + 1) > 0)
}

/** How much of symbols is told. */
type Detail = 'full' | 'names' | 'none'

const maxMembers = 60
const maxDoc = 400

/** The symbols of a file for a model. */
function outlined(
  file: FileSymbols,
  detail: Detail,
): { readonly language: string; readonly doc?: string; readonly symbols?: OutlinedSymbol[] } {
  const symbol = (one: ExportedSymbol): OutlinedSymbol => ({
    name: one.exportedAs === undefined || one.exportedAs === 'default' ? one.name : one.exportedAs,
    kind: one.kind,
    ...(detail === 'full' ? { signature: one.signature.slice(0, 400) } : {}),
    ...(detail === 'full' && one.doc !== undefined ? { doc: one.doc.slice(0, maxDoc) } : {}),
    lines: [one.line, one.endLine],
    ...(detail === 'full' && one.members !== undefined && one.members.length > 0
      ? { members: one.members.slice(0, maxMembers).map(symbol) }
      : {}),
  })
  return {
    language: file.language,
    ...(file.doc === undefined || detail !== 'full' ? {} : { doc: file.doc.slice(0, maxDoc) }),
    ...(detail === 'none' ? {} : { symbols: file.symbols.map(symbol) }),
  }
}

/** Small files whole; what they leave of their share goes to the larger ones. */
function shareOut(
  texts: ReadonlyMap<string, readonly string[]>,
  room: number,
): { readonly path: string; readonly share: number }[] {
  const sizes = [...texts].map(([path, lines]) => ({ path, size: sizeOf(lines) }))
  const shares = new Map<string, number>()
  let [left, files] = [room, sizes.length]
  for (const { path, size } of sizes.toSorted((a, b) => a.size - b.size)) {
    const share = Math.max(0, Math.min(size, Math.floor(left / files)))
    shares.set(path, share)
    left -= share
    files -= 1
  }
  return sizes.map(({ path }) => ({ path, share: shares.get(path) ?? 0 }))
}

const numberWidth = 6
const sizeOf = (lines: readonly string[]): number => lines.reduce((sum, line) => sum + line.length + numberWidth + 1, 0)

/** The file with numbered lines; when it is too long, its beginning and as many whole declarations as there is room for. */
function excerptOf(lines: readonly string[], symbols: FileSymbols | undefined, share: number): string {
  if (sizeOf(lines) <= share) return numbered(lines, [[1, lines.length]])
  const ranges: [number, number][] = []
  let left = share
  const take = (from: number, to: number): void => {
    const size = sizeOf(lines.slice(from - 1, to)) + numberWidth
    if (size > left) return
    ranges.push([from, to])
    left -= size
  }
  const head = symbols === undefined || symbols.symbols.length === 0 ? lines.length : 12
  for (let to = head; to > 0; to = Math.floor(to / 2)) {
    take(1, to)
    if (ranges.length > 0) break
  }
  for (const { line, endLine } of byWeight(symbols?.symbols ?? [])) take(line, endLine)
  return numbered(lines, ranges)
}

/** What is documented first, then what others call; short before long, so that more of it is whole. */
function byWeight(symbols: readonly ExportedSymbol[]): ExportedSymbol[] {
  const weight = ({ kind, doc }: ExportedSymbol): number =>
    (doc === undefined ? 2 : 0) + (kind === 'constant' || kind === 'variable' ? 1 : 0)
  const length = ({ line, endLine }: ExportedSymbol): number => endLine - line
  return symbols.toSorted((a, b) => weight(a) - weight(b) || length(a) - length(b) || a.line - b.line)
}

function numbered(lines: readonly string[], ranges: readonly (readonly [number, number])[]): string {
  const shown: string[] = []
  let next = 1
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    if (to < next) continue
    if (from > next) shown.push(`${' '.repeat(numberWidth - 1)}…`)
    for (let line = Math.max(from, next); line <= to; line++)
      shown.push(`${String(line).padStart(numberWidth - 1)}| ${lines[line - 1] ?? ''}`)
    next = Math.max(next, to + 1)
  }
  if (next <= lines.length) shown.push(`${' '.repeat(numberWidth - 1)}…`)
  return shown.join('\n')
}
