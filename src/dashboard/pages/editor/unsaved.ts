import { useEffect, useMemo, useState } from 'react'
import type { ProjectFile } from '#contract/files.ts'
import type { FileDrafts } from '../../drafts/file-drafts.ts'

/** The files of the branch, and those that are drafts only. */
export function useShown(files: readonly ProjectFile[], unsaved: ReadonlySet<string>): readonly ProjectFile[] {
  return useMemo(() => {
    const known = new Set(files.filter(({ status }) => status !== 'deleted').map(({ path }) => path))
    const fresh = [...unsaved].filter((path) => !known.has(path))
    if (fresh.length === 0) return files
    const others = files.filter(({ path }) => !fresh.includes(path))
    return [...others, ...fresh.map((path): ProjectFile => ({ path, status: 'added', oid: '', size: 0 }))]
  }, [files, unsaved])
}

/** It is here alone: the branch has no such file. */
export const isOnlyDraft = ({ oid }: ProjectFile): boolean => oid === ''

/** Paths with a text here that is not saved. */
export function useUnsaved(drafts: FileDrafts): ReadonlySet<string> {
  const [unsaved, setUnsaved] = useState<ReadonlySet<string>>(new Set())
  useEffect(() => {
    let isOver = false
    const show = (next: ReadonlySet<string>): void =>
      isOver ? undefined : setUnsaved((before) => (isSame(before, next) ? before : next))
    // Where the browser keeps nothing there is nothing to mark; the state of the file says so.
    const read = (): void => void drafts.paths().then(show, () => undefined)
    read()
    const end = drafts.onChange(read)
    return () => {
      isOver = true
      end()
    }
  }, [drafts])
  return unsaved
}

function isSame(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((path) => other.has(path))
}
