import { components as ours } from '#site/components/registry.ts'
import type { Carried } from '../modules.ts'
import type { Dialect } from '../site.ts'
import { changeOf, nameTabs, type ComponentContext } from './components.ts'
import { elementOf, textOfValue, writeTag, type Element } from './elements.ts'
import { markdownEdits, type LinkContext } from './addresses.ts'
import { applyEdits, nodesIn, parseTree, type Edit, type Node } from './tree.ts'

export interface MdxContext extends LinkContext {
  readonly dialect: Dialect
  /** Something that is missing, with the line in the text. */
  readonly note: (kind: 'component' | 'markup' | 'code', message: string, line: number) => void
  /** Where the snippet stands that a page imports; undefined for what is no page. */
  readonly snippet: (specifier: string) => string | undefined
  /** Where a file of code goes that a page imports, or why it stays behind; undefined for other files. */
  readonly code: (specifier: string) => Carried | undefined
  /** A file that a page imports, as an address. */
  readonly asset: (specifier: string) => string | undefined
  /** The text of a file that a page imports. */
  readonly file: (specifier: string) => string | undefined
  readonly cards: () => string | undefined
}

/** Comes from the framework itself: what it brings is mapped or reported where it is used. */
const ownPackages = /^(?:@theme|@docusaurus|@astrojs|astro|nextra|next|react|vitepress|vue|@site\/src\/theme)/

interface Imports {
  /** Names of pictures, with their addresses. */
  readonly assets: ReadonlyMap<string, string>
  /** Names of texts: `import source from './a.js?raw'`. */
  readonly raws: ReadonlyMap<string, string>
  readonly snippets: ReadonlySet<string>
  /** Names that stay behind, with why where that is known. */
  readonly behind: ReadonlyMap<string, string | undefined>
}

/** MDX with the framework’s components → with ours. @throws Error where it is no MDX */
export function convertMdx(text: string, context: MdxContext): string {
  const root = parseTree(text, 'mdx')
  const edits: Edit[] = []
  const imports = readImports(root, context, edits)
  const defined = definedIn(root)
  for (const node of nodesIn(root)) {
    if (node.type !== 'mdxJsxFlowElement' && node.type !== 'mdxJsxTextElement') continue
    const element = elementOf(node, text)
    nameTabs(element)
    edits.push(...elementEdits(element, text, { ...context, imports, defined }))
  }
  edits.push(...markdownEdits(root, text, context))
  return applyEdits(text, edits)
}

function readImports(root: Node, context: MdxContext, edits: Edit[]): Imports {
  const assets = new Map<string, string>()
  const raws = new Map<string, string>()
  const snippets = new Set<string>()
  const behind = new Map<string, string | undefined>()
  for (const node of nodesIn(root)) {
    for (const statement of node.type === 'mdxjsEsm' ? (node.data?.estree?.body ?? []) : []) {
      const { start, end, loc } = statement
      const line = loc?.start.line ?? 1
      if (statement.type === 'ExportDefaultDeclaration') {
        context.note('component', 'A layout of the page’s own, `export default`, was left out.', line)
        edits.push({ start, end, text: '' })
      }
      if (statement.type !== 'ImportDeclaration') continue
      const from = String(statement.source.value)
      const name = statement.specifiers.find(({ type }) => type === 'ImportDefaultSpecifier')?.local.name
      const raw = rawImport(from) === undefined ? undefined : context.file(rawImport(from) ?? '')
      if (raw !== undefined && name !== undefined) {
        raws.set(name, raw)
        edits.push({ start, end, text: '' })
        continue
      }
      const snippet = name === undefined ? undefined : context.snippet(from)
      if (snippet !== undefined && name !== undefined) {
        snippets.add(name)
        edits.push({ start, end, text: `import ${name} from '${snippet}'` })
        continue
      }
      const names = statement.specifiers.map(({ local }) => local.name)
      const code = names.length === 0 ? undefined : context.code(from)
      if (code !== undefined && 'path' in code) {
        for (const own of names) snippets.add(own)
        const place = statement.source as typeof statement.source & { readonly start: number; readonly end: number }
        edits.push({ start: place.start, end: place.end, text: `'${code.path}'` })
        continue
      }
      for (const own of names) behind.set(own, code?.reason)
      edits.push({ start, end, text: '' })
      const asset = context.asset(from)
      if (asset !== undefined && name !== undefined) assets.set(name, asset)
      // A component is told of where it is used.
      else if (asset === undefined && !ownPackages.test(from) && !names.some((own) => /^[A-Z]/.test(own)))
        context.note('component', `It imports ${from}, which was not carried over.`, line)
    }
  }
  return { assets, raws, snippets, behind }
}

/** `!!raw-loader!./a.js` of webpack, `./a.js?raw` of Vite: what it names as a text. */
const rawImport = (specifier: string): string | undefined =>
  /^!*raw-loader!(.+)$/.exec(specifier)?.[1] ?? /^(.+)\?raw$/.exec(specifier)?.[1]

/** Names that the page makes itself: `export const Frame = …`. */
function definedIn(root: Node): ReadonlySet<string> {
  const names = new Set<string>()
  for (const { type, value = '' } of root.children ?? [])
    if (type === 'mdxjsEsm')
      for (const [, name = ''] of value.matchAll(/export\s+(?:const|let|function)\s+([\w$]+)/g)) names.add(name)
  return names
}

interface Inside extends MdxContext {
  readonly imports: Imports
  readonly defined: ReadonlySet<string>
}

function elementEdits(element: Element, text: string, context: Inside): Edit[] {
  const { name, start, innerStart, innerEnd, end, isSelfClosing } = element
  const line = element.node.position?.start.line ?? 1
  const mapping: ComponentContext = {
    dialect: context.dialect,
    text,
    link: context.link,
    picture: (code) => pictureIn(code, context.imports, context.asset),
    raw: (own) => context.imports.raws.get(own),
    cards: context.cards,
    inner: ({ innerStart: from, innerEnd: to }) =>
      applyEdits(text.slice(from, to), insideEdits(element, text, context)),
    note: (message, at) => context.note('component', message, at),
  }
  const [root = name] = name.split('.')
  const change = context.imports.snippets.has(root) ? undefined : changeOf(element, mapping)
  if (change !== undefined) {
    if ('whole' in change)
      return [{ start, end, text: change.whole.replaceAll(/\n(?=.)/g, `\n${indentAt(text, start)}`) }]
    const open = { start, end: innerStart, text: change.open }
    return isSelfClosing ? [{ ...open, end }] : [open, { start: innerEnd, end, text: change.close }]
  }
  const isOurs =
    ours.has(name) ||
    name === 'Snippet' ||
    /^[a-z][^-]*$/.test(name) ||
    context.imports.snippets.has(root) ||
    context.defined.has(name)
  if (isOurs) return attributeEdits(element, context)
  const why = context.imports.behind.get(root)
  context.note(
    'component',
    `\`<${name}>\` is a component of the site’s own${why === undefined ? '' : ` (${why})`}: ${isSelfClosing ? 'a comment stands in its place' : 'what stands in it stays'}.`,
    line,
  )
  const comment = (own: string): string => `{/* ${own.replaceAll('*/', '* /')} */}`
  if (isSelfClosing) return [{ start, end, text: comment(text.slice(start, end)) }]
  const parent = parentOf(element)
  const [open, close] = parent === undefined ? ['', ''] : [`\n<${parent}>`, `</${parent}>`]
  return [
    { start, end: innerStart, text: comment(text.slice(start, innerStart)) + open },
    { start: innerEnd, end, text: close },
  ]
}

/** Ours for what a component was that is gone, where its children are parts of one: entries of a tree, tabs, cards. */
function parentOf({ node }: Element): string | undefined {
  const names = (node.children ?? []).flatMap(({ type, name }) => (type.startsWith('mdxJsx') ? [name ?? ''] : []))
  const isAll = (pattern: RegExp): boolean => names.length > 0 && names.every((name) => pattern.test(name))
  if (isAll(/^FileTree\./)) return 'Tree'
  return isAll(/^(?:Tabs\.Tab|TabItem)$/) ? 'Tabs' : isAll(/^Cards\.Card$/) ? 'CardGroup' : undefined
}

/** What stands before an offset on its line, as blanks: a list item goes on behind them. */
function indentAt(text: string, start: number): string {
  const before = text.slice(text.lastIndexOf('\n', start - 1) + 1, start)
  return /^\s*$/.test(before) ? before : ' '.repeat(before.length)
}

/** Edits of what is in an element, counted from where that begins. */
function insideEdits(element: Element, text: string, context: Inside): Edit[] {
  const edits: Edit[] = []
  for (const child of element.node.children ?? []) {
    for (const node of nodesIn(child)) {
      if (node.type !== 'mdxJsxFlowElement' && node.type !== 'mdxJsxTextElement') continue
      const inner = elementOf(node, text)
      nameTabs(inner)
      edits.push(...elementEdits(inner, text, context))
    }
    edits.push(...markdownEdits(child, text, context))
  }
  return edits.map(({ start, end, text: own }) => ({
    start: start - element.innerStart,
    end: end - element.innerStart,
    text: own,
  }))
}

const addresses = new Set(['href', 'src', 'to', 'poster', 'img', 'srcDark', 'light', 'dark'])

/** Addresses of a tag that stays, and pictures that were imported. */
function attributeEdits(element: Element, { link, imports, asset, note }: Inside): Edit[] {
  const { attributes, name, start, innerStart, isSelfClosing } = element
  let isChanged = false
  const changed = [...attributes].flatMap(([key, value]): (readonly [string, typeof value])[] => {
    const own = typeof value === 'object' ? (pictureIn(value.code, imports, asset) ?? textOfValue(value)) : value
    if (key.startsWith('client:')) {
      isChanged = true
      return []
    }
    // A function that names nothing that stayed behind runs here as well.
    const isOwn = typeof value === 'object' && ![...imports.behind.keys()].some((other) => value.code.includes(other))
    if (/^on[A-Z]/.test(key) && !isOwn) {
      note(
        'component',
        `\`${key}\` of \`<${name}>\` needs a script, and was left out.`,
        element.node.position?.start.line ?? 1,
      )
      isChanged = true
      return []
    }
    if (!addresses.has(key) || typeof own !== 'string') return [[key, value]]
    const resolved = link(own)
    if (typeof value === 'object' || resolved !== value) isChanged = true
    return [[key, resolved]]
  })
  return isChanged ? [{ start, end: innerStart, text: writeTag(name, changed, isSelfClosing) }] : []
}

/** `{image}`, `{image.src}`, `{require('./image.png').default}`, `{useBaseUrl('/image.png')}`. */
function pictureIn(code: string, { assets }: Imports, asset: MdxContext['asset']): string | undefined {
  const own = code.trim()
  const known = assets.get(own.replace(/\.(?:src|default)$/, ''))
  if (known !== undefined) return known
  const [, , path] = /^(?:require|useBaseUrl|withBase)\(\s*(["'`])(.*?)\1\s*\)(?:\.default)?$/.exec(own) ?? []
  return path === undefined ? undefined : (asset(path) ?? path)
}
