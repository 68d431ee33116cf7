import { all, base, closest, on } from './browser.ts'
import type { show as Show } from './zoom.ts'

/** URL path of the script that shows a picture large, put in by the build. */
declare const quireZoom: string

const pictures = '.q-prose img:not([data-no-zoom], .q-icon, .q-card-image)'
/** A picture that is not much larger than it is shown has nothing more to show. */
const leastGain = 1.15

/** Makes of pictures that are shown smaller than they are a button that shows them whole. */
export function startPictures(): void {
  for (const image of all(pictures)) {
    if (!(image instanceof HTMLImageElement) || image.closest('a, button, summary') !== null) continue
    if (image.complete) offer(image)
    else image.addEventListener('load', () => offer(image))
  }
  on('click', (event) => zoom(event))
  on('keydown', (event) => {
    if (event.key === 'Enter' || event.key === ' ') zoom(event)
  })
}

function offer(image: HTMLImageElement): void {
  const width = image.clientWidth
  if (width < 160 || image.naturalWidth < width * leastGain) return
  image.setAttribute('data-zoom', '')
  // What has no words is decoration: there is nothing to stop at.
  if (image.alt.trim() === '') return
  image.setAttribute('role', 'button')
  image.setAttribute('aria-haspopup', 'dialog')
  image.tabIndex = 0
}

function zoom(event: Event): void {
  const image = closest(event, '[data-zoom]')
  if (!(image instanceof HTMLImageElement)) return
  event.preventDefault()
  void (import(/* @vite-ignore */ base + quireZoom) as Promise<{ show: typeof Show }>).then(({ show }) => show(image))
}
