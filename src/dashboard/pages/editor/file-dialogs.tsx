import { useState } from 'react'
import { newPagePath, newPageText, pathTrouble, typedPath } from '../../../authoring/page-paths.ts'
import { Failure } from '../../../contract/failure.ts'
import type { ProjectFile } from '../../../contract/files.ts'
import { saveFile, type Place } from '../../queries/files.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Form, FormActions } from '../../ui/form.tsx'
import { toast } from '../../ui/toasts.tsx'
import type { Drafts } from './drafts.ts'
import { filesAt, moveAll } from './file-work.ts'

interface NewPageProps {
  readonly open: boolean
  readonly onClose: () => void
  readonly place: Place
  readonly files: readonly ProjectFile[]
  /** Where it is suggested; empty, or with a slash at its end. */
  readonly folder: string
  readonly onMade: (path: string) => void
}

const isThere = (files: readonly ProjectFile[], path: string): boolean =>
  files.some((file) => file.path === path && file.status !== 'deleted')

function refuseTrouble(files: readonly ProjectFile[], path: string): void {
  const trouble = pathTrouble(path) ?? (isThere(files, path) ? `There is a ${path} already.` : undefined)
  if (trouble !== undefined)
    throw new Failure('invalid_path', trouble, { errors: [{ pointer: '/path', message: trouble }] })
}

export function NewPageDialog({ open, onClose, place, files, folder, onMade }: NewPageProps) {
  const [title, setTitle] = useState('')
  const [typed, setTyped] = useState<string>()
  const suggested = newPagePath(title, folder, (path) => isThere(files, path))
  const close = (): void => {
    setTitle('')
    setTyped(undefined)
    onClose()
  }
  return (
    <Dialog open={open} onOpenChange={(next) => (next ? undefined : close())} title="New page">
      <Form
        onSubmit={async () => {
          const path = typedPath(typed ?? suggested, 'page.mdx')
          refuseTrouble(files, path)
          const text = newPageText(title.trim() === '' ? 'New page' : title.trim())
          await saveFile(place, path, { content: text, message: `Add ${path}` }, null)
          close()
          onMade(path)
        }}
      >
        {(busy) => (
          <>
            <TextField
              name="title"
              label="Title"
              autoComplete="off"
              autoFocus
              value={title}
              onChange={(event) => setTitle(event.target.value)}
            />
            <TextField
              name="path"
              label="File"
              autoComplete="off"
              spellCheck={false}
              value={typed ?? suggested}
              hint="Folders are part of the page’s address: guides/start.mdx is at /guides/start."
              onChange={(event) => setTyped(event.target.value)}
            />
            <FormActions>
              <Button type="submit" look="primary" busy={busy}>
                Create page
              </Button>
            </FormActions>
          </>
        )}
      </Form>
    </Dialog>
  )
}

interface MoveProps {
  /** What is moved: a file, or a folder with a slash at its end; undefined: nothing. */
  readonly path: string | undefined
  readonly onClose: () => void
  readonly place: Place
  readonly files: readonly ProjectFile[]
  readonly drafts: Drafts
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

function MoveForm({ path, onClose, place, files, drafts, onMoved }: MoveProps & { readonly path: string }) {
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
        const { links, left, undo } = await moveAll({ place, files, drafts }, path, to)
        onClose()
        onMoved(path, to)
        toast.done(`${path} is ${to} now.${linksText(links)}${leftText(left)}`, async () => {
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
  return left.length === 0 ? '' : ` Not in ${left.slice(0, 3).join(', ')}, which you have not saved.`
}
