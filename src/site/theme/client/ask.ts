import { askWords } from './ask-words.ts'
import { all, make } from './browser.ts'
import { openerOf } from './lazy-box.ts'

/*
 * The button of the answer box, on sites that answer questions. The box itself and its style are loaded when somebody
 * uses it. Without this script there is no button, as there would be nothing behind it.
 */

declare const quireAskBox: string
declare const quireAskStyle: string

const { title: label } = askWords()
const icon =
  '<svg class="q-i" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="M21 12a8.5 8.5 0 0 1-8.5 8.5c-1.5 0-2.9-.3-4.1-1L3.5 21l1.5-4.7A8.5 8.5 0 1 1 21 12Z"/><path d="M10 9.8a2.3 2.3 0 1 1 3.2 2.1c-.5.2-.7.6-.7 1.1"/><path d="M12.5 15.5h.01"/></svg>'

const open = openerOf(quireAskBox, quireAskStyle)
const end = all('.q-top .q-bar-end')[0]
const button = make('button', {
  type: 'button',
  class: 'q-button-icon',
  'aria-label': label,
  'aria-haspopup': 'dialog',
  title: label,
})
button.innerHTML = icon
button.addEventListener('click', () => open())
end?.insertBefore(button, end.querySelector(':scope > .q-theme, :scope > .q-burger'))
