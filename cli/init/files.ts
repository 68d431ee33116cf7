import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isPage } from '../../src/authoring/page-paths.ts'
import { withName } from '../../src/authoring/starter.ts'
import { Failure } from '../../src/contract/failure.ts'
import { dist } from '../../src/lib/paths.ts'
import { walk } from '../deploying/walk.ts'

/** A file that is to be written. */
export interface NewFile {
  /** From the working directory. */
  readonly path: string
  readonly content: string
}

const ignored = `# What a deploy leaves out, in the words of a .gitignore.
# Hidden files and node_modules are left out anyway.
drafts/
`

/** What a folder of documentation begins with; pages only where it has none. */
export async function starterFiles(folder: string, title: string): Promise<NewFile[]> {
  const own = { path: join(folder, '.quireignore'), content: ignored }
  if (await hasPages(folder)) {
    const config = `${JSON.stringify({ name: title }, null, 2)}\n`
    return [{ path: join(folder, 'docs.json'), content: config }, own]
  }
  const starter = join(dist, 'starter')
  const entries = await readdir(starter, { recursive: true, withFileTypes: true })
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const files = await Promise.all(
    paths.toSorted().map(async (file) => {
      const path = file.slice(starter.length + 1)
      const content = await readFile(file, 'utf8')
      return { path: join(folder, path), content: path === 'docs.json' ? withName(content, title) : content }
    }),
  )
  return [...files, own]
}

/** Pages, or the settings of pages that are to come. */
async function hasPages(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch((): string[] => [])
  if (names.includes('docs.json') || names.includes('mint.json')) return true
  if (names.length === 0) return false
  for await (const entry of walk(folder, ({ name }) => name !== 'node_modules'))
    if (entry.type === 'file' && isPage(entry.path)) return true
  return false
}

/** @returns whether it was written: what is there stays. @throws Failure invalid_request where it cannot be */
export async function writeNew({ path, content }: NewFile): Promise<boolean> {
  try {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, content, { flag: 'wx' })
    return true
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EEXIST' && (await isFile(path))) return false
    const why = code === 'EEXIST' || code === 'ENOTDIR' ? 'something else has its place' : String(code)
    throw new Failure('invalid_request', `${path} cannot be written: ${why}.`, {
      hint: 'What was written before it is there; run the command again where you may write.',
      cause: error,
    })
  }
}

/** Of a path where nothing could be made: a file in the place of a folder is no file that stays. */
async function isFile(path: string): Promise<boolean> {
  return readFile(path).then(
    () => true,
    () => false,
  )
}
