import { useEffect, useState, useSyncExternalStore } from 'react'
import type { BranchFileContent } from '#contract/branches.ts'
import { isFailure } from '../../client.ts'
import type { FileDrafts } from '../../drafts/file-drafts.ts'
import { readFile, type BranchRef } from '../../queries/files.ts'
import { BranchFile } from './branch-file.ts'
import { OpenFile } from './open-file.ts'
import type { OpenFileState } from './open-file-state.ts'
import { versionOf } from './versions.ts'

/** What is at a path: a text to edit, something that is none, nothing, or why that is not known. */
export type Opened =
  | { readonly kind: 'loading' }
  | { readonly kind: 'text'; readonly file: OpenFile }
  | { readonly kind: 'binary'; readonly content: BranchFileContent }
  | { readonly kind: 'missing' }
  | { readonly kind: 'failed'; readonly error: unknown }

interface Asked {
  readonly branchRef: BranchRef
  readonly path: string
  readonly drafts: FileDrafts
  readonly me: string
  readonly readOnly: boolean
  /** Another number opens it anew. */
  readonly attempt: number
}

export function useOpenFile({ branchRef, path, drafts, me, readOnly, attempt }: Asked): Opened {
  const [opened, setOpened] = useState<Opened & { readonly path?: string }>({ kind: 'loading' })
  useEffect(() => {
    const controller = new AbortController()
    let shown: Opened | undefined
    const show = (next: Opened): void => {
      shown = next
      if (!controller.signal.aborted) setOpened({ ...next, path })
      else if (next.kind === 'text') next.file.close()
    }
    void open({ branchRef, path, drafts, me, readOnly }, controller.signal).then(show, (error: unknown) =>
      show({ kind: 'failed', error }),
    )
    return () => {
      controller.abort()
      if (shown?.kind === 'text') shown.file.close()
    }
  }, [branchRef, path, drafts, me, readOnly, attempt])
  // What was open before is not what this address shows.
  return opened.path === path ? opened : { kind: 'loading' }
}

async function open({ branchRef, path, me, ...options }: Omit<Asked, 'attempt'>, signal: AbortSignal): Promise<Opened> {
  const content = await readFile(branchRef, path, signal).catch((error: unknown) => {
    if (isFailure(error, 'not_found')) return undefined
    throw error
  })
  if (content?.encoding === 'base64') return { kind: 'binary', content }
  const file = await OpenFile.open(
    { ...options, path, branch: new BranchFile(branchRef, path, me, content) },
    versionOf(content),
  )
  return file === undefined ? { kind: 'missing' } : { kind: 'text', file }
}

/** With each letter; of no file, nothing. */
export function useFileText(file: OpenFile | undefined): string {
  return useSyncExternalStore(file?.subscribe ?? never, () => file?.text ?? '')
}

const never = () => () => undefined

export function useFileState(file: OpenFile): OpenFileState {
  return useSyncExternalStore(file.subscribe, () => file.state)
}
