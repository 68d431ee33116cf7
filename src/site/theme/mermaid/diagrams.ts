import { all, base, make, root } from '../client/browser.ts'
import { addZoom } from './zoom.ts'
import type { DrawRequest, FrameMessage } from './frame.ts'

/** URL path of the frame, put in by the build. */
declare const quireMermaidFrame: string

/** A diagram that is taller is more likely a mistake than a diagram. CSS pixels. */
const tallest = 6000

/**
 * Draws the diagrams that have no frame yet, in frames without an origin: what a diagram's source can make of the drawing
 * library, it makes there. The source stays in the page until the drawing is finished, and when there is none.
 */
export function drawDiagrams(): void {
  for (const block of all('[data-mermaid]')) if (block.querySelector('iframe') === null) start(block)
}

function start(block: HTMLElement): void {
  const code = block.querySelector<HTMLElement>('pre')
  const source = code?.textContent ?? ''
  if (code === null || source.trim() === '') return
  // A lazy frame that nobody sees (further down, in a folded part) is not even fetched.
  const frame = make('iframe', {
    class: 'q-mermaid-frame',
    sandbox: 'allow-scripts',
    loading: 'lazy',
    title: block.getAttribute('data-title') ?? 'Diagram',
    src: base + quireMermaidFrame,
  })
  const draw = (): void => {
    const request: DrawRequest = {
      type: 'draw',
      source,
      dark: root.getAttribute('data-theme') === 'dark',
      colors: colorsOf(block),
    }
    // The frame has an opaque origin: there is no name to address it by, and the source is public.
    frame.contentWindow?.postMessage(request, '*')
  }
  const observer = new MutationObserver(draw)
  const listen = ({ source: from, data }: MessageEvent<unknown>): void => {
    if (!frame.isConnected) {
      // The page has another diagram in its place.
      removeEventListener('message', listen)
      observer.disconnect()
      return
    }
    if (from === null || from !== frame.contentWindow || !isMessage(data)) return
    if (data.type === 'ready') {
      observer.observe(root, { attributes: true, attributeFilter: ['data-theme'] })
      draw()
    } else if (data.type === 'drawn') {
      const height = Math.min(Math.ceil(data.height), tallest)
      frame.style.height = `${height}px`
      block.setAttribute('data-drawn', '')
      addZoom(block, frame, height)
    } else block.removeAttribute('data-drawn')
  }
  addEventListener('message', listen)
  const view = make('div', { class: 'q-mermaid-view' })
  view.append(frame)
  block.append(view)
}

function isMessage(data: unknown): data is FrameMessage {
  if (typeof data !== 'object' || data === null || !('type' in data)) return false
  return (
    data.type === 'ready' ||
    data.type === 'failed' ||
    (data.type === 'drawn' && 'height' in data && typeof data.height === 'number' && data.height > 0)
  )
}

/** The tokens as the browser resolves them here: the frame has no style sheet of ours. */
function colorsOf(block: HTMLElement): DrawRequest['colors'] {
  const probe = make('span', { hidden: '' })
  block.append(probe)
  const read = (token: string): string => {
    probe.style.color = `var(${token})`
    return getComputedStyle(probe).color
  }
  const colors = {
    background: read('--q-bg'),
    fill: read('--q-bg-soft'),
    border: read('--q-border'),
    text: read('--q-text'),
    line: read('--q-text-faint'),
    accent: read('--q-accent'),
  }
  probe.remove()
  return colors
}
