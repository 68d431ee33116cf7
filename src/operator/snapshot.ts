import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { projectDocument } from '../access/projects.ts'
import type { Git } from '../content/git/git.ts'
import type { Oid } from '../content/repository.ts'
import { nullIfMissing } from '../lib/disk.ts'
import { diskFileSystem, readIfThere } from '../lib/durable-file.ts'
import { fileOf } from '../storage/names.ts'
import { streamNames } from '../storage/records.ts'

/** What a project was at one instant. All that this refers to was durable before. */
export interface Snapshot {
  readonly slug: string
  /** Text of the document's file; null where there is none: no such project. */
  readonly document: string | null
  /** Null where there is no repository. */
  readonly refs: readonly (readonly [ref: string, oid: Oid])[] | null
  /** Bytes of the files of streams, which only grow while they are held, by path below the project’s folder. */
  readonly grown: Readonly<Record<string, number>>
}

export interface DataDirectory {
  /** Absolute. */
  readonly directory: string
  readonly git: Git
}

/**
 * Reads the snapshot. Whoever calls sees to it that no ref moves and nothing is written to a stream meanwhile: the
 * document is then one that was there while all refs had these values, and the streams these lengths.
 */
export async function readSnapshot({ directory, git }: DataDirectory, slug: string): Promise<Snapshot> {
  const refs = await readRefs(git, join(directory, `${slug}.git`))
  const document = await readIfThere(diskFileSystem, join(directory, fileOf(projectDocument(slug))))
  const grown: Record<string, number> = {}
  for (const folder of streamNames) {
    for (const path of await filesBelow(join(directory, slug), folder))
      grown[path] = (await stat(join(directory, slug, path))).size
  }
  return { slug, document, refs, grown }
}

/** Whether a file is one that is being written, or not part of a project. */
export function isHiddenName(name: string): boolean {
  return name.startsWith('.') || name.endsWith('.tmp')
}

/** Paths of a folder's files, with the folder in front, sorted; none where there is no such folder. Hidden ones are left out. */
export async function filesBelow(root: string, folder = ''): Promise<string[]> {
  const entries = (await readdir(join(root, folder), { withFileTypes: true }).catch(nullIfMissing)) ?? []
  const files: string[] = []
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (isHiddenName(entry.name)) continue
    if (entry.isDirectory()) files.push(...(await filesBelow(root, path)))
    else if (entry.isFile()) files.push(path)
  }
  return files
}

async function readRefs(git: Git, directory: string): Promise<Snapshot['refs']> {
  if ((await stat(join(directory, 'HEAD')).catch(nullIfMissing)) === null) return null
  const output = await git.check(['for-each-ref', '--format=%(objectname) %(refname)'], { directory })
  const lines = output.toString().split('\n')
  return lines.filter((line) => line !== '').map((line) => [line.slice(41), line.slice(0, 40)])
}
