import { useEffect, useRef, useState, type ReactNode } from 'react'
import type { ProjectFile } from '#contract/files.ts'
import type { FileDrafts } from '../../drafts/file-drafts.ts'
import type { BranchRef } from '../../queries/files.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { toast } from '../../ui/toasts.tsx'
import { MoveDialog } from './move-dialog.tsx'
import { filesAt, removeAll } from './file-work.ts'

interface FileActionsProps {
  readonly branchRef: BranchRef
  readonly drafts: FileDrafts
  readonly files: readonly ProjectFile[]
  readonly path: string
  readonly onGone: () => void
  readonly onMoved: (path: string) => void
  readonly beforeMove: () => void
  readonly children: (actions: {
    readonly onRename: (path: string) => void
    readonly onDelete: (path: string) => void
  }) => ReactNode
}

/** Renames and deletes, with what has to be asked before. */
export function FileActions({
  branchRef,
  drafts,
  files,
  path,
  onGone,
  onMoved,
  beforeMove,
  children,
}: FileActionsProps) {
  const [moving, setMoving] = useState<string>()
  const [deleting, setDeleting] = useState<string>()
  // What is taken back later is about the file that is open then.
  const open = useRef(path)
  useEffect(() => {
    open.current = path
  }, [path])
  // Its last letters go where the rest of it goes.
  const flush = useRef(beforeMove)
  useEffect(() => {
    flush.current = beforeMove
  }, [beforeMove])
  const isOpenIn = (what: string): boolean =>
    what.endsWith('/') ? open.current.startsWith(what) : open.current === what
  const remove = async (what: string): Promise<void> => {
    flush.current()
    const undo = await removeAll({ branchRef, files, drafts }, what)
    if (isOpenIn(what)) onGone()
    toast.done(`${what} is deleted.`, undo)
  }
  return (
    <>
      {children({
        onRename: (what) => {
          flush.current()
          setMoving(what)
        },
        onDelete: (what) => {
          if (what.endsWith('/')) setDeleting(what)
          else void remove(what).catch(toast.failed)
        },
      })}
      <MoveDialog
        path={moving}
        onClose={() => setMoving(undefined)}
        {...{ branchRef, files, drafts }}
        beforeUndo={() => flush.current()}
        onMoved={(from, to) => {
          if (isOpenIn(from)) onMoved(to + open.current.slice(from.length))
        }}
      />
      <Confirm
        open={deleting !== undefined}
        onOpenChange={(next) => (next ? undefined : setDeleting(undefined))}
        title={`Delete ${deleting ?? ''}?`}
        action="Delete folder"
        danger
        onConfirm={() => remove(deleting ?? '')}
      >
        {filesAt(files, deleting ?? '').length} files go with it. Main keeps its own until the branch is published.
      </Confirm>
    </>
  )
}
