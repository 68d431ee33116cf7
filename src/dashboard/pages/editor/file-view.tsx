import { FileQuestion, FilePlus, FileText, RotateCw } from 'lucide-react'
import type { BranchIndex } from '#authoring/branch-index.ts'
import { isImage } from '#authoring/page-paths.ts'
import type { Branch, BranchFileContent } from '#contract/branches.ts'
import type { ProjectFile } from '#contract/files.ts'
import { messageOf } from '../../client.ts'
import type { BranchRef } from '../../queries/files.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Skeleton } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { FileHead } from './file-head.tsx'
import { TextFile } from './text-file.tsx'
import type { Opened } from './use-open-file.ts'
import css from './editor.module.css'

interface FileViewProps {
  readonly opened: Opened
  readonly path: string
  readonly branchRef: BranchRef
  readonly branch: Branch
  readonly files: readonly ProjectFile[]
  readonly index: BranchIndex
  readonly readOnly: boolean
  readonly isTaken: (path: string) => boolean
  readonly addressIn: (path: string) => string
  readonly view: 'write' | 'preview'
  readonly preview: { readonly isOpen: boolean; readonly onChange: (isOpen: boolean) => void }
  readonly onPanel: (panel: 'history') => void
  readonly onWrite: () => void
  readonly onRetry: () => void
  readonly onNew: () => void
}

/** What is at the path of the address, as what it is. */
export function FileView(props: FileViewProps) {
  const { opened, path, branch } = props
  if (opened.kind === 'text' && path !== '') return <TextFile key={path} {...props} file={opened.file} />
  return (
    <>
      <FileHead title={path === '' ? branch.name : path} />
      {opened.kind === 'binary' && path !== '' ? <Binary content={opened.content} /> : <NoText {...props} />}
    </>
  )
}

function NoText({ opened, path, files, readOnly, onRetry, onNew }: FileViewProps) {
  const create = readOnly ? null : (
    <Button icon={FilePlus} look="primary" onClick={onNew}>
      New page
    </Button>
  )
  if (path === '') {
    return (
      <div className={css['empty']}>
        {files.length === 0 ? (
          <Empty icon={FileText} title="This branch has no files yet" action={create}>
            Pages are MDX files: Markdown with components. docs.json puts them in order.
          </Empty>
        ) : (
          <Empty icon={FileText} title="Choose a file to write in" action={create}>
            What you type is kept in this browser at once. Save brings it to the branch, where its preview shows it.
          </Empty>
        )}
      </div>
    )
  }
  if (opened.kind === 'loading') {
    return (
      <div className={css['empty']}>
        <Skeleton lines={10} />
      </div>
    )
  }
  if (opened.kind === 'failed') {
    return (
      <div className={css['empty']}>
        <Notice
          tone="danger"
          action={
            <Button size="small" icon={RotateCw} onClick={onRetry}>
              Try again
            </Button>
          }
        >
          {messageOf(opened.error)}
        </Notice>
      </div>
    )
  }
  return (
    <div className={css['empty']}>
      <Empty icon={FileQuestion} title={`There is no ${path} on this branch`} action={create}>
        It was renamed or deleted, or the address has a mistake.
      </Empty>
    </div>
  )
}

const imageTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  ico: 'image/x-icon',
}

/** An image is shown; of what else is no text, its size. */
function Binary({ content: { path, content, size } }: { readonly content: BranchFileContent }) {
  const type = imageTypes[path.slice(path.lastIndexOf('.') + 1).toLowerCase()]
  const words =
    size < 1024 ? `${size} bytes` : `${(size / 1024).toLocaleString(undefined, { maximumFractionDigits: 1 })} KB`
  if (!isImage(path) || type === undefined) {
    return (
      <div className={css['empty']}>
        <Empty icon={FileQuestion} title="This file is no text">
          It has {words}. It is served as it is; to change it, upload another one under its name, or use Git.
        </Empty>
      </div>
    )
  }
  return (
    <figure className={css['image']}>
      <img src={`data:${type};base64,${content}`} alt={path} />
      <figcaption>
        {words}. Show it in a page with <code>{`![](/${path})`}</code>
      </figcaption>
    </figure>
  )
}
