import { Eye, FilePlus, FileText, PanelLeft, PencilLine, Sparkles, Upload, X } from 'lucide-react'
import { lazy, Suspense, useEffect, useMemo, useRef, useState, type ReactNode } from 'react'
import { Link, useNavigate, useSearchParams } from 'react-router'
import type { Account } from '../../../contract/accounts.ts'
import type { Branch } from '../../../contract/branches.ts'
import type { ProjectFile } from '../../../contract/files.ts'
import type { Project } from '../../../contract/projects.ts'
import { paths } from '../../paths.ts'
import { BranchIndex } from '../../../authoring/branch-index.ts'
import { branchChanged, readFile, type Place } from '../../queries/files.ts'
import { may } from '../../queries/projects.ts'
import { IconButton } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { Confirm } from '../../ui/dialog.tsx'
import { PageTitle } from '../../ui/page.tsx'
import { toast } from '../../ui/toasts.tsx'
import { Drafts } from './drafts.ts'
import { MoveDialog, NewPageDialog } from './file-dialogs.tsx'
import { FileTree } from './file-tree.tsx'
import { filesAt, isUploadedImage, removeAll, uploadFile } from './file-work.ts'
import { FileView } from './file-view.tsx'
import { HistoryPanel } from './history-panel.tsx'
import { Splitter, useKept } from './panes.tsx'
import { nameOf } from './tree.ts'
import { useShown, useUnsaved } from './unsaved.ts'
import { useOpenFile } from './use-open-file.ts'
import css from './editor.module.css'

const AssistantPanel = lazy(() =>
  import('../assistant/panel.tsx').then((module) => ({ default: module.AssistantPanel })),
)

interface WorkspaceProps {
  readonly project: Project
  readonly branch: Branch
  readonly files: { readonly head: string; readonly items: readonly ProjectFile[] }
  /** Of the file that is open; empty: none. */
  readonly path: string
  readonly account: Account
}

const views = [
  ['files', 'Files', FileText],
  ['write', 'Write', PencilLine],
  ['preview', 'Preview', Eye],
] as const

export function Workspace({ project, branch, files, path, account }: WorkspaceProps) {
  const { slug } = project
  const { id } = branch
  const place = useMemo<Place>(() => ({ slug, id }), [slug, id])
  const drafts = useMemo(() => new Drafts(account.id, id), [account.id, id])
  const index = useMemo(() => new BranchIndex(async (at) => (await readFile(place, at)).content), [place])
  const readOnly = !may(project, 'write')
  const [attempt, setAttempt] = useState(0)
  const opened = useOpenFile({ place, path, drafts, me: account.email, attempt })
  const unsaved = useUnsaved(drafts)
  const [search, setSearch] = useSearchParams()
  const [treeOpen, setTreeOpen] = useKept<boolean>('tree-open', true)
  const [previewOpen, setPreviewOpen] = useKept<boolean>('preview-open', true)
  const [treeSize, setTreeSize] = useKept<number>('tree', 260)
  const view = views.find(([name]) => name === search.get('view'))?.[0] ?? (path === '' ? 'files' : 'write')
  const panel = search.get('panel')
  const items = useShown(files.items, unsaved)
  const isTaken = (one: string): boolean => items.some((file) => file.path === one && file.status !== 'deleted')
  const open = opened.kind === 'text' ? opened.file : undefined

  useEffect(() => index.show(files.items), [index, files.items])
  // Somebody has saved something.
  const { head } = branch
  useEffect(() => {
    if (head !== files.head) branchChanged(place)
    void open?.look()
  }, [head, files.head, place, open])

  const set = (name: string, value: string | undefined): void => {
    const next = new URLSearchParams(search)
    next.delete('at')
    if (value === undefined) next.delete(name)
    else next.set(name, value)
    setSearch(next)
  }
  const addressIn = (file: string): string => {
    const kept = new URLSearchParams()
    for (const name of ['panel', 'conversation']) {
      const value = search.get(name)
      if (value !== null) kept.set(name, value)
    }
    return paths.editor(slug, id, file) + (kept.size === 0 ? '' : `?${kept.toString()}`)
  }
  const navigate = useNavigate()
  const folder = path.slice(0, path.lastIndexOf('/') + 1)

  return (
    <div className={css['editor']}>
      <PageTitle>{path === '' ? branch.name : `${nameOf(path)} · ${branch.name}`}</PageTitle>
      <h1 className="visually-hidden">Editor of {branch.name}</h1>
      <div className={css['switch']} role="group" aria-label="Part of the editor">
        {views.map(([name, label, Icon]) => (
          <button key={name} type="button" aria-pressed={view === name} onClick={() => set('view', name)}>
            <Icon aria-hidden />
            {label}
          </button>
        ))}
      </div>
      <div className={css['body']} data-view={view}>
        {treeOpen ? null : (
          <IconButton
            icon={PanelLeft}
            label="Show files"
            size="small"
            className={css['showTree']}
            onClick={() => setTreeOpen(true)}
          />
        )}
        <aside
          className={classes(css['files'], !treeOpen && css['closed'])}
          style={{ flexBasis: `${treeSize}px` }}
          aria-label="Files of the branch"
        >
          <FilesHead
            {...{ project, branch, place, folder, isTaken, readOnly }}
            onHide={() => setTreeOpen(false)}
            onNew={() => set('new', 'page')}
            onAssistant={() => set('panel', panel === 'assistant' ? undefined : 'assistant')}
          />
          <FileActions
            {...{ place, drafts, path }}
            files={items}
            onGone={() => void navigate(paths.editor(slug, id))}
            onMoved={(next) => void navigate(addressIn(next), { replace: true })}
            beforeMove={() => open?.flush()}
          >
            {(actions) => (
              <FileTree
                files={items}
                path={path}
                drafts={unsaved}
                addressOf={addressIn}
                readOnly={readOnly}
                {...actions}
              />
            )}
          </FileActions>
        </aside>
        {treeOpen ? (
          <Splitter label="Width of the files" size={treeSize} least={180} most={520} onSize={setTreeSize} />
        ) : null}
        <div className={css['main']}>
          <FileView
            {...{ opened, path, place, branch, index, readOnly, isTaken, addressIn }}
            files={items}
            view={view === 'preview' ? 'preview' : 'write'}
            preview={{ isOpen: previewOpen, onChange: setPreviewOpen }}
            onPanel={(name) => set('panel', name)}
            onRetry={() => setAttempt(attempt + 1)}
            onNew={() => set('new', 'page')}
          />
        </div>
        {panel === 'assistant' && !readOnly ? (
          <Suspense>
            <AssistantPanel
              slug={slug}
              branch={id}
              onOpen={(file) => void navigate(addressIn(file))}
              onClose={() => set('panel', undefined)}
            />
          </Suspense>
        ) : null}
        {panel === 'history' && path !== '' ? (
          <aside className={css['panel']} aria-label="History of this file">
            <header className={css['panelHead']}>
              <h2>History</h2>
              <IconButton icon={X} label="Close the history" size="small" onClick={() => set('panel', undefined)} />
            </header>
            <div className={css['panelBody']}>
              <HistoryPanel
                place={place}
                path={path}
                text={() => open?.text ?? ''}
                onRestore={readOnly || open === undefined ? undefined : (text) => open.write(text)}
              />
            </div>
          </aside>
        ) : null}
      </div>
      <NewPageDialog
        open={search.has('new') && !readOnly}
        onClose={() => set('new', undefined)}
        place={place}
        files={items}
        folder={folder}
        onMade={(made) => void navigate(paths.editor(slug, id, made))}
      />
    </div>
  )
}

interface FilesHeadProps {
  readonly project: Project
  readonly branch: Branch
  readonly place: Place
  readonly folder: string
  readonly isTaken: (path: string) => boolean
  readonly readOnly: boolean
  readonly onHide: () => void
  readonly onNew: () => void
  readonly onAssistant: () => void
}

function FilesHead({ project, branch, place, folder, isTaken, readOnly, onHide, onNew, onAssistant }: FilesHeadProps) {
  const chooser = useRef<HTMLInputElement>(null)
  const upload = async (chosen: readonly File[]): Promise<void> => {
    for (const file of chosen) {
      const added = await uploadFile(place, file, { folder: isUploadedImage(file) ? 'images/' : folder, isTaken })
      toast.done(`${added.path} is on the branch.`, added.undo)
    }
  }
  return (
    <div className={css['filesHead']}>
      <Link to={paths.branch(project.slug, branch.id)} className={css['branch']} title="The branch">
        {branch.name}
      </Link>
      {readOnly ? null : (
        <>
          <IconButton icon={Sparkles} label="Assistant" size="small" onClick={onAssistant} />
          <IconButton icon={FilePlus} label="New page" size="small" onClick={onNew} />
          <IconButton icon={Upload} label="Upload files" size="small" onClick={() => chooser.current?.click()} />
          <input
            ref={chooser}
            type="file"
            multiple
            hidden
            aria-label="Files to upload"
            onChange={(event) => {
              const chosen = Array.from(event.target.files ?? [])
              event.target.value = ''
              void upload(chosen).catch(toast.failed)
            }}
          />
        </>
      )}
      <IconButton icon={PanelLeft} label="Hide files" size="small" className={css['hideTree']} onClick={onHide} />
    </div>
  )
}

interface FileActionsProps {
  readonly place: Place
  readonly drafts: Drafts
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
function FileActions({ place, drafts, files, path, onGone, onMoved, beforeMove, children }: FileActionsProps) {
  const [moving, setMoving] = useState<string>()
  const [deleting, setDeleting] = useState<string>()
  // What is taken back later is about the file that is open then.
  const open = useRef(path)
  useEffect(() => {
    open.current = path
  }, [path])
  const isOpenIn = (what: string): boolean =>
    what.endsWith('/') ? open.current.startsWith(what) : open.current === what
  const remove = async (what: string): Promise<void> => {
    const undo = await removeAll(place, files, what)
    if (isOpenIn(what)) onGone()
    toast.done(`${what} is deleted.`, undo)
  }
  return (
    <>
      {children({
        onRename: (what) => {
          beforeMove()
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
        {...{ place, files, drafts }}
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
