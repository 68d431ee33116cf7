import { onlineManager } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { Marker } from '#authoring/language.ts'
import { lineChanges, type Change } from '#authoring/merge.ts'
import { PageChecker } from '#authoring/page-checker.ts'
import { isPage } from '#authoring/page-paths.ts'
import type { BranchRender } from '#contract/branches.ts'
import { checkFile, type BranchRef } from '../../queries/files.ts'
import type { Problem } from './code/problems.ts'
import type { OpenFile } from './open-file.ts'
import { Renderer } from './renderer.ts'

interface Asked {
  readonly branchRef: BranchRef
  readonly path: string
  readonly file: OpenFile
  /** Commit of the branch: what others save may mend a link, or break it. */
  readonly head: string
  readonly readOnly: boolean
}

/** Pages have a page; what they include has none of its own. */
export function isShown(path: string): boolean {
  return isPage(path) && !path.startsWith('snippets/')
}

/** The page that a text becomes, and what is wrong with it: at once what rendering says, at rest dead links, too. */
export function useProblems({ branchRef, path, file, head, readOnly }: Asked) {
  const rendering = useRender(branchRef, path, file, isShown(path) && !readOnly)
  const checking = useCheck({
    branchRef,
    path,
    file,
    head,
    isWanted: (isPage(path) || path === 'docs.json') && !readOnly,
  })
  const { render } = rendering
  const { checked } = checking
  const problems = useMemo(() => {
    const now = render === undefined ? [] : problemsOf(render, path)
    const found = checked === undefined ? [] : stillThere(checked, file.text)
    const isNew = ({ line, message }: Problem): boolean =>
      !now.some((one) => one.line === line && one.message === message)
    return [...now, ...found.filter(isNew)].sort((one, other) => (one.line ?? 0) - (other.line ?? 0))
  }, [render, checked, path, file])
  const rendered = rendering.onText
  const changed = checking.onText
  const onText = useCallback(() => {
    rendered()
    changed()
  }, [rendered, changed])
  return { render, renderFailure: rendering.renderFailure, problems, onText }
}

/** The page as it would look, following the text. */
function useRender(branchRef: BranchRef, path: string, file: OpenFile, isWanted: boolean) {
  const [render, setRender] = useState<BranchRender>()
  const [renderFailure, setFailure] = useState<unknown>()
  const renderer = useRef<Renderer>(undefined)
  useEffect(() => {
    if (!isWanted) return undefined
    const made = new Renderer({
      branchRef,
      path,
      text: () => file.text,
      saved: () => file.base.text,
      onRender: (next) => {
        setFailure(undefined)
        // With errors there is no page: the one before stays.
        setRender((before) => (next.html === undefined && before !== undefined ? { ...before, ...next } : next))
      },
      onFailure: setFailure,
    })
    renderer.current = made
    return () => {
      made.stop()
      renderer.current = undefined
    }
  }, [branchRef, path, file, isWanted])
  const onText = useCallback(() => renderer.current?.changed(), [])
  return { render, renderFailure, onText }
}

function problemsOf(render: BranchRender, path: string): readonly Problem[] {
  const here = (detail: { readonly path?: string }): boolean => detail.path === undefined || detail.path === path
  return [
    ...render.errors.filter(here).map((detail): Problem => ({ ...detail, severity: 'error' })),
    ...render.warnings.filter(here).map((detail): Problem => ({ ...detail, severity: 'warning' })),
  ]
}

/** What was found in a text. */
interface Checked {
  readonly text: string
  readonly markers: readonly Marker[]
}

/** What a build of the branch would say of the file, asked when nobody types. */
function useCheck({ branchRef, path, file, head, isWanted }: Omit<Asked, 'readOnly'> & { readonly isWanted: boolean }) {
  const [checked, setChecked] = useState<Checked>()
  const checker = useRef<PageChecker>(undefined)
  const version = useRef(0)
  useEffect(() => {
    if (!isWanted) return undefined
    const made = new PageChecker({
      path,
      text: () => file.text,
      length: () => file.text.length,
      version: () => version.current,
      isOffline: () => !onlineManager.isOnline(),
      ask: (text, signal) => checkFile(branchRef, path, text, signal),
      onChange: ({ kind, markers }) => {
        if (kind === 'done' || kind === 'tooLong') setChecked({ text: file.text, markers })
      },
    })
    checker.current = made
    const end = onlineManager.subscribe(() => made.changed())
    return () => {
      end()
      made.close()
      checker.current = undefined
    }
  }, [branchRef, path, file, isWanted])
  useEffect(() => checker.current?.changed(0), [branchRef, path, file, isWanted, head])
  const onText = useCallback(() => {
    version.current += 1
    checker.current?.changed()
  }, [])
  return { checked, onText }
}

/** Problems of a text that was changed since, where they are now; those of lines that were changed wait for the next check. */
function stillThere({ text, markers }: Checked, now: string): readonly Problem[] {
  const changes = text === now ? [] : lineChanges(text, now)
  return markers.flatMap(({ line, column, severity, message }): Problem[] => {
    const moved = movedLine(line, changes)
    if (moved === undefined) return []
    return [{ line: moved + 1, ...(column !== undefined && { column: column + 1 }), severity, message }]
  })
}

function movedLine(line: number, changes: readonly Change[]): number | undefined {
  let moved = line
  for (const { from, to, lines } of changes) {
    if (from > line) break
    if (line < to) return undefined
    moved += lines.length - (to - from)
  }
  return moved
}
