import type { FormBody, FormCredential, FormParameter, FormServer } from '../../api/request-form.ts'
import { labelled, objectOf, parsed, type Control, type Held } from './controls.ts'
import { h, option, uniqueId } from './elements.ts'
import { keepKey, recallKey } from './keys.ts'
import { isForm, type Filled } from './request.ts'
import { filled, words } from './words.ts'

/** A part of the form: the server, who asks, parameters, the body. */
export interface Part<Value> {
  /** Undefined where there is nothing to fill in. */
  readonly element: HTMLElement | undefined
  value(): Value
}

function section(title: string, ...children: readonly (Node | string | undefined | false)[]): HTMLElement {
  return h('details', { class: 'q-play-part', open: '' }, h('summary', {}, title), ...children)
}

const variableText = (value: Held | undefined): string => (typeof value === 'string' ? value : '')

/** A row of a list with its name. */
function row(label: string, control: HTMLElement, about?: string): HTMLElement {
  control.id = uniqueId()
  const named = h('label', { for: control.id }, h('code', {}, label))
  return h('div', { class: 'q-play-field' }, named, control, about !== undefined && h('small', {}, about))
}

export function serverPart(servers: readonly FormServer[]): Part<{ readonly base: string }> {
  const select = h('select', { 'aria-label': words.server })
  select.append(
    ...servers.map(({ url, about }, index) => option(String(index), about === undefined ? url : `${url} (${about})`)),
  )
  const variables = h('div', { class: 'q-play-fields' })
  const controls = servers.map((server) =>
    server.variables.map((variable) => ({ name: variable.name, control: labelled(variable, true) })),
  )
  const own = () => controls[Number(select.value)] ?? []
  const show = (): void => variables.replaceChildren(...own().map(({ control }) => control.element))
  select.addEventListener('change', show)
  show()
  const isFixed = servers.length === 1 && servers[0]?.variables.length === 0
  return {
    element: isFixed ? undefined : section(words.server, servers.length > 1 && select, variables),
    value: () => {
      let base = servers[Number(select.value)]?.url ?? ''
      for (const { name, control } of own()) base = base.replaceAll(`{${name}}`, () => variableText(control.value()))
      return { base }
    },
  }
}

interface CredentialPart extends Part<Filled['credentials']> {
  /** Another server is asked: it gets the keys that are its own. */
  recall(): void
}

/** @param base address of the server that is asked */
export function credentialPart(security: readonly (readonly FormCredential[])[], base: () => string): CredentialPart {
  const origin = (): string => (URL.canParse(base()) ? new URL(base()).origin : '')
  const ways = security.map((credentials) =>
    credentials.map((credential) => ({
      credential,
      ...credentialInput(credential, (value) => keepKey(origin(), credential.name, value)),
    })),
  )
  const select = h('select', { 'aria-label': words.authorization })
  select.append(
    ...security.map((way, index) => option(String(index), way.map(({ name }) => name).join(' + ') || words.without)),
  )
  const place = h('div', { class: 'q-play-fields' })
  const own = () => ways[Number(select.value)] ?? []
  const show = (): void => place.replaceChildren(...own().map(({ element }) => element))
  const recall = (): void => {
    for (const { credential, set } of ways.flat()) set(recallKey(origin(), credential.name))
  }
  select.addEventListener('change', show)
  show()
  recall()
  const isNone = ways.every((way) => way.length === 0)
  return {
    element: isNone ? undefined : section(words.authorization, ways.length > 1 && select, place),
    value: () => own().map(({ credential, value }) => ({ credential, value: value() })),
    recall,
  }
}

function credentialInput(credential: FormCredential, keep: (value: string) => void) {
  const { kind, field, place } = credential
  const secret = (): HTMLInputElement => h('input', { type: 'password', autocomplete: 'off', spellcheck: 'false' })
  if (kind === 'certificate') {
    const element = h('p', { class: 'q-play-note' }, h('code', {}, credential.name), ` ${words.certificateNote}`)
    return { element, value: () => '', set: () => undefined }
  }
  if (kind === 'basic') {
    const user = h('input', { type: 'text', autocomplete: 'off', spellcheck: 'false' })
    const password = secret()
    const value = (): string => (user.value === '' && password.value === '' ? '' : `${user.value}:${password.value}`)
    for (const input of [user, password]) input.addEventListener('input', () => keep(value()))
    const set = (text: string): void => {
      const [name = '', ...rest] = text.split(':')
      user.value = name
      password.value = rest.join(':')
    }
    return {
      element: h('div', { class: 'q-play-fields' }, row(words.username, user), row(words.password, password)),
      value,
      set,
    }
  }
  const input = secret()
  input.addEventListener('input', () => keep(input.value))
  const set = (text: string): void => {
    input.value = text
  }
  const note = place === 'cookie' ? words.cookieNote : undefined
  const element = row(kind === 'bearer' ? `${field}: Bearer` : field, input, note)
  element.append(...flowElements(credential))
  return { element, value: () => input.value.trim(), set }
}

/** Where tokens are given out. No server of ours asks for one: readers do, and paste it. */
function flowElements({ flows = [], scopes = [] }: FormCredential): readonly HTMLElement[] {
  if (flows.length === 0) return []
  const lines = flows.map(({ name, addresses, scopes: known }) => {
    const abouts = new Map(known)
    return h(
      'li',
      {},
      h('strong', {}, name),
      ...addresses.map(([word, address]) => h('div', {}, `${word}: `, addressElement(address))),
      ...scopes.map((scope) => h('div', {}, 'scope: ', h('code', {}, scope), about(abouts.get(scope)))),
    )
  })
  return [h('div', { class: 'q-play-flows' }, h('p', {}, words.tokenNote), h('ul', {}, ...lines))]
}

const about = (text = ''): string => (text === '' ? '' : ` ${text}`)

function addressElement(address: string): HTMLElement {
  return /^https:\/\//i.test(address)
    ? h('a', { href: address, target: '_blank', rel: 'noopener noreferrer' }, address)
    : h('code', {}, address)
}

const places = [
  ['path', 'path'],
  ['query', 'query'],
  ['header', 'headers'],
  ['cookie', 'cookies'],
] as const

/** Headers that browsers write themselves, whatever a page says. */
const ownHeaders =
  /^(?:accept-(?:charset|encoding)|access-control-request-.*|connection|content-length|cookie2?|date|dnt|expect|host|keep-alive|origin|referer|set-cookie|te|trailer|transfer-encoding|upgrade|user-agent|via|proxy-.*|sec-.*)$/i

export function parameterPart(parameters: readonly FormParameter[]): Part<Filled['parameters']> {
  const controls = parameters.map((parameter) => {
    const isOwn = parameter.place === 'header' && ownHeaders.test(parameter.name)
    const told = isOwn ? { ...parameter, about: words.headerNote } : parameter
    return { parameter, control: labelled(told, true) }
  })
  const sections = places.flatMap(([place, word]) => {
    const own = controls.filter(({ parameter }) => parameter.place === place)
    if (own.length === 0) return []
    const note = place === 'cookie' && h('p', { class: 'q-play-note' }, words.cookieNote)
    return [
      section(words[word], note, h('div', { class: 'q-play-fields' }, ...own.map(({ control }) => control.element))),
    ]
  })
  return {
    element: sections.length === 0 ? undefined : h('div', { class: 'q-play-sections' }, ...sections),
    value: () => controls.map(({ parameter, control }) => ({ parameter, value: control.value() })),
  }
}

interface BodyPart extends Part<Pick<Filled, 'body'>> {
  /** Media type of the one that is chosen. */
  type(): string | undefined
  /** Says what is wrong with its text, where something is. */
  isValid(): boolean
}

/** @param chosen media type that it begins with, where there is such a one */
export function bodyPart(bodies: readonly FormBody[], chosen?: string): BodyPart {
  const editors = bodies.map(editorOf)
  const select = h('select', { 'aria-label': words.body })
  select.append(...bodies.map(({ type }, index) => option(String(index), type)))
  for (const each of select.options) if (each.text === chosen) each.selected = true
  const place = h('div', {})
  const own = () => editors[Number(select.value)]
  const show = (): void => place.replaceChildren(...(own() === undefined ? [] : [own()?.element ?? '']))
  select.addEventListener('change', show)
  show()
  return {
    element: bodies.length === 0 ? undefined : section(words.body, bodies.length > 1 && select, place),
    value: () => {
      const body = own()?.value()
      return body === undefined ? {} : { body }
    },
    type: () => bodies[Number(select.value)]?.type,
    isValid: () => own()?.isValid() ?? true,
  }
}

type Body = NonNullable<Filled['body']>

interface Editor {
  readonly element: HTMLElement
  value(): Body | undefined
  isValid(): boolean
}

function editorOf(body: FormBody): Editor {
  const { type, fields, text = '' } = body
  if (isForm(type)) {
    const control = objectOf(fields ?? [])
    control.set(parsed(text))
    const value = (): Body => ({ type, value: control.value(), text: '', ...(fields === undefined ? {} : { fields }) })
    return { element: control.element, value, isValid: () => true }
  }
  if (/json/i.test(type)) return jsonEditor(type, text, fields === undefined ? undefined : objectOf(fields))
  const isBinary = /octet-stream|^image\/|^audio\/|^video\/|pdf|zip/i.test(type)
  const area = h('textarea', { rows: '8', spellcheck: 'false', 'aria-label': words.body })
  area.value = text
  const file = h('input', { type: 'file', 'aria-label': words.body })
  return {
    element: isBinary ? file : area,
    value: () =>
      isBinary
        ? { type, value: file.files?.[0], text: '' }
        : area.value === ''
          ? undefined
          : { type, value: undefined, text: area.value },
    isValid: () => true,
  }
}

/** A body in JSON: as a form, and as its text. What is changed in one is in the other. */
function jsonEditor(type: string, text: string, form: Control | undefined): Editor {
  const area = h('textarea', { rows: '12', spellcheck: 'false', 'aria-label': `${words.body}: JSON` })
  const wrong = h('p', { class: 'q-play-wrong', role: 'alert' })
  const place = h('div', {})
  area.value = text
  form?.set(parsed(text))
  let isText = form === undefined
  const check = (): boolean => {
    let message = ''
    try {
      if (area.value.trim() !== '') JSON.parse(area.value)
    } catch (error) {
      message = filled(words.notJson, { error: error instanceof Error ? error.message : '' })
    }
    wrong.textContent = message
    area.toggleAttribute('aria-invalid', message !== '')
    return message === ''
  }
  area.addEventListener('input', check)
  const modes = [words.form, 'JSON'].map((label) => h('button', { type: 'button', class: 'q-play-mode' }, label))
  const show = (): void => {
    for (const [index, button] of modes.entries()) button.setAttribute('aria-pressed', String(isText === (index === 1)))
    place.replaceChildren(...(isText ? [area, wrong] : [form?.element ?? '']))
  }
  const turn = (toText: boolean): void => {
    if (toText === isText || form === undefined) return
    if (toText) area.value = written(form)
    else if (check()) form.set(parsed(area.value))
    else return
    isText = toText
    show()
  }
  for (const [index, button] of modes.entries()) button.addEventListener('click', () => turn(index === 1))
  show()
  return {
    element: h(
      'div',
      {},
      form !== undefined && h('div', { class: 'q-play-modes', role: 'group', 'aria-label': words.body }, ...modes),
      place,
    ),
    value: () => {
      const shown = isText || form === undefined ? area.value : written(form)
      return shown.trim() === '' ? undefined : { type, value: undefined, text: shown }
    },
    isValid: () => !isText || check(),
  }
}

function written(form: Control): string {
  const value = form.value()
  return value === undefined ? '' : JSON.stringify(value, null, 2)
}
