import type { Language } from '../source/source-file.ts'

export type SymbolKind =
  | 'function'
  | 'class'
  | 'method'
  | 'property'
  | 'type'
  | 'interface'
  | 'constant'
  | 'variable'
  | 'enum'
  | 'module'
  | 'macro'

/** Something that a file offers to others. */
export interface ExportedSymbol {
  /** As it is declared: `Parser`. Methods of Go have their receiver's type as the parent. */
  readonly name: string
  /** As importers name it, where that is another: `default`, the `b` of `export { a as b }`. */
  readonly exportedAs?: string
  readonly kind: SymbolKind
  /** The declaration without its body, in one line: `export async function load(path: string): Promise<Config>`. */
  readonly signature: string
  /** Of the comment or docstring, without its marks. */
  readonly doc?: string
  /** First and last line of the declaration with its body, from 1. */
  readonly line: number
  readonly endLine: number
  /** Public methods, fields, variants of an enum, what a module holds. */
  readonly members?: readonly ExportedSymbol[]
}

export interface FileSymbols {
  readonly path: string
  readonly language: Language
  /** Comment of the file, module or package. */
  readonly doc?: string
  readonly symbols: readonly ExportedSymbol[]
  /** What it re-exports from elsewhere: `* from './a.js'`, `{ b } from 'c'`, `pub use d::e`. */
  readonly reexports: readonly string[]
  /** Modules that it imports, as they are written; relative ones of TypeScript, JavaScript and Python resolved in the tree where the file is found. */
  readonly imports: readonly string[]
  /** Places that the parser could not make sense of; what stands around them is still read. */
  readonly syntaxErrors: number
  /** There was more than is read of one file, or it took too long. */
  readonly truncated?: true
}
