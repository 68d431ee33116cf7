/** @jsxImportSource #html */
import { Html, type Child } from '../../lib/html.ts'
import {
  type Component,
  type ComponentContext,
  type Props,
  type Rendered,
  type Value,
  flag,
  inner,
  number,
  text,
  texts,
} from './component.tsx'

/** Where a parameter of a request stands: the prop that names it. */
export const parameterPlaces = ['path', 'query', 'body', 'header', 'cookie'] as const

/** `<ParamField query="limit" type="number" required default={10} placeholder="…" deprecated>`. */
const paramField =
  (more?: More): Component =>
  (props, children, context) => {
    const place = parameterPlaces.find((name) => text(props, name) !== undefined)
    const name = (place === undefined ? undefined : text(props, place)) ?? text(props, 'name')
    return field({ name, place, props, children, context, more })
  }

/** `<ResponseField name="id" type="string" required default="…" deprecated pre={[…]} post={[…]}>`. */
const responseField =
  (more?: More): Component =>
  (props, children, context) =>
    field({ name: text(props, 'name'), place: undefined, props, children, context, more })

/** What is shown of a field beside what authors say of it. */
type More = (props: Props) => Html | undefined

interface Field {
  readonly name: string | undefined
  readonly place: string | undefined
  readonly props: Props
  readonly children: readonly Rendered[]
  readonly context: ComponentContext
  readonly more: More | undefined
}

function field({ name, place, props, children, context, more }: Field): Html {
  const id = name === undefined ? undefined : fieldId(name, props, context, more !== undefined)
  const schema = more === undefined ? undefined : text(props, 'schema')
  if (id !== undefined && schema !== undefined) context.named(id, schema)
  const value = literal(props.get('default') ?? props.get('initialValue'))
  const example = literal(props.get('placeholder'))
  const type = text(props, 'type')
  return (
    <div class="q-field" id={id}>
      <div class="q-field-head">
        {apart([
          ...texts(props, 'pre').map((word) => chip('pre', word)),
          name !== undefined && (
            <a class="q-field-name" href={`#${encodeURIComponent(id ?? '')}`}>
              <code>{name}</code>
            </a>
          ),
          type !== undefined && chip('type', type),
          place !== undefined && more === undefined && chip('place', place),
          ...texts(props, 'post').map((word) => chip('post', word)),
          flag(props, 'required') && word('required'),
          flag(props, 'deprecated') && word('deprecated'),
          value !== undefined && sample('default', value),
          example !== undefined && sample('example', example),
        ])}
      </div>
      <div class="q-field-body" data-made={more !== undefined}>
        {inner(children.filter((child) => !isNested(child)))}
        {more?.(props)}
        {inner(children.filter(isNested))}
      </div>
    </div>
  )
}

/** With spaces, which are not seen: without styles, in searches and in what is copied these are words of their own. */
const apart = (children: readonly Child[]): Child[] =>
  children.filter((child) => child !== false).map((child, index) => [index > 0 && ' ', child])

/** A field of a description is found by where it stands: `body-location-country`. */
function fieldId(name: string, props: Props, context: ComponentContext, isDescribed: boolean): string {
  const given = text(props, 'id')
  if (given !== undefined) return context.anchor(given)
  const path = isDescribed ? text(props, 'anchor') : undefined
  return path === undefined ? context.anchor(name, 'field') : context.anchor(path, 'part')
}

/** Fields of a field, which stand under all that is said of it. */
const isNested = ({ component }: Rendered): boolean => component === 'Expandable'

/** What a value keeps to, a line: its options, range, length, pattern … */
function facts(props: Props): Html | undefined {
  const lines = factNames.flatMap((name) => {
    const values = texts(props, name)
    if (values.length === 0) return []
    const names = name === 'options' ? texts(props, 'optionNames') : []
    const more = name === 'options' ? (number(props, 'moreOptions') ?? 0) : 0
    const isFolded = values.length > shownOptions
    return [
      <span class="q-field-fact">
        <span data-word={name}>{labels[name]}</span>: {listed(values.slice(0, shownOptions), names)}
        {isFolded && (
          <details class="q-field-options">
            <summary class="q-quiet" data-word={`showAllOptions:${values.length}`}>
              Show all {values.length}
            </summary>
            {listed(values.slice(shownOptions), names.slice(shownOptions))}
          </details>
        )}
        {more > 0 && [' ', <span data-word={`moreOptions:${more}`}>and {more} more</span>]}
      </span>,
    ]
  })
  const flags = (['readOnly', 'writeOnly', 'unique'] as const).filter((name) => flag(props, name))
  if (lines.length === 0 && flags.length === 0) return undefined
  return (
    <div class="q-field-facts">
      {apart([
        ...flags.map((name) => (
          <span class="q-field-fact" data-word={name}>
            {labels[name]}
          </span>
        )),
        ...lines,
      ])}
    </div>
  )
}

/** More are folded. */
const shownOptions = 12

/** @param names what the values are called: '' for one that has no name. */
const listed = (values: readonly string[], names: readonly string[]): Child[] =>
  values.map((value, index) => {
    const name = names[index] ?? ''
    return [index > 0 && ' ', <code>{value}</code>, name !== '' && ` ${name}${index + 1 < values.length ? ',' : ''}`]
  })

const labels = {
  options: 'Options',
  range: 'Range',
  length: 'Length',
  items: 'Items',
  pattern: 'Pattern',
  multipleOf: 'Multiple of',
  constant: 'Always',
  examples: 'Examples',
  readOnly: 'read only',
  writeOnly: 'write only',
  unique: 'unique items',
} as const
const factNames = ['options', 'range', 'length', 'items', 'pattern', 'multipleOf', 'constant', 'examples'] as const

const chip = (kind: string, label: string): Html => <span class={`q-field-${kind}`}>{label}</span>

/** Told in the language of the page: see `inLanguage` of the theme. */
const word = (name: 'required' | 'deprecated'): Html => (
  <span class={`q-field-${name}`} data-word={name}>
    {name}
  </span>
)

const sample = (label: 'default' | 'example', code: string): Html => (
  <span class="q-field-default">
    <span data-word={label}>{label}</span>: <code>{code}</code>
  </span>
)

/** A value as code: `10`, `true`, `["a"]`; undefined when there is none to show. */
function literal(value: Value): string | undefined {
  if (value === undefined || value === null || value === '' || value instanceof Html) return undefined
  return typeof value === 'string' ? value : JSON.stringify(value)
}

export const fields: Readonly<Record<string, Component>> = { ParamField: paramField(), ResponseField: responseField() }

/** Fields of descriptions of APIs, which say what values keep to. */
export const describedFields: Readonly<Record<string, Component>> = {
  ParamField: paramField(facts),
  ResponseField: responseField(facts),
}
