import { bundledLanguagesInfo } from 'shiki/langs'
import type { IGrammar, IRawGrammar } from 'shiki/textmate'
import { Registry } from 'shiki/textmate'
import { classesOf, unionTheme } from './palette.ts'
import { createScanners } from './scanner.ts'

/** A grammar ready to use, with the classes of its registry’s colour ids. */
export interface Language {
  readonly grammar: IGrammar
  readonly classes: readonly string[]
}

interface RawGrammar extends IRawGrammar {
  readonly name: string
  readonly scopeName: string
  readonly injectTo?: readonly string[]
}

/** Names without colours. They are known all the same. */
const plainNames = new Set(['', 'text', 'txt', 'plain', 'plaintext', 'none', 'output', 'ansi'])

/** Names that writers use and the grammars’ own lists lack. */
const moreAliases: Readonly<Record<string, string>> = {
  curl: 'shellscript',
  env: 'dotenv',
  golang: 'go',
  gradle: 'groovy',
  htm: 'html',
  node: 'javascript',
  nodejs: 'javascript',
  plist: 'xml',
  svg: 'xml',
}

/** Words that writers know a language by, where the grammar's own name is another one. */
const labels: Readonly<Record<string, string>> = { bash: 'Bash', curl: 'cURL', fish: 'Fish', zsh: 'Zsh' }
const labelsByName = new Map(
  bundledLanguagesInfo.flatMap(({ id, name, aliases = [] }) => [id, ...aliases].map((alias) => [alias, name] as const)),
)

/** What readers know a language by: `ts` is TypeScript. Undefined for plain text. */
export function languageLabel(language: string): string | undefined {
  const name = language.toLowerCase()
  if (plainNames.has(name)) return undefined
  const alias = Object.hasOwn(moreAliases, name) ? (moreAliases[name] ?? name) : name
  const known = Object.hasOwn(labels, name) ? labels[name] : (labelsByName.get(name) ?? labelsByName.get(alias))
  return known ?? language.charAt(0).toUpperCase() + language.slice(1)
}

/**
 * What containers embed beside their grammar’s own list. The list is fixed because a grammar that finds another one
 * loaded uses it: with all languages in one place, colours would depend on what was highlighted before.
 */
const prose = ['yaml', 'json', 'shellscript', 'javascript', 'typescript', 'tsx', 'css', 'html', 'python']
const embeds: Readonly<Record<string, readonly string[]>> = {
  markdown: prose,
  mdx: prose,
  astro: ['scss'],
  svelte: ['scss'],
  vue: ['tsx', 'scss', 'json'],
}

const infos = new Map<string, (typeof bundledLanguagesInfo)[number]>()
for (const info of bundledLanguagesInfo) for (const name of [info.id, ...(info.aliases ?? [])]) infos.set(name, info)

/** Canonical name of a fence’s language: `js` is `javascript`; `text` for plain text; undefined when unknown. */
export function resolveLanguage(written: string): string | undefined {
  const name = written.toLowerCase()
  if (plainNames.has(name)) return 'text'
  return (infos.get(name) ?? infos.get(moreAliases[name] ?? ''))?.id
}

/** Languages kept compiled, 2 to 3 MB each. A project has fewer; one with more compiles some again. */
const maxLoaded = 64

const loaded = new Map<string, Promise<Language>>()
let scanners = createScanners()

/** @param id canonical name as of `resolveLanguage`, not `text` */
export function loadLanguage(id: string): Promise<Language> {
  let language = loaded.get(id)
  if (language === undefined) {
    if (loaded.size === maxLoaded) {
      // Compiled patterns are shared, so they go together.
      loaded.clear()
      scanners = createScanners()
    }
    language = load(id)
    loaded.set(id, language)
  }
  return language
}

/** Each language has a registry of its own that knows exactly what it embeds: the result depends on nothing else. */
async function load(id: string): Promise<Language> {
  const onigLib = scanners
  const own = await rawGrammars(id)
  const main = own.at(-1)
  if (main === undefined) throw new Error(`The grammar of ${id} is empty`)
  const embedded = await Promise.all((embeds[id] ?? []).map(rawGrammars))
  const grammars = new Map<string, RawGrammar>()
  for (const grammar of [...embedded.flat(), ...own]) grammars.set(grammar.scopeName, grammar)
  const injections = new Map<string, string[]>()
  for (const grammar of grammars.values())
    for (const target of grammar.injectTo ?? [])
      injections.set(target, [...(injections.get(target) ?? []), grammar.scopeName])
  const registry = new Registry({
    onigLib,
    theme: unionTheme(),
    loadGrammar: (scope) => grammars.get(scope),
    getInjections: (scope) => {
      const parts = scope.split('.')
      return parts.flatMap((_, end) => injections.get(parts.slice(0, end + 1).join('.')) ?? [])
    },
  })
  const grammar = registry.loadGrammar(main.scopeName)
  if (grammar === null) throw new Error(`The grammar of ${id} does not load`)
  return { grammar, classes: classesOf(registry.getColorMap()) }
}

async function rawGrammars(id: string): Promise<readonly RawGrammar[]> {
  const info = infos.get(id)
  if (info === undefined) throw new Error(`No grammar is named ${id}`)
  return (await info.import()).default
}
