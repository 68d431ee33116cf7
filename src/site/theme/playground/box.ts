import { all, root } from '../client/browser.ts'
import type { RequestForm } from '../../api/request-form.ts'
import { codeOf } from '../../api/languages.ts'
import { showAnswer } from './answer.ts'
import { bodyPart, credentialPart, parameterPart, serverPart, type Part } from './parts.ts'
import { h, option } from './elements.ts'
import { harOf, requestOf, type Filled, type Sent } from './request.ts'
import { choose, followSamples, pageChoice, titleOf } from './samples.ts'
import { block, troubleElement, troubleOf } from './trouble.ts'
import { words } from './words.ts'

/*
 * The playground of a page of an operation. Requests go from the reader’s browser to the servers that its description names,
 * and nowhere else: the policy of the page holds that.
 */

let dialog: HTMLDialogElement | undefined
/** What it was made of: pages change while they are written. */
let made = ''
let sending: AbortController | undefined
/** Addresses that the policy of the page has kept from being asked. */
const refused = new Set<string>()

/** Shows the box; what was filled in before is still there. */
export function open(): void {
  const text = all('.q-try')[0]?.getAttribute('data-request') ?? ''
  if (text === '') return
  if (dialog === undefined || text !== made) {
    dialog?.remove()
    dialog = build(JSON.parse(text) as RequestForm)
    made = text
  }
  if (!dialog.open) dialog.showModal()
  // On a phone the keyboard would cover what has not been read yet.
  if (matchMedia('(hover: hover)').matches)
    dialog.querySelector<HTMLElement>('.q-play-parts :is(input, select, textarea)')?.focus()
}

function build(form: RequestForm): HTMLDialogElement {
  const server = serverPart(form.servers)
  const credentials = credentialPart(form.security, () => server.value().base)
  const parameters = parameterPart(form.parameters)
  const body = bodyPart(form.bodies, pageChoice(form.bodies.map(({ type }) => type))?.value)
  const address = h('code', { class: 'q-play-address' })
  const send = h('button', { type: 'submit', class: 'q-button' }, words.send)
  const close = h('button', { type: 'button', class: 'q-button-icon', 'aria-label': words.close }, '×')
  const method = h('span', { class: 'q-method', 'data-method': form.method }, form.method)
  const head = h('header', { class: 'q-play-head' }, method, address, send, close)
  const sample = h('div', { class: 'q-play-sample' })
  const answer = h('div', { class: 'q-play-answer' })
  // Answers are long: no more than how they end is read out.
  const said = h('p', { class: 'q-hidden', role: 'status' })
  const reveal = h('input', { type: 'checkbox' })
  const choice = h('select', { class: 'q-play-language', 'aria-label': words.request })
  choice.append(...(form.languages.length === 0 ? ['curl'] : form.languages).map((name) => option(name, titleOf(name))))
  const titles = [...choice.options].map(({ text }) => text)
  const chosen = pageChoice(titles)?.value
  for (const each of choice.options) if (each.text === chosen) each.selected = true
  const privacy = h('p', { class: 'q-play-note' })
  const side = h(
    'div',
    { class: 'q-play-side' },
    h('div', { class: 'q-play-title' }, h('strong', {}, words.request), choice),
    sample,
    form.security.length > 0 && h('label', { class: 'q-play-check' }, reveal, words.reveal),
    h('div', { class: 'q-play-title' }, h('strong', {}, words.response)),
    said,
    answer,
  )
  const parts = h('div', { class: 'q-play-parts' }, ...elementsOf([server, credentials, parameters, body]), privacy)
  const whole = h('form', { class: 'q-play-form' }, head, h('div', { class: 'q-play-columns' }, parts, side))
  const box = h('dialog', { class: 'q-play', 'aria-label': `${words.title}: ${form.method} ${form.path}` }, whole)

  const read = (): Filled => ({
    method: form.method,
    path: form.path,
    base: server.value().base,
    parameters: parameters.value(),
    credentials: credentials.value(),
    ...body.value(),
  })
  const follow = async (): Promise<void> => {
    const filled = read()
    const request = harOf(filled, reveal.checked)
    address.textContent = filled.base + filled.path
    privacy.textContent = words.privacy.replace('{origin}', originOf(filled.base))
    const text = await codeOf(request, choice.value)
    sample.replaceChildren(...(text === undefined ? [] : [block(text)]))
    await followSamples(request, { type: body.type(), names: form.languages })
  }
  let wait: ReturnType<typeof setTimeout> | undefined
  const changed = (): void => {
    clearTimeout(wait)
    wait = setTimeout(() => void follow(), 120)
  }
  const ask = async (): Promise<void> => {
    if (!whole.reportValidity() || !body.isValid()) return
    const filled = read()
    const sent = requestOf(filled)
    const request = madeRequest(filled.method, sent, form.credentials === true)
    if (typeof request === 'string') {
      answer.replaceChildren(h('p', { class: 'q-play-trouble', role: 'alert' }, request))
      return
    }
    sending = new AbortController()
    const { signal } = sending
    send.textContent = words.stop
    answer.replaceChildren(h('p', { class: 'q-play-note' }, words.waiting))
    said.textContent = words.waiting
    const started = performance.now()
    try {
      const response = await fetch(request, { signal })
      await showAnswer(answer, response, started)
      said.textContent = answer.querySelector('.q-play-status')?.textContent ?? ''
    } catch {
      if (signal.aborted) answer.replaceChildren()
      else {
        // What the policy refused is told after the request has failed.
        await new Promise((resolve) => setTimeout(resolve, 50))
        const trouble = await troubleOf(sent.url, refused.has(new URL(sent.url).origin))
        const command = await codeOf(harOf(filled, reveal.checked), 'curl')
        answer.replaceChildren(troubleElement(trouble, filled.method, sent, command))
      }
      said.textContent = ''
    } finally {
      sending = undefined
      send.textContent = words.send
      if (matchMedia('(max-width: 60rem)').matches) answer.scrollIntoView({ block: 'nearest' })
    }
  }
  whole.addEventListener('submit', (event) => {
    event.preventDefault()
    if (sending === undefined) void ask()
    else sending.abort()
  })
  whole.addEventListener('input', changed)
  whole.addEventListener('change', changed)
  server.element?.addEventListener('change', () => credentials.recall())
  body.element?.addEventListener('change', () => {
    const type = body.type()
    if (type !== undefined && form.bodies.length > 1) choose(type)
  })
  choice.addEventListener('change', () => {
    choose(titleOf(choice.value))
  })
  close.addEventListener('click', () => box.close())
  box.addEventListener('click', ({ target }) => {
    if (target === box) box.close()
  })
  box.addEventListener('close', () => sending?.abort())
  EventTarget.prototype.addEventListener.call(document, 'securitypolicyviolation', ((
    event: SecurityPolicyViolationEvent,
  ) => {
    if (URL.canParse(event.blockedURI)) refused.add(new URL(event.blockedURI).origin)
  }) as EventListener)
  root.querySelector(':scope > body')?.append(box)
  void follow()
  return box
}

/** A request as the browser takes it, or why it does not. */
function madeRequest(method: string, { url, headers, body }: Sent, hasCookies: boolean): Request | string {
  try {
    return new Request(url, {
      method,
      headers: headers.map(([name, value]) => [name, value]),
      ...(body === undefined ? {} : { body }),
      credentials: hasCookies ? 'include' : 'omit',
      cache: 'no-store',
      referrerPolicy: 'strict-origin-when-cross-origin',
    })
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

function elementsOf(parts: readonly Pick<Part<unknown>, 'element'>[]): readonly HTMLElement[] {
  return parts.flatMap(({ element }) => element ?? [])
}

function originOf(address: string): string {
  return URL.canParse(address) ? new URL(address).origin : address
}
