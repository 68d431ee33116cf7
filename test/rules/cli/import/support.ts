import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { importSite } from '#cli/import/import.ts'
import type { Left } from '#cli/import/report.ts'
import { writeFiles } from '#test/support/temporary.ts'

interface NewSite {
  readonly framework: string
  /** What docs.json says. */
  readonly settings: Record<string, unknown> & { readonly navigation: unknown; readonly redirects?: unknown }
  /** Text of a page or a snippet, by path. */
  readonly text: (path: string) => string
  readonly paths: readonly string[]
  readonly left: readonly Left[]
}

/** A project of these files, imported. */
export async function imported(files: Readonly<Record<string, string>>): Promise<NewSite> {
  const directory = await mkdtemp(join(tmpdir(), 'quire-test-'))
  try {
    await writeFiles(directory, files)
    return readable(importSite(directory))
  } finally {
    await rm(directory, { recursive: true })
  }
}

function readable(site: ReturnType<typeof importSite>): NewSite {
  const byPath = new Map(site.files.map((file) => [file.path, file]))
  const text = (path: string): string => {
    const file = byPath.get(path)
    if (file === undefined) throw new Error(`There is no ${path}, but ${[...byPath.keys()].join(', ')}.`)
    return 'text' in file ? file.text : `from ${file.from}`
  }
  return {
    framework: site.framework,
    settings: JSON.parse(text('docs.json')) as NewSite['settings'],
    text,
    paths: [...byPath.keys()],
    left: site.left,
  }
}

/** What an import says that it left, a line for each. */
export const said = ({ left }: NewSite): string =>
  left.map(({ kind, path, line, message }) => `${kind} ${path}:${line ?? ''} ${message}`).join('\n')
