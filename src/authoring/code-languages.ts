import type { TextColor } from './text-style.ts'

/** What may go on over several lines. */
export interface CodeBlock {
  readonly open: string
  readonly close: string
  readonly color: TextColor
}

/** As much of a language as makes its code easier to read; nobody compiles it here. */
export interface CodeLanguage {
  /** Begins a comment that ends with its line. */
  readonly comment?: readonly string[]
  readonly blocks?: readonly CodeBlock[]
  readonly quotes?: string
  readonly keywords?: ReadonlySet<string>
  /** At the beginning of a line, such as a key of YAML: its first group is indentation, its second the key. */
  readonly key?: RegExp
  /** A string before a colon is a key. */
  readonly quotedKeys?: true
  /** `$name`. */
  readonly variables?: true
  readonly tags?: true
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))
const slashes: CodeBlock = { open: '/*', close: '*/', color: 'comment' }
const htmlComment: CodeBlock = { open: '<!--', close: '-->', color: 'comment' }

const javascript: CodeLanguage = {
  comment: ['//'],
  blocks: [slashes, { open: '`', close: '`', color: 'string' }],
  quotes: `"'`,
  keywords: words(
    'as async await break case catch class const continue debugger default delete do else enum export extends false ' +
      'finally for from function get if implements import in instanceof interface let new null of package private ' +
      'protected public readonly return satisfies set static super switch this throw true try type typeof undefined var ' +
      'void while with yield',
  ),
}
const python: CodeLanguage = {
  comment: ['#'],
  blocks: [
    { open: '"""', close: '"""', color: 'string' },
    { open: "'''", close: "'''", color: 'string' },
  ],
  quotes: `"'`,
  keywords: words(
    'False None True and as assert async await break class continue def del elif else except finally for from global if ' +
      'import in is lambda match nonlocal not or pass raise return self try while with yield',
  ),
}
const shell: CodeLanguage = {
  comment: ['#'],
  quotes: `"'`,
  variables: true,
  keywords: words(
    'case cd do done echo elif else esac exit export fi for function if in local return set source sudo then until while',
  ),
}
const json: CodeLanguage = {
  comment: ['//'],
  blocks: [slashes],
  quotes: '"',
  quotedKeys: true,
  keywords: words('true false null'),
}
const yaml: CodeLanguage = {
  comment: ['#'],
  quotes: `"'`,
  key: /^(\s*(?:- +)*)([^\s#:'"{}[\]-][^:#]*)(?=:(?:\s|$))/,
  keywords: words('true false null yes no on off'),
}
const toml: CodeLanguage = {
  comment: ['#'],
  quotes: `"'`,
  key: /^(\s*)([\w."'-]+)(?=\s*=)/,
  keywords: words('true false'),
}
const css: CodeLanguage = {
  blocks: [slashes],
  quotes: `"'`,
  key: /^(\s*)([\w-]+)(?=\s*:)/,
  keywords: words('important media import supports keyframes layer container'),
}
const markup: CodeLanguage = { blocks: [htmlComment], quotes: `"'`, tags: true }
const go: CodeLanguage = {
  comment: ['//'],
  blocks: [slashes, { open: '`', close: '`', color: 'string' }],
  quotes: `"'`,
  keywords: words(
    'any bool break byte case chan const continue default defer else error fallthrough false float64 for func go goto if ' +
      'import int interface map nil package range return select string struct switch true type var',
  ),
}
const rust: CodeLanguage = {
  comment: ['//'],
  blocks: [slashes],
  quotes: '"',
  keywords: words(
    'as async await bool break const continue crate else enum extern false fn for if impl in let loop match mod move mut ' +
      'pub ref return self Self static str String struct super trait true type u8 u32 u64 i32 i64 unsafe use usize where while',
  ),
}
/** Java, C and their like. */
const braces: CodeLanguage = {
  comment: ['//'],
  blocks: [slashes],
  quotes: `"'`,
  keywords: words(
    'abstract bool boolean break byte case catch char class const continue default do double else enum extends false ' +
      'final finally float for foreach fun func function if implements import in include int interface internal let long ' +
      'namespace new nil null override package private protected public return short static string struct super switch ' +
      'this throw throws true try typedef unsigned use using val var virtual void when while',
  ),
}
const ruby: CodeLanguage = {
  comment: ['#'],
  quotes: `"'`,
  keywords: words(
    'alias and begin break case class def do else elsif end ensure false for if in module next nil not or require rescue ' +
      'return self super then true unless until when while yield',
  ),
}
const sql: CodeLanguage = {
  comment: ['--'],
  blocks: [slashes],
  quotes: `'"`,
  keywords: words(
    [
      'select from where insert into values update set delete create table index view drop alter add join left right inner',
      'outer on group by order having limit offset union all distinct as and or not null is in like primary key references',
    ]
      .join(' ')
      .replaceAll(/\w+/g, (word) => `${word} ${word.toUpperCase()}`),
  ),
}

/** The names that writers put behind a fence, the usual one first. */
const named: readonly (readonly [string, CodeLanguage])[] = [
  ['bash sh shell zsh fish console terminal curl shellscript powershell ps1 dockerfile makefile', shell],
  ['json jsonc json5', json],
  ['yaml yml', yaml],
  ['javascript js jsx mjs cjs', { ...javascript, tags: true }],
  ['typescript ts tsx mts', { ...javascript, tags: true }],
  ['html xml svg vue svelte astro', markup],
  ['css scss less', css],
  ['python py', python],
  ['go golang', go],
  ['rust rs', rust],
  ['java c cpp c++ csharp cs kotlin swift php dart scala', braces],
  ['ruby rb elixir', ruby],
  ['sql', sql],
  ['toml ini properties env', toml],
  ['graphql proto', braces],
]
const byName = new Map(named.flatMap(([names, language]) => names.split(' ').map((name) => [name, language] as const)))

/** By the name behind a fence, or the ending of a file; undefined where it is not known. */
export function codeLanguage(name: string): CodeLanguage | undefined {
  return byName.get(name.toLowerCase())
}

/** What can stand behind a fence: the common ones first. */
export const fenceLanguages: readonly string[] = (
  'bash json yaml javascript typescript tsx jsx html css python go rust java c cpp csharp kotlin swift php ruby sql ' +
  'toml xml graphql proto dockerfile diff text markdown mdx mermaid http powershell ini'
).split(' ')
/** The language of the expressions and imports of a page. */
export const expressionLanguage: CodeLanguage = javascript
export const frontMatterLanguage: CodeLanguage = yaml
