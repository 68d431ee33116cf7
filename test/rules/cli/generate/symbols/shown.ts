import { readSymbols } from '#cli/generate/symbols/read.ts'
import type { ExportedSymbol, FileSymbols } from '#cli/generate/symbols/symbol.ts'

/** What is read of a file that must be in a language that is read. */
export async function symbolsOf(path: string, text: string, tree?: ReadonlySet<string>): Promise<FileSymbols> {
  const file = await readSymbols(path, text, tree)
  if (file === undefined) throw new Error(`${path} is in no language that is read`)
  return file
}

/** The symbols of a file, one in a line: `3-5 function name = signature — comment`, members indented. */
export async function shown(path: string, text: string): Promise<string[]> {
  return (await symbolsOf(path, text)).symbols.flatMap((symbol) => linesOf(symbol, ''))
}

function linesOf(symbol: ExportedSymbol, indent: string): string[] {
  const { name, exportedAs, kind, signature, doc, line, endLine, members = [] } = symbol
  const alias = exportedAs === undefined ? '' : ` as ${exportedAs}`
  const about = doc === undefined ? '' : ` — ${doc}`
  return [
    `${indent}${line}-${endLine} ${kind} ${name}${alias} = ${signature}${about}`,
    ...members.flatMap((member) => linesOf(member, `${indent}  `)),
  ]
}
