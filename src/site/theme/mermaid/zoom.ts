import { all, make } from '../client/browser.ts'

/** A diagram that is not taller needs no buttons unless its author asks for them. CSS pixels. */
const lowest = 120
const largest = 4
const step = 1.5

/** In the language of the page, which its script is told; where nobody tells (a page while it is written), in English. */
const [zoomIn = 'Zoom in', zoomOut = 'Zoom out', resetView = 'Reset view'] =
  all('script[data-diagram]')[0]?.getAttribute('data-diagram')?.split('|') ?? []

/**
 * Buttons that make a diagram larger where it stands: what does not fit is reached by scrolling. There once its height is
 * known, for `actions` of its fence or its height, in the corner that `placement` names.
 */
export function addZoom(block: HTMLElement, frame: HTMLElement, height: number): void {
  const actions = block.getAttribute('data-actions')
  if (actions === 'false' || (actions === null && height <= lowest)) return
  const view = frame.parentElement
  if (view === null || block.querySelector('.q-mermaid-actions') !== null) return
  let scale = 1
  const show = (next: number): void => {
    const middle = { x: view.scrollLeft + view.clientWidth / 2, y: view.scrollTop + view.clientHeight / 2 }
    const by = next / scale
    scale = next
    frame.style.transform = scale === 1 ? '' : `scale(${scale})`
    // What scrolls is a stop of the keyboard.
    view.toggleAttribute('data-zoomed', scale > 1)
    if (scale > 1) view.tabIndex = 0
    else view.removeAttribute('tabindex')
    view.scrollTo(middle.x * by - view.clientWidth / 2, middle.y * by - view.clientHeight / 2)
    out.disabled = reset.disabled = scale <= 1
    larger.disabled = scale >= largest
  }
  const button = (label: string, sign: string, press: () => void): HTMLButtonElement => {
    const made = make('button', { type: 'button', 'aria-label': label, title: label })
    made.append(sign)
    made.addEventListener('click', press)
    return made
  }
  const larger = button(zoomIn, '+', () => show(Math.min(largest, scale * step)))
  const out = button(zoomOut, '−', () => show(Math.max(1, scale / step)))
  const reset = button(resetView, '↺', () => show(1))
  out.disabled = reset.disabled = true
  const bar = make('div', { class: `q-mermaid-actions q-at-${block.getAttribute('data-placement') ?? 'bottom-right'}` })
  bar.append(larger, out, reset)
  block.append(bar)
}
