import { createParser } from 'eventsource-parser'
import { anchor, answerElements, type Piece, type Source } from './ask-answer.ts'
import { base, make, root } from './browser.ts'
import { askWords } from './ask-words.ts'

const words = askWords()
const longest = 500

interface Done {
  readonly outcome: 'answered' | 'not-in-docs'
  readonly isCut: boolean
  readonly sources: readonly Source[]
}

/** What a refusal says to readers. */
interface Refusal {
  readonly code?: string
  readonly detail?: string
  readonly hint?: string
}

const dialog = make('dialog', { class: 'q-ask', 'aria-label': words.title })
const form = make('form', { class: 'q-ask-form' })
const question = make('textarea', {
  'aria-label': words.question,
  placeholder: words.example,
  rows: '2',
  maxlength: String(longest),
  required: '',
  autofocus: '',
})
const status = make('p', { class: 'q-ask-status', role: 'status' })
const answer = make('div', { class: 'q-ask-answer q-prose', 'aria-live': 'polite' })
const sources = make('div', { class: 'q-ask-sources' })
let asking: AbortController | undefined

/** Shows the box; the question of before is still there. */
export function open(): void {
  if (!dialog.isConnected) build()
  if (!dialog.open) dialog.showModal()
  question.focus()
  question.select()
}

function build(): void {
  const head = make('div', { class: 'q-ask-head' })
  const title = make('p', { class: 'q-ask-title' })
  const close = make('button', { type: 'button', class: 'q-button-icon', 'aria-label': words.close })
  const send = make('button', { type: 'submit', class: 'q-button' })
  const note = make('p', { class: 'q-ask-note' })
  title.append(words.title)
  close.append('×')
  send.append(words.ask)
  note.append(words.note)
  head.append(title, close)
  form.append(question, send)
  dialog.append(head, form, status, answer, sources, note)
  root.querySelector(':scope > body')?.append(dialog)
  close.addEventListener('click', () => dialog.close())
  // Nobody reads on: the model may stop.
  dialog.addEventListener('close', () => asking?.abort())
  dialog.addEventListener('click', ({ target }) => {
    // Beside it, or a link that may lead to a place on this very page.
    if (target === dialog || (target instanceof Element && target.closest('a') !== null)) dialog.close()
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void ask(question.value.trim())
  })
  question.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    form.requestSubmit()
  })
}

async function ask(text: string): Promise<void> {
  if (text === '') return
  asking?.abort()
  const mine = new AbortController()
  asking = mine
  answer.replaceChildren()
  sources.replaceChildren()
  answer.setAttribute('aria-busy', 'true')
  say(words.waiting, 'waiting')
  try {
    const response = await fetch(`${base}/_quire/ask`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ question: text, path: location.pathname }),
      signal: mine.signal,
    })
    if (response.ok && response.body !== null) await read(response.body)
    else refuse(await refusalOf(response), Number(response.headers.get('retry-after')))
  } catch {
    if (asking === mine) say(mine.signal.aborted ? '' : words.broken, 'error')
  } finally {
    if (asking === mine) answer.removeAttribute('aria-busy')
  }
}

async function read(body: ReadableStream<Uint8Array>): Promise<void> {
  const pieces: Piece[] = []
  let isOver = false
  let drawing = 0
  const draw = (from: readonly Source[]): void => {
    cancelAnimationFrame(drawing)
    answer.replaceChildren(...answerElements(pieces, from))
  }
  const parser = createParser({
    onEvent: ({ event, data }) => {
      const value: unknown = JSON.parse(data)
      if (event === 'delta') {
        pieces.push(value as Piece)
        cancelAnimationFrame(drawing)
        drawing = requestAnimationFrame(() => draw([]))
        return
      }
      isOver = true
      draw((value as Partial<Done>).sources ?? [])
      if (event === 'done') finish(value as Done)
      else refuse(value as Refusal, 0)
    },
  })
  const decoder = new TextDecoder()
  const reader = body.getReader()
  for (let part = await reader.read(); !part.done; part = await reader.read())
    parser.feed(decoder.decode(part.value, { stream: true }))
  if (!isOver) say(words.broken, 'error')
}

function finish({ outcome, isCut, sources: named }: Done): void {
  const isAnswered = outcome === 'answered'
  if (!isAnswered) say(words.absent, 'absent')
  else if (named.length === 0) say(words.uncited, 'error')
  else say(isCut ? words.cut : words.ready, isCut ? 'error' : 'ready')
  if (named.length === 0) return
  const title = make('p', {})
  title.append(isAnswered ? words.sources : words.nearest)
  const list = make('ol', {})
  for (const { href, title: label } of named) {
    const entry = make('li', {})
    entry.append(anchor(href, label))
    list.append(entry)
  }
  sources.replaceChildren(title, list)
}

function refuse({ code, detail, hint }: Refusal, seconds: number): void {
  if (code === 'rate_limited' && seconds > 0)
    say(`${words.fast} ${words.again.replace('{seconds}', String(seconds))}`, 'error')
  else say([detail ?? words.broken, hint ?? ''].join(' ').trim(), 'error')
}

async function refusalOf(response: Response): Promise<Refusal> {
  try {
    return (await response.json()) as Refusal
  } catch {
    return {}
  }
}

function say(text: string, state: 'waiting' | 'ready' | 'absent' | 'error'): void {
  status.textContent = text
  status.setAttribute('data-state', state)
}
