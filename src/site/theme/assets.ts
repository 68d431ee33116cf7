import { readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { dist } from '../../paths.ts'
import type { ThemeAssets } from '../shell.ts'

/** What `vite.config.mjs` writes beside the files. */
interface Manifest extends ThemeAssets {
  /** Names of all files; they carry a hash of their bytes. */
  readonly files: readonly string[]
}

export interface ThemeFile {
  readonly bytes: Buffer
  /** The whole Content-Type header. */
  readonly type: string
}

export interface Theme {
  readonly assets: ThemeAssets
  /** By URL path: `/_quire/main-….js`. About 3 MB in all, nearly all of it the drawing library of diagrams. */
  readonly files: ReadonlyMap<string, ThemeFile>
}

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/**
 * Reads the built theme. Every file may be served for ever, as its name is of its content. The page of the diagram
 * frame brings its own Content-Security-Policy in a `<meta>`: serve it without another, or with one that allows its
 * inline script. It is shown in frames without an origin, so it needs no protection from its neighbours.
 * @throws {Error} when it is not built
 */
export function loadTheme(): Theme {
  const folder = join(dist, 'theme')
  const { files, ...assets } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Manifest
  return {
    assets,
    files: new Map(
      files.map((name) => [`/_quire/${name}`, { bytes: readFileSync(join(folder, name)), type: typeOf(name) }]),
    ),
  }
}

function typeOf(name: string): string {
  const type = TYPES[extname(name)]
  if (type === undefined) throw new Error(`The theme has a file of a type that it does not know: ${name}`)
  return type
}
