import { useQuery } from '@tanstack/react-query'
import { Check, Ellipsis, ExternalLink, History, ImagePlus, RotateCcw, Search, X } from 'lucide-react'
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import type { BranchIndex } from '#authoring/branch-index.ts'
import { PageCompleter } from '#authoring/completer.ts'
import { outlineOf } from '#authoring/outline.ts'
import { addressOf, isPage, markdownFor } from '#authoring/page-paths.ts'
import type { Branch } from '#contract/branches.ts'
import { messageOf } from '../../client.ts'
import { useStored } from '../../local-storage.ts'
import { componentsQuery, type BranchRef } from '../../queries/files.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Skeleton } from '../../ui/loaded.tsx'
import { Menu } from '../../ui/menu.tsx'
import { NotKept } from '../../ui/not-kept.tsx'
import { Notice } from '../../ui/notice.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useSaveKey } from '../../ui/use-save-key.ts'
import type { CodeEditorHandle } from './code/code-editor.tsx'
import type { TextSpot } from './code/scrolling.ts'
import { EditConflictView, isFocusLost } from './edit-conflict.tsx'
import { FileHead } from './file-head.tsx'
import { isUploadedImage, uploadFile } from './file-work.ts'
import { LivePreview } from './live-preview.tsx'
import type { OpenFile } from './open-file.ts'
import { Problems } from './problem-list.tsx'
import { SaveState } from './save-state.tsx'
import { Splitter } from './splitter.tsx'
import { useFileState } from './use-open-file.ts'
import { isShown, useProblems } from './use-problems.ts'
import css from './editor.module.css'

const CodeEditor = lazy(() => import('./code/code-editor.tsx').then((module) => ({ default: module.CodeEditor })))

export interface TextFileProps {
  readonly file: OpenFile
  readonly path: string
  readonly branchRef: BranchRef
  readonly branch: Branch
  readonly index: BranchIndex
  readonly readOnly: boolean
  readonly isTaken: (path: string) => boolean
  /** On phones one part is seen at a time. */
  readonly view: 'write' | 'preview'
  readonly preview: { readonly isOpen: boolean; readonly onChange: (isOpen: boolean) => void }
  readonly onPanel: (panel: 'history') => void
  /** Where one part is seen at a time: the text, please. */
  readonly onWrite: () => void
  readonly addressIn: (path: string) => string
}

/** A text with its save bar, and beside it the page that it becomes. */
export function TextFile(props: TextFileProps) {
  const { file, path, branchRef, branch, index, readOnly, isTaken, view, preview, onPanel } = props
  const state = useFileState(file)
  const components = useQuery(componentsQuery)
  const editor = useRef<CodeEditorHandle>(null)
  const [size, setSize] = useStored('quire-editor-preview', Math.round(innerWidth * 0.4))
  const hasPreview = isShown(path)
  const { render, renderFailure, problems, onText } = useProblems({
    branchRef,
    path,
    file,
    head: branch.head,
    readOnly,
  })
  const spot = useSpot()
  const [top, setTop] = useState<TextSpot>()
  const goal = useRef<number>(undefined)
  const onHeading = (id: string): void => {
    const lines = file.text.split('\n')
    const heading = outlineOf({ count: lines.length, at: (at) => lines[at] ?? '' }).find(({ anchor }) => anchor === id)
    if (heading === undefined) return
    if (view === 'write') {
      editor.current?.goTo(heading.line + 1, 1)
      return
    }
    goal.current = heading.line + 1
    props.onWrite()
  }
  useEffect(() => {
    // What is hidden on a phone takes neither the focus nor a place.
    if (view !== 'write' || goal.current === undefined) return
    editor.current?.goTo(goal.current, 1)
    goal.current = undefined
  }, [view])
  const onOpen = useLinks(branch, props.addressIn, isTaken)

  const known = components.data?.items
  const latest = useRef(known)
  useEffect(() => {
    latest.current = known
  }, [known])
  const completer = useMemo(
    () => (isPage(path) ? new PageCompleter(() => latest.current ?? [], index) : undefined),
    [path, index],
  )
  useDraftSafety(file)
  useSaveKey(() => file.save())

  const upload = async (image: File): Promise<string | undefined> => {
    try {
      const added = await uploadFile(branchRef, image, { folder: 'images/', isTaken })
      const written = markdownFor(added.path)
      toast.done(`${added.path} is on the branch.`, async () => {
        await added.undo()
        // What is written of it since, such as another description, is the writer’s.
        await file.edit((text) => text.replace(written, ''))
      })
      return written
    } catch (error) {
      toast.failed(error)
      return undefined
    }
  }

  const isConflicting = state.conflict !== undefined
  const wasConflicting = useRef(isConflicting)
  useEffect(() => {
    // The button that ended it is gone, and whoever goes on writing writes here.
    if (wasConflicting.current && !isConflicting && isFocusLost()) editor.current?.focus()
    wasConflicting.current = isConflicting
  }, [isConflicting])
  const previewUrl = new URL(addressOf(path), branch.previewUrl).href
  return (
    <>
      <FileHead title={path} {...(hasPreview && { preview })}>
        <SaveState state={state} />
        <IconButton icon={Search} label="Find and replace" size="small" onClick={() => editor.current?.openSearch()} />
        {readOnly || !isPage(path) ? null : <ImageButton onImages={(images) => editor.current?.addImages(images)} />}
        {hasPreview ? (
          <a
            className={css['open']}
            href={previewUrl}
            target="_blank"
            rel="noreferrer"
            aria-label="Preview in a tab of its own"
          >
            <ExternalLink aria-hidden />
            <span>Preview</span>
          </a>
        ) : null}
        {readOnly ? null : (
          <Button
            look="primary"
            size="small"
            icon={Check}
            busy={state.status === 'saving'}
            disabled={state.status === 'saved' || isConflicting}
            title="Save to the branch (Ctrl+S)"
            onClick={() => void file.save()}
          >
            Save
          </Button>
        )}
        <Menu
          trigger={<IconButton icon={Ellipsis} label="This file" size="small" />}
          entries={[
            { kind: 'action', label: 'History of this file', icon: History, onSelect: () => onPanel('history') },
            {
              kind: 'action',
              label: 'Discard my changes',
              icon: RotateCcw,
              danger: true,
              disabled: state.status !== 'changed',
              onSelect: () => {
                const undo = file.discard()
                toast.done('Your changes are discarded.', async () => undo())
              },
            },
          ]}
        />
      </FileHead>
      {state.problem === undefined ? null : (
        <div className={css['notice']}>
          <Notice tone="danger" title="This was not saved">
            {messageOf(state.problem)}
            {state.kept === 'no' ? null : ' Your text is kept in this browser.'}
          </Notice>
        </div>
      )}
      {state.kept === 'no' ? (
        <div className={css['notice']}>
          <NotKept />
        </div>
      ) : null}
      {state.news === undefined ? null : (
        <div className={css['news']} role="status">
          <span>{state.news}</span>
          <IconButton icon={X} label="Dismiss" size="small" onClick={() => file.dismissNews()} />
        </div>
      )}
      <div className={css['split']} data-view={view} data-preview={hasPreview && preview.isOpen}>
        <div className={css['code']}>
          {state.conflict === undefined ? null : (
            <EditConflictView
              conflict={state.conflict}
              onDecide={(decisions) => file.decide(decisions)}
              onSettle={(text) => file.settle(text)}
              onPostpone={() => file.postpone()}
            />
          )}
          <div className={css['text']} hidden={isConflicting}>
            <Suspense fallback={<Skeleton lines={8} />}>
              <CodeEditor
                ref={editor}
                file={file}
                path={path}
                readOnly={readOnly}
                completer={completer}
                problems={problems}
                spot={spot}
                onText={onText}
                onScroll={setTop}
                isImage={isUploadedImage}
                upload={upload}
              />
            </Suspense>
          </div>
          <Problems
            problems={problems}
            failure={renderFailure}
            onGo={(line, column) => editor.current?.goTo(line, column)}
          />
        </div>
        {hasPreview ? (
          <>
            <Splitter label="Width of the preview" size={size} min={280} max={1600} isBehind onSize={setSize} />
            <div className={css['preview']} style={{ flexBasis: `${size}px` }}>
              {problems.some(({ severity }) => severity === 'error') ? (
                <p className={css['behind']}>The page as it was before the mistake</p>
              ) : null}
              <LivePreview
                branch={branch}
                render={render}
                title={`Preview of ${path}`}
                spot={top}
                onOpen={onOpen}
                onHeading={onHeading}
              />
            </div>
          </>
        ) : null}
      </div>
    </>
  )
}

/** The way to an image without dragging or pasting. */
function ImageButton({ onImages }: { readonly onImages: (images: readonly File[]) => void }) {
  const chooser = useRef<HTMLInputElement>(null)
  return (
    <>
      <IconButton icon={ImagePlus} label="Add an image" size="small" onClick={() => chooser.current?.click()} />
      <input
        ref={chooser}
        type="file"
        accept="image/*"
        multiple
        hidden
        aria-label="Images to add"
        onChange={(event) => {
          const chosen = Array.from(event.target.files ?? [])
          event.target.value = ''
          onImages(chosen.filter(isUploadedImage))
        }}
      />
    </>
  )
}

/** The place of the address, such as `?line=12`. */
function useSpot(): { readonly line: number; readonly column?: number } | undefined {
  const [search] = useSearchParams()
  const [line, column] = ['line', 'column'].map((name) => Number.parseInt(search.get(name) ?? '', 10))
  if (line === undefined || !(line > 0)) return undefined
  return { line, ...(column !== undefined && column > 0 && { column }) }
}

/** A page that is linked opens here, in the editor; what is elsewhere in another tab. */
function useLinks(branch: Branch, addressIn: (path: string) => string, isThere: (path: string) => boolean) {
  const navigate = useNavigate()
  const latest = useRef({ addressIn, isThere })
  useEffect(() => {
    latest.current = { addressIn, isThere }
  })
  return useCallback(
    (href: string) => {
      const url = new URL(href)
      const bare = decodeURI(url.pathname).replaceAll(/^\/+|\/+$/g, '')
      const candidates = [`${bare}.mdx`, `${bare}.md`, `${bare}/index.mdx`.replace(/^\//, ''), bare]
      const path = candidates.find((one) => latest.current.isThere(one))
      if (url.origin === new URL(branch.previewUrl).origin && path !== undefined)
        void navigate(latest.current.addressIn(path))
      else if (url.protocol === 'https:' || url.protocol === 'http:') open(href, '_blank', 'noopener,noreferrer')
    },
    [branch.previewUrl, navigate],
  )
}

/** Whatever closes the tab, or is pressed beside the text, the draft is on its way before. */
function useDraftSafety(file: OpenFile): void {
  useEffect(() => {
    const flush = (): void => file.flush(true)
    // What is pressed may move the draft, such as the undo of a move.
    const keep = (): void => file.flush()
    document.addEventListener('focusout', keep)
    addEventListener('pagehide', flush)
    document.addEventListener('visibilitychange', flush)
    return () => {
      document.removeEventListener('focusout', keep)
      removeEventListener('pagehide', flush)
      document.removeEventListener('visibilitychange', flush)
      flush()
    }
  }, [file])
}
