import type { Parser, Tree } from 'web-tree-sitter'
import { languageOf } from '../source/file-names.ts'
import type { Language } from '../source/source-file.ts'
import { readGo } from './go.ts'
import { type GrammarName, parserOf } from './grammars.ts'
import { resolveImports } from './imports.ts'
import { readJava } from './java.ts'
import { readJavaScript } from './javascript.ts'
import { readPython } from './python.ts'
import { readRust } from './rust.ts'
import { type ModuleContents, Source, symbolLimits } from './source.ts'
import type { FileSymbols } from './symbol.ts'

const readers: Readonly<Record<Language, (source: Source) => ModuleContents>> = {
  typescript: readJavaScript,
  javascript: readJavaScript,
  python: readPython,
  go: readGo,
  rust: readRust,
  java: readJava,
}

/** The grammar of TypeScript takes `<T>x` for a cast, that of TSX for an element. */
const grammarOf = (path: string, language: Language): GrammarName => (/\.tsx$/i.test(path) ? 'tsx' : language)

/**
 * What a file of source offers to others, with signatures and comments.
 * @param path Tells the language; of a file in no language that is read, nothing comes.
 * @param tree Paths of the files that imports are looked up among.
 * @throws Failure `unavailable` where the grammars are missing; never for what stands in the file.
 */
export async function readSymbols(
  path: string,
  text: string,
  tree: ReadonlySet<string> = new Set(),
): Promise<FileSymbols | undefined> {
  const language = languageOf(path)
  if (language === undefined) return undefined
  const parser = await parserOf(grammarOf(path, language))
  // Lines are counted by their feeds alone, and neither mark is part of what anybody wrote.
  const plain = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n')
  const parsed = parse(parser, plain)
  if (parsed === undefined)
    return { path, language, symbols: [], reexports: [], imports: [], syntaxErrors: 0, truncated: true }
  try {
    const source = new Source(plain, parsed.rootNode)
    const { doc, symbols, reexports, imports } = readers[language](source)
    return {
      path,
      language,
      ...(doc === undefined || doc === '' ? {} : { doc: doc.slice(0, symbolLimits.doc) }),
      symbols,
      reexports: reexports.slice(0, symbolLimits.symbols),
      imports: resolveImports(language, path, imports.slice(0, symbolLimits.symbols), tree),
      syntaxErrors: parsed.rootNode.hasError ? Math.max(1, parsed.rootNode.descendantsOfType('ERROR').length) : 0,
      ...(source.truncated ? { truncated: true as const } : {}),
    }
  } finally {
    parsed.delete()
  }
}

/** @returns nothing where it takes too long */
function parse(parser: Parser, text: string): Tree | undefined {
  const deadline = performance.now() + symbolLimits.parseMs
  const tree = parser.parse(text, null, { progressCallback: () => performance.now() > deadline })
  if (tree === null) parser.reset()
  return tree ?? undefined
}
