import { isScript } from './module.ts'

/** What an import leads to. */
type Specifier =
  | { readonly kind: 'page' | 'script' | 'asset' | 'data'; readonly path: string }
  | { readonly kind: 'react' }
  | { readonly kind: 'package'; readonly name: string }
  /** Code of the repository that the folder of the project is in. */
  | { readonly kind: 'outside' }
  | { readonly kind: 'refused'; readonly reason: string }

/** How names of files end that code is imported from without the end. */
export const scriptEnds: readonly string[] = ['.jsx', '.tsx', '.js', '.ts', '/index.js', '/index.ts']
/** What stands for React in browsers. */
const react: ReadonlySet<string> = new Set(['react', 'react-dom', 'react/jsx-runtime'])
const assets = /\.(?:png|jpe?g|gif|webp|avif|svg|ico|mp4|webm|mp3|pdf|css)$/i

/**
 * Resolves what stands behind `from` to a path in the project: `/x` from its root, `./x` from the importing file.
 * Nothing is decoded and nothing is looked up outside of the project’s own files.
 */
export function resolveSpecifier(specifier: string, importer: string): Specifier {
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(specifier)) return { kind: 'refused', reason: 'it holds a control character' }
  if (specifier.includes('\\')) return { kind: 'refused', reason: 'it holds a backslash; use `/`' }
  if (specifier.includes('%')) return { kind: 'refused', reason: 'it holds a percent sign' }
  const scheme = /^[a-z][a-z\d+.-]*:/i.exec(specifier)?.[0]
  if (scheme !== undefined)
    return { kind: 'refused', reason: `\`${scheme}\` is not allowed; only files of the project can be imported` }
  if (specifier.startsWith('//')) return { kind: 'refused', reason: 'it names a host' }
  if (react.has(specifier)) return { kind: 'react' }
  const relative = /^\.\.?\//.test(specifier)
  if (!relative && !specifier.startsWith('/') && !/\.mdx?$/.test(specifier)) return { kind: 'package', name: specifier }
  const path = joinInside(relative ? importer.split('/').slice(0, -1) : [], specifier)
  if (path === undefined)
    return /\.mdx?$/i.test(specifier) ? { kind: 'refused', reason: 'it leads out of the project' } : { kind: 'outside' }
  if (/\.mdx?$/i.test(path)) return { kind: 'page', path }
  if (isScript(path) || !hasEnd(path)) return { kind: 'script', path }
  return { kind: assets.test(path) ? 'asset' : 'data', path }
}

/** Joins and normalises; undefined where `..` climbs above the root. */
function joinInside(base: readonly string[], path: string): string | undefined {
  const segments = [...base]
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment !== '..') segments.push(segment)
    else if (segments.pop() === undefined) return undefined
  }
  return segments.length === 0 ? undefined : segments.join('/')
}

/** Where `<Snippet file="x.mdx" />` looks, in order; undefined for a name that leads out of the project. */
export function snippetPaths(file: string): readonly string[] | undefined {
  const specifier = resolveSpecifier(file.startsWith('/') ? file : `/${file}`, '')
  if (specifier.kind !== 'page') return undefined
  const inner = joinInside(['snippets'], specifier.path)
  return inner === undefined ? undefined : [...new Set([inner, `_snippets/${specifier.path}`, specifier.path])]
}

/** Whether the name of a file says what it is: `a.jsx`, not `a`. */
export function hasEnd(path: string): boolean {
  return /\.[^/]*$/.test(path)
}
