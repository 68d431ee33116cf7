import type { ExportedSymbol, FileSymbols } from './symbols/symbol.ts'

/** About how many tokens of a model a text is: four bytes each, which is what English and code come to. */
export const estimateTokens = (text: string): number => Math.ceil(Buffer.byteLength(text) / 4)

/** How much is told of each symbol, the most first. */
const details = [
  { memberDocs: true, members: true, docs: true, signature: 1_000 },
  { memberDocs: false, members: true, docs: true, signature: 300 },
  { memberDocs: false, members: false, docs: true, signature: 200 },
  { memberDocs: false, members: false, docs: false, signature: 120 },
] as const
type Detail = (typeof details)[number]

/**
 * The symbols of a file as a model is to see them, with the lines where they stand:
 * `L12-30 export function load(path: string): Config — Reads the settings.`
 * Where they do not fit into the budget, members' comments go first, then members, then comments, then the last symbols.
 */
export function outline(file: FileSymbols, tokenBudget: number): string {
  let lines: string[] = []
  for (const detail of details) {
    lines = [headOf(file), ...file.symbols.flatMap((symbol) => linesOf(symbol, detail, '')), ...reexportsOf(file)]
    if (estimateTokens(lines.join('\n')) <= tokenBudget) return lines.join('\n')
  }
  return fitting(lines, tokenBudget)
}

/** The first lines, and how many there are beside them. */
function fitting(lines: readonly string[], tokenBudget: number): string {
  const rest = (left: number): string => `… and ${left} more`
  // Each line has one byte for its end.
  let bytes = Buffer.byteLength(rest(lines.length))
  const shown = lines.findIndex((line) => (bytes += Buffer.byteLength(line) + 1) > tokenBudget * 4)
  return [...lines.slice(0, shown), rest(lines.length - shown)].join('\n')
}

function headOf({ path, doc }: FileSymbols): string {
  return doc === undefined ? path : `${path} — ${summary(doc)}`
}

const reexportsOf = ({ reexports }: FileSymbols): string[] =>
  reexports.map((text) => `re-exports ${text.slice(0, 300)}`)

function linesOf(symbol: ExportedSymbol, detail: Detail, indent: string): string[] {
  const { line, endLine, signature, exportedAs, doc, members = [] } = symbol
  const place = line === endLine ? `L${line}` : `L${line}-${endLine}`
  const isShown = exportedAs === undefined || signature.includes(exportedAs.replace(/^.*\./, ''))
  const alias = isShown ? '' : ` (exported as ${exportedAs})`
  const hasDoc = doc !== undefined && (indent === '' ? detail.docs : detail.memberDocs)
  const about = hasDoc ? summary(doc) : ''
  const text = signature.length > detail.signature ? `${signature.slice(0, detail.signature - 1)}…` : signature
  return [
    `${indent}${place} ${text}${alias}${about === '' ? '' : ` — ${about}`}`,
    ...(detail.members ? members.flatMap((member) => linesOf(member, detail, `${indent}  `)) : []),
  ]
}

/** The first paragraph of a comment, without tags. */
function summary(doc: string): string {
  const lines = doc.slice(0, 1_000).split('\n')
  const end = lines.findIndex((line, index) => index > 0 && /^\s*(?:@|$)/.test(line))
  const text = lines
    .slice(0, end < 0 ? lines.length : end)
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim()
  if (text.startsWith('@')) return ''
  return text.length > 200 ? `${text.slice(0, 199)}…` : text
}
