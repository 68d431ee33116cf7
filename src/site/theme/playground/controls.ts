import type { FormField } from '../../api/request-form.ts'
import { h, option, uniqueId } from './elements.ts'
import { words } from './words.ts'

/** What a form holds; a file stands for itself. */
export type Held = string | number | boolean | null | File | readonly Held[] | { readonly [name: string]: Held }

/** Where readers fill something in. */
export interface Control {
  readonly element: HTMLElement
  /** Undefined where nothing was filled in. */
  value(): Held | undefined
  set(value: Held | undefined): void
}

/** A control with its name. @param isChecked the browser asks for what is required before it sends */
export function labelled(field: FormField, isChecked = false): Control {
  const control = controlOf(field, isChecked)
  if (field.type === 'object')
    return {
      ...control,
      element: h('details', { class: 'q-play-object', open: '' }, h('summary', {}, ...nameOf(field)), control.element),
    }
  const id = uniqueId()
  const input = control.element.matches('input, select, textarea')
    ? control.element
    : control.element.querySelector('input, select, textarea, button')
  if (control.element === input) input.id = id
  else {
    control.element.setAttribute('role', 'group')
    control.element.setAttribute('aria-label', field.name)
  }
  const label = control.element === input ? h('label', { for: id }, ...nameOf(field)) : h('span', {}, ...nameOf(field))
  const about = field.about === undefined ? undefined : h('small', { id: `${id}-about` }, field.about)
  if (about !== undefined) control.element.setAttribute('aria-describedby', about.id)
  const row = h('div', { class: 'q-play-field' }, label, control.element, about)
  return { ...control, element: row }
}

function nameOf({ name, type, required, item }: FormField): readonly (Node | string)[] {
  const shown = type === 'list' ? `${item?.type ?? 'string'}[]` : type
  return [
    h('code', {}, name),
    h('i', {}, shown),
    ...(required === true ? [h('b', { title: words.required, 'aria-label': words.required }, '*')] : []),
  ]
}

function controlOf(field: FormField, isChecked: boolean): Control {
  if (field.type === 'object') return objectOf(field.fields ?? [])
  if (field.type === 'list') return listOf(field.item ?? { name: '', type: 'string' })
  if (field.type === 'file') return fileOf()
  if (field.type === 'json') return jsonOf(field)
  return plain(field, isChecked)
}

function plain({ type, options, value, example, required }: FormField, isChecked: boolean): Control {
  const choices = options ?? (type === 'boolean' ? ['true', 'false'] : undefined)
  const attributes = {
    ...(isChecked && required === true ? { required: '' } : {}),
    autocomplete: 'off',
    spellcheck: 'false',
  }
  const isNumber = type === 'integer' || type === 'number'
  const input =
    choices === undefined
      ? h('input', {
          ...attributes,
          type: isNumber ? 'number' : 'text',
          ...(isNumber ? { step: type === 'integer' ? '1' : 'any' } : {}),
          placeholder: example ?? '',
        })
      : h('select', attributes, option('', ''), ...choices.map((choice) => option(choice)))
  const typed = (text: string): Held => {
    if (type === 'boolean') return text === 'true'
    return isNumber && text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text
  }
  const set = (next: Held | undefined): void => {
    const text =
      next === undefined || next === null ? '' : typeof next === 'object' ? JSON.stringify(next) : String(next)
    if (input instanceof HTMLSelectElement && text !== '' && choices?.includes(text) !== true)
      input.append(option(text))
    input.value = text
  }
  set(value)
  return { element: input, value: () => (input.value === '' ? undefined : typed(input.value)), set }
}

function fileOf(): Control {
  const input = h('input', { type: 'file' })
  return { element: input, value: () => input.files?.[0], set: () => undefined }
}

/** A value for which there is no form: its JSON, or text where it is none. */
function jsonOf({ example, value }: FormField): Control {
  const input = h('textarea', { rows: '2', spellcheck: 'false', placeholder: example ?? '{ }' })
  const set = (next: Held | undefined): void => {
    input.value = next === undefined ? '' : typeof next === 'string' ? next : JSON.stringify(next, null, 2)
  }
  set(value)
  return {
    element: input,
    value: () => (input.value.trim() === '' ? undefined : (parsed(input.value) ?? input.value)),
    set,
  }
}

/** What a text says as JSON; undefined for one that is none. */
export function parsed(text: string): Held | undefined {
  try {
    return JSON.parse(text) as Held
  } catch {
    return undefined
  }
}

export function objectOf(fields: readonly FormField[]): Control {
  const controls = new Map(fields.map((field) => [field.name, labelled(field)]))
  // What the form has no field for stays as it is.
  let rest: { readonly [name: string]: Held } = {}
  return {
    element: h('div', { class: 'q-play-fields' }, ...[...controls.values()].map(({ element }) => element)),
    value: () => {
      const entries = [...controls].flatMap(([name, control]): [string, Held][] => {
        const value = control.value()
        return value === undefined ? [] : [[name, value]]
      })
      const all = Object.entries(rest)
      return entries.length + all.length === 0 ? undefined : Object.fromEntries([...entries, ...all])
    },
    set: (value) => {
      const given = isRecord(value) ? value : {}
      for (const [name, control] of controls) control.set(Object.hasOwn(given, name) ? given[name] : undefined)
      rest = Object.fromEntries(Object.entries(given).filter(([name]) => !controls.has(name)))
    },
  }
}

export function isRecord(value: Held | undefined): value is { readonly [name: string]: Held } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof File)
}

function listOf(item: FormField): Control {
  const rows = h('div', { class: 'q-play-rows' })
  const controls = new Map<HTMLElement, Control>()
  const add = (value?: Held): void => {
    const control = controlOf(item, false)
    const remove = h(
      'button',
      { type: 'button', class: 'q-play-remove', 'aria-label': words.remove, title: words.remove },
      '×',
    )
    const row = h('div', {}, control.element, remove)
    if (value !== undefined) control.set(value)
    controls.set(row, control)
    rows.append(row)
    remove.addEventListener('click', () => {
      controls.delete(row)
      row.remove()
      more.focus()
      rows.dispatchEvent(new Event('input', { bubbles: true }))
    })
  }
  const more = h('button', { type: 'button', class: 'q-play-add' }, `+ ${words.add}`)
  more.addEventListener('click', () => {
    add()
    rows.lastElementChild?.querySelector<HTMLElement>('input, select, textarea')?.focus()
  })
  return {
    element: h('div', { class: 'q-play-list' }, rows, more),
    value: () => {
      const values = [...controls.values()].flatMap((control) => {
        const value = control.value()
        return value === undefined ? [] : [value]
      })
      return values.length === 0 ? undefined : values
    },
    set: (value) => {
      rows.replaceChildren()
      controls.clear()
      for (const each of Array.isArray(value) ? (value as readonly Held[]) : []) add(each)
    },
  }
}
