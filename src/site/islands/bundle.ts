import { build, type Plugin } from 'rolldown'
import type { IslandModule, IslandSource } from '../page.ts'

/** What the service asks of the child, one at a time. */
export interface BundleRequest {
  readonly source: IslandSource
  /** URL path of what stands for React: the same for all islands, so that browsers load it once. */
  readonly runtime: string
  /** URL path of components of the theme, which is loaded where some are used. */
  readonly components: string
}

/** Why there is no bundle. Line and column, where they are known, are 1-based and of the file, or of the code of a page. */
export interface BundleError {
  readonly message: string
  readonly path?: string
  readonly line?: number
  readonly column?: number
}

export type BundleReply =
  | { readonly code: string }
  | {
      readonly error: BundleError
      /** It cost the child its life. */
      readonly isCostly?: true
    }

const runtimeNames: ReadonlySet<string> = new Set(['react', 'react/jsx-runtime', 'react-dom', 'quire-runtime'])
/** Names that components know without an import, as on other hosts. */
const hooks = [
  'useState',
  'useEffect',
  'useMemo',
  'useRef',
  'useCallback',
  'useContext',
  'useReducer',
  'useLayoutEffect',
  'useId',
  'useImperativeHandle',
  'useDebugValue',
  'useDeferredValue',
  'useTransition',
  'useSyncExternalStore',
  'createContext',
  'memo',
  'forwardRef',
]
/** Components of the theme; `icons` tells them drawings that the code names. */
const themed = (
  'Accordion AccordionGroup Badge Callout Card CardGroup Check CodeBlock CodeGroup Color Column Columns Danger Expandable ' +
  'FileTree Frame GitHub Icon Info Link Note Panel ParamField ResponseField Step Steps Tab Tabs Tile Tip Tooltip Tree Update Warning'
).split(' ')
const inject: Readonly<Record<string, string | [string, string]>> = Object.fromEntries([
  ...hooks.map((name) => [name, ['quire-runtime', name]] as const),
  ...themed.map((name) => [name, ['quire-components', name]] as const),
  ['$quireIcons', ['quire-components', 'icons']] as const,
  ['React', 'quire-runtime'] as const,
  ['$quireSnippet', ['quire-runtime', 'snippet']] as const,
  ['Fragment', ['quire-runtime', 'Fragment']] as const,
])

const entry = 'quire:entry'

/**
 * Bundles the islands of one module. Nothing is read but what is handed in: a name that is not among the imports of a
 * module is refused before anything looks for it. It is the bundler alone, without what Vite does around it: that looks
 * through texts for files of this machine that they name.
 */
export async function bundle({ source, runtime, components }: BundleRequest): Promise<BundleReply> {
  const files = new Files(source)
  try {
    const { output } = await build({
      input: { island: entry },
      cwd: '/nonexistent',
      platform: 'browser',
      logLevel: 'silent',
      preserveEntrySignatures: 'strict',
      tsconfig: false,
      plugins: [closed(files, { runtime, components })],
      transform: {
        target: 'es2022',
        jsx: { runtime: 'automatic', importSource: 'react' },
        define: { 'process.env.NODE_ENV': '"production"' },
        inject,
      },
      write: false,
      output: { entryFileNames: '[name].js', codeSplitting: false, minify: true },
    })
    return { code: output[0].code }
  } catch (error) {
    return { error: explained(error, files) }
  }
}

/** What the bundler knows modules and other files by: numbers, as whatever authors call them may mean something to it. */
class Files {
  readonly #modules: readonly IslandModule[]
  readonly #ids: ReadonlyMap<string, string>
  readonly #assets: string[] = []

  constructor({ modules }: IslandSource) {
    this.#modules = modules
    this.#ids = new Map(modules.map(({ path }, index) => [path, `\0quire:${index}`]))
  }

  get first(): string {
    return '\0quire:0'
  }

  idOf(path: string): string | undefined {
    return this.#ids.get(path)
  }

  module(id: string | undefined): IslandModule | undefined {
    return id?.startsWith('\0quire:') === true ? this.#modules[Number(id.slice('\0quire:'.length))] : undefined
  }

  /** @param href address of a file of the site that code asks for, as pictures are */
  addAsset(href: string): string {
    return `\0asset:${this.#assets.push(href) - 1}`
  }

  asset(id: string): string | undefined {
    return id.startsWith('\0asset:') ? this.#assets[Number(id.slice('\0asset:'.length))] : undefined
  }
}

function closed(files: Files, { runtime, components }: Omit<BundleRequest, 'source'>): Plugin {
  return {
    name: 'quire:closed',
    resolveId(id, importer) {
      if (id === 'quire-components') return { id: components, external: 'absolute' }
      if (runtimeNames.has(id)) return { id: runtime, external: 'absolute' }
      if (importer === undefined && id === entry) return files.first
      const from = files.module(importer)
      const target = from !== undefined && Object.hasOwn(from.imports, id) ? from.imports[id] : undefined
      if (target === 'react') return { id: runtime, external: 'absolute' }
      if (target?.startsWith('asset:') === true) return files.addAsset(target.slice('asset:'.length))
      const found = target === undefined ? undefined : files.idOf(target)
      if (found !== undefined) return found
      throw new Error(`\`${id}\` cannot be imported: only React and files of the project can`)
    },
    load(id) {
      const href = files.asset(id)
      // Style sheets of a site are on each of its pages anyway.
      if (href !== undefined)
        return { code: href.endsWith('.css') ? '' : `export default ${JSON.stringify(href)}`, moduleType: 'js' }
      const module = files.module(id)
      if (module === undefined) throw new Error('There is no such file')
      const lang = /\.[cm]?tsx?$/i.test(module.path) ? 'tsx' : 'jsx'
      requireWhole(this.parse(module.code, { lang }))
      return { code: module.code, moduleType: lang }
    },
  }
}

/** What is loaded while it runs would be loaded from somewhere: there is nothing but what was handed in. */
function requireWhole(program: unknown): void {
  const stack: unknown[] = [program]
  while (stack.length > 0) {
    const node = stack.pop()
    if (typeof node !== 'object' || node === null) continue
    const { type } = node as { readonly type?: unknown }
    if (type === 'MetaProperty' || type === 'ImportExpression')
      throw new Error('`import()` and `import.meta` are not there: everything is imported at the beginning')
    stack.push(...Object.values(node))
  }
}

interface Log {
  readonly message?: string
  readonly id?: string
  readonly loc?: { readonly file?: string; readonly line: number; readonly column: number }
  readonly errors?: readonly Log[]
}

function explained(error: unknown, files: Files): BundleError {
  const log = (error as Log).errors?.[0] ?? (error as Log)
  // eslint-disable-next-line no-control-regex
  const text = String(log.message ?? error).replaceAll(/\u001B\[[\d;]*m/g, '')
  const line = text.split('\n').find((one) => one.trim() !== '' && !/(?:Build|Parse) failed with/.test(one)) ?? ''
  const message = line
    .replace(/^\[[^\]]*\]\s*/, '')
    .replaceAll(/(?:\0|\\0|\u2400)?quire:(\d+)/g, (id, index: string) => files.module(`\0quire:${index}`)?.path ?? id)
    .slice(0, 500)
  const file = files.module(log.loc?.file ?? log.id)
  return {
    message,
    ...(file === undefined ? {} : { path: file.path }),
    ...(log.loc === undefined ? {} : { line: log.loc.line, column: log.loc.column + 1 }),
  }
}
