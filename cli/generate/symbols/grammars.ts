import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Language as Grammar, Parser } from 'web-tree-sitter'
import { Failure } from '#contract/failure.ts'

/** Grammars, by the names of their files. */
export type GrammarName = 'typescript' | 'tsx' | 'javascript' | 'python' | 'go' | 'rust' | 'java'

/** The build puts them beside the program; this code is in its entry, in a folder of chunks, or in its source. */
const places = ['./grammars/', '../grammars/', '../../../dist/grammars/'].map(
  (place) => new URL(place, import.meta.url),
)

let runtime: Promise<void> | undefined
const grammars = new Map<GrammarName, Promise<Parser>>()

/** A file of `dist/grammars/`. */
async function read(name: string): Promise<Uint8Array> {
  const place = places.find((folder) => existsSync(new URL(name, folder)))
  if (place === undefined)
    throw new Failure('unavailable', `${name} is not beside this program.`, {
      hint: 'Install the command line again, or run npm run build where its source is.',
    })
  return await readFile(new URL(name, place))
}

async function load(name: GrammarName): Promise<Parser> {
  runtime ??= read('web-tree-sitter.wasm').then((wasmBinary) => Parser.init({ wasmBinary }))
  await runtime
  const grammar = await Grammar.load(await read(`tree-sitter-${name}.wasm`))
  return new Parser().setLanguage(grammar)
}

/** The parser of a language, loaded when the first file needs it. */
export function parserOf(name: GrammarName): Promise<Parser> {
  let parser = grammars.get(name)
  if (parser === undefined) {
    parser = load(name)
    grammars.set(name, parser)
  }
  return parser
}
