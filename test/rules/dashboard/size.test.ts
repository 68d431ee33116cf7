import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { dist } from '#lib/paths.ts'

/** What Vite says of the modules that begin a file. */
interface Chunk {
  readonly file: string
  readonly imports?: readonly string[]
  readonly dynamicImports?: readonly string[]
}

const dashboard = join(dist, 'dashboard')
const kB = 1_000

const manifest = JSON.parse(readFileSync(join(dashboard, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>

function chunk(name: string): Chunk {
  const found = manifest[name]
  if (found === undefined) throw new Error(`dist/dashboard has no ${name}: build the dashboard`)
  return found
}

/** Compressed bytes of JavaScript that these modules need. @param isWhole also what they fetch later */
function weigh(names: readonly string[], isWhole: (name: string) => boolean = () => false): number {
  const seen = new Set<string>()
  const visit = (name: string): void => {
    if (seen.has(name)) return
    seen.add(name)
    const { imports = [], dynamicImports = [] } = chunk(name)
    for (const next of imports) visit(next)
    if (isWhole(name)) for (const next of dynamicImports) visit(next)
  }
  for (const name of names) visit(name)
  const files = new Set([...seen].map((name) => chunk(name).file).filter((file) => file.endsWith('.js')))
  return [...files].reduce((sum, file) => sum + statSync(join(dashboard, `${file}.gz`)).size, 0)
}

it('shows a project after at most 120 kB of compressed JavaScript', () => {
  expect(weigh(['index.html', 'pages/overview/overview.tsx'])).toBeLessThanOrEqual(120 * kB)
})

it('edits a page after at most 350 kB of compressed JavaScript, with all that the editor fetches later', () => {
  const isEditor = (name: string): boolean => name.startsWith('pages/editor/')
  expect(weigh(['index.html', 'pages/editor/editor.tsx'], isEditor)).toBeLessThanOrEqual(350 * kB)
})
