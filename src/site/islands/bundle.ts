import type { Rolldown } from 'vite'
import { build } from 'vite'
import type { IslandModule, IslandSource } from '../page.ts'

/** What the service asks of the child, one at a time. */
export interface BundleRequest {
  readonly source: IslandSource
  /** URL path of what stands for React: the same for all islands, so that browsers load it once. */
  readonly runtime: string
}

/** Why there is no bundle. Line and column, where they are known, are 1-based and of the file, or of the code of a page. */
export interface BundleError {
  readonly message: string
  readonly path?: string
  readonly line?: number
  readonly column?: number
}

export type BundleReply = { readonly code: string } | { readonly error: BundleError }

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
/** Components of the theme that make sense without it: what they hold is shown plainly. */
const plain = (
  'Accordion AccordionGroup Badge Callout Card CardGroup Check CodeBlock CodeGroup Column Columns Danger Expandable ' +
  'Frame Icon Info Note Panel ParamField ResponseField Step Steps Tab Tabs Tile Tip Tooltip Update Warning'
).split(' ')
const inject: Readonly<Record<string, string | [string, string]>> = Object.fromEntries([
  ...hooks.map((name) => [name, ['quire-runtime', name]] as const),
  ...plain.map((name) => [name, ['quire-runtime', name]] as const),
  ['React', 'quire-runtime'] as const,
  ['Fragment', ['quire-runtime', 'Fragment']] as const,
])

const prefix = '\0quire:'
const entry = 'quire:entry'
/** A file of the site that code asks for, as pictures are: its address. */
const asset = '\0asset:'

/**
 * Bundles the islands of one module. Nothing is read but what is handed in: a name that is not among the imports of a
 * module is refused before anything looks for it, and no configuration, environment or plugin of anybody takes part.
 */
export async function bundle({ source, runtime }: BundleRequest): Promise<BundleReply> {
  try {
    const result = await build({
      configFile: false,
      envDir: false,
      publicDir: false,
      root: '/nonexistent',
      cacheDir: '/nonexistent',
      logLevel: 'silent',
      appType: 'custom',
      css: { postcss: { plugins: [] } },
      oxc: false,
      define: { 'process.env.NODE_ENV': '"production"' },
      plugins: [closed(source, runtime)],
      build: {
        write: false,
        target: 'es2022',
        minify: 'oxc',
        modulePreload: false,
        reportCompressedSize: false,
        rolldownOptions: {
          input: { island: entry },
          preserveEntrySignatures: 'strict',
          tsconfig: false,
          output: { entryFileNames: '[name].js', codeSplitting: false },
          transform: { jsx: { runtime: 'automatic', importSource: 'react' }, inject },
        },
      },
    })
    const [file] = (result as Rolldown.RolldownOutput).output
    return { code: file.code }
  } catch (error) {
    return { error: explained(error) }
  }
}

function closed({ modules }: IslandSource, runtime: string): Rolldown.Plugin & { enforce: 'pre' } {
  const byPath = new Map<string, IslandModule>(modules.map((module) => [module.path, module]))
  return {
    name: 'quire:closed',
    enforce: 'pre',
    resolveId(id, importer) {
      if (runtimeNames.has(id)) return { id: runtime, external: 'absolute' }
      if (importer === undefined && id === entry) return `${prefix}${modules[0]?.path}`
      const from = importer?.startsWith(prefix) === true ? byPath.get(importer.slice(prefix.length)) : undefined
      const target = from !== undefined && Object.hasOwn(from.imports, id) ? from.imports[id] : undefined
      if (target === 'react') return { id: runtime, external: 'absolute' }
      if (target?.startsWith('asset:') === true) return `${asset}${target.slice('asset:'.length)}`
      if (target !== undefined && byPath.has(target)) return prefix + target
      throw new Error(`\`${id}\` cannot be imported: only React and files of the project can`)
    },
    load(id) {
      if (id.startsWith(asset)) {
        const href = id.slice(asset.length)
        // Style sheets of a site are on each of its pages anyway.
        return href.endsWith('.css') ? '' : `export default ${JSON.stringify(href)}`
      }
      const module = byPath.get(id.slice(prefix.length))
      if (module === undefined) throw new Error('There is no such file')
      const lang = /\.[cm]?tsx?$/i.test(module.path) ? 'tsx' : 'jsx'
      requireWhole(this.parse(module.code, { lang }))
      return { code: module.code, moduleType: lang }
    },
  }
}

/** What is loaded while it runs is loaded from somewhere: plugins of Vite would look for it among the files here. */
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

function explained(error: unknown): BundleError {
  const log = (error as Log).errors?.[0] ?? (error as Log)
  // eslint-disable-next-line no-control-regex
  const text = String(log.message ?? error).replaceAll(/\u001B\[[\d;]*m/g, '')
  const line = text.split('\n').find((one) => one.trim() !== '' && !one.startsWith('Build failed')) ?? ''
  const message = line
    .replace(/^\[[^\]]*\]\s*/, '')
    .replaceAll(/(?:\0|\\0|\u2400)?quire:/g, '')
    .slice(0, 500)
  const file = log.loc?.file ?? log.id
  return {
    message,
    ...(file?.startsWith(prefix) === true ? { path: file.slice(prefix.length) } : {}),
    ...(log.loc === undefined ? {} : { line: log.loc.line, column: log.loc.column + 1 }),
  }
}
