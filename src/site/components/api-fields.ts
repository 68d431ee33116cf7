import { attributes, escapeHtml } from '../html.ts'
import type { Component, ComponentContext, Props, Rendered, Value } from './component.ts'
import { Markup } from './component.ts'
import { flag, inner, text, texts } from './props.ts'

/** Where a parameter of a request stands: the prop that names it. */
const PLACES = ['path', 'query', 'body', 'header', 'cookie'] as const

/** `<ParamField query="limit" type="number" required default={10} placeholder="…" deprecated>`. */
const paramField: Component = (props, children, context) => {
  const place = PLACES.find((name) => text(props, name) !== undefined)
  const name = (place === undefined ? undefined : text(props, place)) ?? text(props, 'name')
  return field({ name, place, props, children, context })
}

/** `<ResponseField name="id" type="string" required default="…" deprecated pre={[…]} post={[…]}>`. */
const responseField: Component = (props, children, context) =>
  field({ name: text(props, 'name'), place: undefined, props, children, context })

interface Field {
  readonly name: string | undefined
  readonly place: string | undefined
  readonly props: Props
  readonly children: readonly Rendered[]
  readonly context: ComponentContext
}

function field({ name, place, props, children, context }: Field): string {
  const id = name === undefined ? undefined : context.anchor(text(props, 'id') ?? name)
  const value = literal(props.get('default') ?? props.get('initialValue'))
  const example = literal(props.get('placeholder'))
  const type = text(props, 'type')
  const parts = [
    ...texts(props, 'pre').map((word) => chip('pre', word)),
    name === undefined
      ? ''
      : `<a${attributes({ class: 'q-field-name', href: `#${encodeURIComponent(id ?? '')}` })}><code>${escapeHtml(name)}</code></a>`,
    type === undefined ? '' : chip('type', type),
    place === undefined ? '' : chip('place', place),
    ...texts(props, 'post').map((word) => chip('post', word)),
    flag(props, 'required') ? chip('required', 'required') : '',
    flag(props, 'deprecated') ? chip('deprecated', 'deprecated') : '',
    value === undefined ? '' : `<span class="q-field-default">default: <code>${escapeHtml(value)}</code></span>`,
    example === undefined ? '' : `<span class="q-field-default">example: <code>${escapeHtml(example)}</code></span>`,
  ]
  return `<div${attributes({ class: 'q-field', id })}><div class="q-field-head">${parts.join('')}</div><div class="q-field-body">${inner(children)}</div></div>`
}

const chip = (kind: string, words: string): string => `<span class="q-field-${kind}">${escapeHtml(words)}</span>`

/** A value as code: `10`, `true`, `["a"]`; undefined when there is none to show. */
function literal(value: Value): string | undefined {
  if (value === undefined || value === null || value === '' || value instanceof Markup) return undefined
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export const apiFields: Readonly<Record<string, Component>> = { ParamField: paramField, ResponseField: responseField }
