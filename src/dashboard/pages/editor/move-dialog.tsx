import { useState } from 'react'
import { typedPath } from '#authoring/page-paths.ts'
import { Failure } from '#contract/failure.ts'
import type { ProjectFile } from '#contract/files.ts'
import type { FileDrafts } from '../../drafts/file-drafts.ts'
import type { BranchRef } from '../../queries/files.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Form, FormActions } from '../../ui/form.tsx'
import { toast } from '../../ui/toasts.tsx'
import { filesAt, moveAll, refuseTrouble } from './file-work.ts'

interface MoveProps {
  /** What is moved: a file, or a folder with a slash at its end; undefined: nothing. */
  readonly path: string | undefined
  readonly onClose: () => void
  readonly branchRef: BranchRef
  readonly files: readonly ProjectFile[]
  readonly drafts: FileDrafts
  readonly beforeUndo: () => void
  readonly onMoved: (from: string, to: string) => void
}

export function MoveDialog({ path, onClose, ...rest }: MoveProps) {
  return (
    <Dialog
      open={path !== undefined}
      onOpenChange={(next) => (next ? undefined : onClose())}
      title={path?.endsWith('/') === true ? 'Rename or move folder' : 'Rename or move file'}
    >
      {path === undefined ? null : <MoveForm path={path} onClose={onClose} {...rest} />}
    </Dialog>
  )
}

function MoveForm({
  path,
  onClose,
  branchRef,
  files,
  drafts,
  beforeUndo,
  onMoved,
}: MoveProps & { readonly path: string }) {
  const isFolder = path.endsWith('/')
  const [typed, setTyped] = useState(isFolder ? path.slice(0, -1) : path)
  const going = filesAt(files, path)
  return (
    <Form
      onSubmit={async () => {
        const to = isFolder ? `${typed.trim().replaceAll(/^\/+|\/+$/g, '')}/` : typedPath(typed, path)
        if (to === path) return onClose()
        if (isFolder && to.startsWith(path)) {
          const message = 'A folder cannot be moved into itself.'
          throw new Failure('invalid_path', message, { errors: [{ pointer: '/path', message }] })
        }
        for (const file of going) refuseTrouble(files, to + file.path.slice(path.length))
        const { links, left, undo } = await moveAll({ branchRef, files, drafts }, path, to)
        onClose()
        onMoved(path, to)
        toast.done(`${path} is ${to} now.${linksText(links)}${leftText(left)}`, async () => {
          beforeUndo()
          await undo()
          onMoved(to, path)
        })
      }}
    >
      {(busy) => (
        <>
          <TextField
            name="path"
            label={isFolder ? 'Folder' : 'File'}
            autoComplete="off"
            spellCheck={false}
            value={typed}
            hint={
              isFolder
                ? `${going.length} ${going.length === 1 ? 'file goes' : 'files go'} along, and links to them are mended.`
                : 'Another folder moves it there. Links to it are mended.'
            }
            onChange={(event) => setTyped(event.target.value)}
          />
          <FormActions>
            <Button type="submit" look="primary" busy={busy}>
              {isFolder ? 'Move folder' : 'Move file'}
            </Button>
          </FormActions>
        </>
      )}
    </Form>
  )
}

function linksText(links: number): string {
  if (links === 0) return ''
  return links === 1 ? ' One link was mended.' : ` ${links} links were mended.`
}

function leftText(left: readonly string[]): string {
  if (left.length === 0) return ''
  const named = left.length > 4 ? left.slice(0, 3) : left
  const rest = left.length - named.length
  const names = `${named.join(', ')}${rest > 0 ? ` and ${rest} more files` : ''}`
  return ` Links in ${names} are as they were: you have not saved what you wrote there.`
}
