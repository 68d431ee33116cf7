import { all, closest, on } from './browser.ts'
import { openerOf } from './lazy-box.ts'

/* The button and the keys that open the search box. The box, its engine and its style are loaded when they are used. */

declare const quireSearchBox: string
declare const quireSearchStyle: string

/** Where a `/` is a character of what is written. */
const fields = 'input, textarea, select, [contenteditable]'

export function startSearch(): void {
  const button = all('[data-search]')[0]
  if (button === undefined) return
  const load = openerOf(quireSearchBox, quireSearchStyle)
  const open = (): void => load(Number(button.getAttribute('data-search')))
  const keys = button.querySelector('kbd')
  if (keys !== null && /Mac|iP/.test(navigator.platform)) keys.setAttribute('data-keys', '⌘K')
  on('click', (event) => {
    if (closest(event, '[data-search]') !== null) open()
  })
  on('keydown', (event) => {
    const { key, metaKey, ctrlKey, altKey, shiftKey } = event
    const isChord = (metaKey || ctrlKey) && !altKey && !shiftKey && key.toLowerCase() === 'k'
    const isSlash = key === '/' && !metaKey && !ctrlKey && !altKey && closest(event, fields) === null
    if (!isChord && !isSlash) return
    event.preventDefault()
    open()
  })
}
