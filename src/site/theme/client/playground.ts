import { closest, on } from './browser.ts'
import { openerOf } from './lazy-box.ts'

/* “Try it” on pages of operations: the box that sends requests, and its style, are loaded when somebody opens it. */

declare const quirePlaygroundBox: string
declare const quirePlaygroundStyle: string

const open = openerOf(quirePlaygroundBox, quirePlaygroundStyle)
on('click', (event) => {
  if (closest(event, '.q-try') !== null) open()
})
