import { Eye, FileText, PanelLeft, PencilLine, X } from 'lucide-react'
import { lazy, Suspense, useEffect, useMemo, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { BranchIndex } from '#authoring/branch-index.ts'
import type { Account } from '#contract/accounts.ts'
import type { Branch } from '#contract/branches.ts'
import type { ProjectFile } from '#contract/files.ts'
import type { Project } from '#contract/projects.ts'
import { FileDrafts } from '../../drafts/file-drafts.ts'
import { useStored } from '../../local-storage.ts'
import { paths } from '../../paths.ts'
import { branchChanged, readFile, type BranchRef } from '../../queries/files.ts'
import { may } from '../../queries/projects.ts'
import { IconButton } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { PageTitle } from '../../ui/page.tsx'
import { searchWith } from '../../ui/search-params.ts'
import { toast } from '../../ui/toasts.tsx'
import { useDialog } from '../../ui/use-dialog.ts'
import { FileActions } from './file-actions.tsx'
import { FileTree } from './file-tree.tsx'
import { FileView } from './file-view.tsx'
import { FilesHead } from './files-head.tsx'
import { HistoryPanel } from './history-panel.tsx'
import { NewPageDialog } from './new-page.tsx'
import { Splitter } from './splitter.tsx'
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
  const branchRef = useMemo<BranchRef>(() => ({ slug, id }), [slug, id])
  const drafts = useMemo(() => new FileDrafts(account.id, id), [account.id, id])
  const index = useMemo(() => new BranchIndex(async (at) => (await readFile(branchRef, at)).content), [branchRef])
  const readOnly = !may(project, 'write')
  const [attempt, setAttempt] = useState(0)
  const opened = useOpenFile({ branchRef, path, drafts, me: account.email, readOnly, attempt })
  const unsaved = useUnsaved(drafts)
  const [search, setSearch] = useSearchParams()
  const [treeOpen, setTreeOpen] = useStored<boolean>('quire-editor-tree-open', true)
  const [previewOpen, setPreviewOpen] = useStored<boolean>('quire-editor-preview-open', true)
  const [treeSize, setTreeSize] = useStored<number>('quire-editor-tree', 260)
  const view = views.find(([name]) => name === search.get('view'))?.[0] ?? (path === '' ? 'files' : 'write')
  const panel = search.get('panel')
  const [isAdding, setAdding] = useDialog('new', 'page')
  const items = useShown(files.items, unsaved)
  const isTaken = (one: string): boolean => items.some((file) => file.path === one && file.status !== 'deleted')
  const open = opened.kind === 'text' ? opened.file : undefined

  useEffect(() => index.show(files.items), [index, files.items])
  // Somebody has saved something.
  const { head } = branch
  useEffect(() => {
    if (head !== files.head) branchChanged(branchRef)
    void open?.look()
  }, [head, files.head, branchRef, open])

  const set = (name: string, value: string | undefined, replace = false): void =>
    setSearch(searchWith(search, { at: undefined, [name]: value }), { replace })
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
            {...{ project, branch, branchRef, folder, isTaken, readOnly }}
            onHide={() => setTreeOpen(false)}
            onNew={() => setAdding(true)}
            onAssistant={() => set('panel', panel === 'assistant' ? undefined : 'assistant')}
          />
          <FileActions
            {...{ branchRef, drafts, path }}
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
          <Splitter label="Width of the files" size={treeSize} min={180} max={520} onSize={setTreeSize} />
        ) : null}
        <div className={css['main']}>
          <FileView
            {...{ opened, path, branchRef, branch, index, readOnly, isTaken, addressIn }}
            files={items}
            view={view === 'preview' ? 'preview' : 'write'}
            preview={{ isOpen: previewOpen, onChange: setPreviewOpen }}
            onPanel={(name) => set('panel', name)}
            onWrite={() => set('view', 'write')}
            onRetry={() => setAttempt(attempt + 1)}
            onNew={() => setAdding(true)}
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
                branchRef={branchRef}
                path={path}
                file={open}
                onRestore={
                  readOnly || open === undefined
                    ? undefined
                    : (text) => {
                        const undo = open.write(text)
                        toast.done('The older version is in the text, not saved yet.', async () => undo())
                        // On a phone it lies above what saves the text.
                        set('panel', undefined, true)
                      }
                }
              />
            </div>
          </aside>
        ) : null}
      </div>
      <NewPageDialog
        open={isAdding && !readOnly}
        onClose={() => setAdding(false)}
        branchRef={branchRef}
        files={items}
        folder={folder}
        onMade={(made) => void navigate(paths.editor(slug, id, made), { replace: true })}
      />
    </div>
  )
}
