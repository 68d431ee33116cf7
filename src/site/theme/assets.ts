import { existsSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { dist } from '../../lib/paths.ts'
import type { ThemeAssets } from '../shell.ts'

/** URL paths of what bundles of islands import. */
export interface IslandAssets {
  /** What stands for React. */
  readonly runtime: string
  /** Components of the theme. */
  readonly components: string
}

/** What `vite.config.mjs` writes beside the files. */
interface Manifest extends ThemeAssets {
  /** The style of changelogs, which are no part of sites. */
  readonly changelog: string
  /** The script of `quire dev`, which is no part of sites either. */
  readonly local: string
  /** URL path of the style of a changelog’s entries, for its pages on sites. */
  readonly entries: string
  readonly islands: IslandAssets
  /** All files; their names carry a hash of their bytes. */
  readonly files: readonly { readonly name: string; readonly csp?: string }[]
}

export interface ThemeFile {
  readonly bytes: Buffer
  /** The whole Content-Type header. */
  readonly type: string
  /** Content-Security-Policy to serve it with. */
  readonly csp?: string
  /** The same bytes as they were compressed when they were built; the command line comes without. */
  readonly compressed?: { readonly br: Buffer; readonly gzip: Buffer }
}

export interface Theme {
  readonly assets: ThemeAssets
  /** URL path of the style of a changelog’s entries. */
  readonly entries: string
  readonly islands: IslandAssets
  /** By URL path: `/_quire/main-….js`. About 3 MB in all and half as much compressed, nearly all of it the drawing library of diagrams. */
  readonly files: ReadonlyMap<string, ThemeFile>
}

const folder = join(dist, 'theme')

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

let loaded: Theme | undefined

/**
 * The built theme, read once. Every file may be served for ever, as its name is of its content.
 * @throws {Error} when it is not built
 */
export function loadTheme(): Theme {
  return (loaded ??= readTheme())
}

function readTheme(): Theme {
  const { files, changelog: _, local: __, entries: style, islands, ...assets } = readManifest()
  const entries = files.map(({ name, ...headers }): [string, ThemeFile] => [
    `/_quire/${name}`,
    { bytes: readFileSync(join(folder, name)), type: typeOf(name), ...headers, ...compressedOf(join(folder, name)) },
  ])
  return { assets, entries: style, islands, files: new Map(entries) }
}

/** The style sheet of changelogs; its name is of its content. @throws {Error} when the theme is not built */
export function loadChangelogStyle(): { readonly name: string; readonly bytes: Buffer } {
  const { changelog: name } = readManifest()
  return { name, bytes: readFileSync(join(folder, name)) }
}

/** The script with which a page of `quire dev` shows changes. @throws {Error} when the theme is not built */
export function loadLocalScript(): Buffer {
  return readFileSync(join(folder, readManifest().local))
}

function compressedOf(file: string): Pick<ThemeFile, 'compressed'> {
  if (!existsSync(`${file}.br`)) return {}
  return { compressed: { br: readFileSync(`${file}.br`), gzip: readFileSync(`${file}.gz`) } }
}

function readManifest(): Manifest {
  return JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Manifest
}

function typeOf(name: string): string {
  const type = types[extname(name)]
  if (type === undefined) throw new Error(`The theme has a file of a type that it does not know: ${name}`)
  return type
}
