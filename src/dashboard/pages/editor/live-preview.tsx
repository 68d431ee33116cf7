import { useEffect, useRef, useState } from 'react'
import type { Branch, BranchRender } from '#contract/branches.ts'
import { frameUrl } from '../../queries/projects.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { useShownTheme } from '../../shell/theme.ts'
import type { TextSpot } from './code/scrolling.ts'
import { previewSpot } from './preview-spot.ts'
import css from './live-preview.module.css'

interface LivePreviewProps {
  readonly branch: Branch
  readonly render: BranchRender | undefined
  readonly title: string
  /** It follows this part of the text. */
  readonly spot: TextSpot | undefined
  /** A link of the page was pressed. */
  readonly onOpen: (href: string) => void
  /** A heading was pressed. */
  readonly onHeading: (id: string) => void
}

/** The page as it will look, on the host of the preview: what it is filled with is shown there and not here. */
export function LivePreview({ branch, render, title, spot, onOpen, onHeading }: LivePreviewProps) {
  const frame = useRef<HTMLIFrameElement>(null)
  const [isReady, setReady] = useState(false)
  const theme = useShownTheme()
  const project = useProject()
  const { origin } = new URL(branch.liveUrl)
  const html = render?.html

  useEffect(() => {
    const take = ({ origin: from, source, data }: MessageEvent<unknown>): void => {
      if (from !== origin || source !== frame.current?.contentWindow) return
      if (typeof data !== 'object' || data === null || !('type' in data)) return
      if (data.type === 'ready') setReady(true)
      else if (data.type === 'open' && 'href' in data && typeof data.href === 'string') onOpen(data.href)
      else if (data.type === 'heading' && 'id' in data && typeof data.id === 'string') onHeading(data.id)
    }
    addEventListener('message', take)
    return () => removeEventListener('message', take)
  }, [origin, onOpen, onHeading])

  useEffect(() => {
    if (isReady) frame.current?.contentWindow?.postMessage({ type: 'theme', theme }, origin)
  }, [isReady, theme, origin])

  const { title: pageTitle = '', mode = 'default', styles = '' } = render ?? {}
  useEffect(() => {
    // With errors there is none: what was shown last stays.
    if (!isReady || html === undefined) return
    frame.current?.contentWindow?.postMessage({ type: 'render', html, title: pageTitle, mode, styles }, origin)
  }, [isReady, html, pageTitle, mode, styles, origin])

  const htmlAtEnd = spot?.isAtEnd === true ? html : undefined
  const isFilled = isReady && html !== undefined
  const headings = useRef(render?.headings)
  useEffect(() => {
    headings.current = render?.headings
  })
  useEffect(() => {
    const { current } = frame
    if (!isFilled || spot === undefined || current === null) return undefined
    // What is not seen has no place until it is; the observer tells at once what there is, too.
    const observer = new ResizeObserver(() => {
      if (current.clientHeight > 0)
        current.contentWindow?.postMessage({ type: 'scroll', ...previewSpot(spot, headings.current) }, origin)
    })
    observer.observe(current)
    return () => observer.disconnect()
    // Whoever types stays where the page is: another page by itself moves nothing, but for the end of a text, which is
    // seen as it grows.
  }, [isFilled, spot, origin, htmlAtEnd])

  return (
    <iframe
      ref={frame}
      className={css['frame']}
      src={frameUrl(project, branch.liveUrl)}
      title={title}
      sandbox="allow-scripts allow-same-origin"
      referrerPolicy="no-referrer"
    />
  )
}
