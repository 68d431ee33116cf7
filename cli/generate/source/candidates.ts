import { dirname } from 'node:path'
import { type WalkEntry, walk } from '../../deploying/walk.ts'
import {
  isBuilt,
  isConfig,
  isGeneratedName,
  isLockFile,
  isMinifiedName,
  isVendored,
  kindOf,
  secretByName,
} from './file-names.ts'
import type { SkipReason, SkippedFile } from './source-file.ts'

export const skip = (path: string, reason: SkipReason, detail: string): SkippedFile => ({ path, reason, detail })

/** Walks, and leaves out what its name tells all about. */
export async function listCandidates(
  root: string,
  except: ReadonlySet<string>,
  mostFiles: number,
): Promise<{ entries: readonly WalkEntry[]; skipped: readonly SkippedFile[] }> {
  const entries: WalkEntry[] = []
  const skipped: SkippedFile[] = []
  const manifests = new Map<string, boolean>()
  const builtFolders: string[] = []
  const wants = (entry: WalkEntry): boolean => {
    const isBesideManifest = manifests.get(dirname(entry.absolute)) ?? false
    if (/\*$|\p{Cc}/u.test(entry.name)) {
      skipped.push(skip(entry.path, 'odd-name', 'has a name that no comment of a page can hold'))
      return false
    }
    if (entry.type !== 'directory') {
      const secret = secretByName(entry.name)
      if (secret !== undefined) skipped.push(skip(entry.path, 'secret', `is named like ${secret}`))
      else if (isLockFile(entry.name)) skipped.push(skip(entry.path, 'lock-file', 'is a lock file'))
      else if (isMinifiedName(entry.name)) skipped.push(skip(entry.path, 'minified', 'is made of another file'))
      else if (isGeneratedName(entry.name))
        skipped.push(skip(entry.path, 'generated', 'is named like a generated file'))
      else return true
      return false
    }
    if (except.has(entry.absolute)) return false
    if (isVendored(entry.name, isBesideManifest)) {
      skipped.push(skip(`${entry.path}/`, 'vendored', 'holds code of others, or what tools left'))
      return false
    }
    if (isBesideManifest && isBuilt(entry.name)) builtFolders.push(`${entry.path}/`)
    return true
  }
  const enters = (directory: string, names: readonly string[]): void => {
    manifests.set(directory, directory === root || names.some(isConfig))
  }
  for await (const entry of walk(root, wants, { enters })) {
    if (entries.length + skipped.length >= mostFiles) {
      skipped.push(skip(entry.path, 'too-many', `and what follows: ${mostFiles} files are read at most`))
      break
    }
    if (entry.type === 'file') entries.push(entry)
    else if (entry.type === 'symbolic-link') skipped.push(skip(entry.path, 'symbolic-link', 'is a symbolic link'))
    else skipped.push(skip(entry.path, 'not-regular', 'is not a regular file'))
  }
  return withoutBuilt(entries, skipped, builtFolders)
}

/**
 * What a build wrote says nothing that its source does not say, too. A published package has little else: there it is
 * the source.
 */
function withoutBuilt(
  entries: readonly WalkEntry[],
  skipped: readonly SkippedFile[],
  folders: readonly string[],
): { entries: readonly WalkEntry[]; skipped: readonly SkippedFile[] } {
  const isIn = ({ path }: WalkEntry): boolean => folders.some((folder) => path.startsWith(folder))
  const isSource = ({ path }: WalkEntry): boolean => kindOf(path) === 'source'
  const sources = entries.filter(isSource)
  const inside = sources.filter(isIn).length
  if (inside > sources.length - inside) return { entries, skipped }
  return {
    entries: entries.filter((entry) => !isIn(entry)),
    skipped: [
      ...skipped.filter(({ path }) => !folders.some((folder) => path.startsWith(folder))),
      ...folders.map((folder) => skip(folder, 'generated', 'holds what a build wrote')),
    ],
  }
}
