/** @jsxImportSource #html */
import {
  type Component,
  type ComponentContext,
  type Props,
  choice,
  colorOf,
  content,
  inner,
  plainText,
} from './component.tsx'

export const colorVariants = ['compact', 'table'] as const

/** `<Color variant="compact">` with items, or with rows of items. */
const swatches: Component = (props, children, context) => {
  context.feature('extras')
  const isTable = choice(props, 'variant', colorVariants) === 'table'
  const classes = isTable ? 'q-swatches q-swatches-table' : 'q-swatches'
  const hasRows = children.some(({ component }) => component === 'Color.Row')
  return hasRows ? <div class={classes}>{inner(children)}</div> : <ul class={classes}>{inner(children)}</ul>
}

/** `<Color.Row title>`. */
const row: Component = (props, children) => {
  const title = content(props, 'title')
  return (
    <div class="q-swatch-row">
      {title && <p class="q-swatch-title">{title}</p>}
      <ul>{inner(children)}</ul>
    </div>
  )
}

/** `<Color.Item name value>`; the value may be `{ light, dark }`. Pressing it copies what it says. */
const item: Component = (props, _children, context) => {
  const name = content(props, 'name')
  const values = valuesOf(props)
  const [light, dark = light] = values.map((value) => paintOf(value, context))
  const paint = light === undefined || dark === undefined ? undefined : `--q-swatch:light-dark(${light},${dark})`
  return (
    <li class="q-swatch">
      <span class="q-swatch-paint" style={paint} />
      {name && <span class="q-swatch-name">{name}</span>}
      {values.map((value) => (
        <button
          class="q-swatch-value"
          type="button"
          data-copy-text={value}
          data-word="copyText"
          aria-label={`Copy “${[name && plainText(name), value].filter(Boolean).join(' ')}”`}
        >
          <span>{value}</span>
        </button>
      ))}
    </li>
  )
}

/** One, or that of the light and that of the dark look. */
function valuesOf(props: Props): readonly string[] {
  const value = props.get('value')
  if (typeof value === 'string') return value.trim() === '' ? [] : [value.trim()]
  if (typeof value !== 'object' || value === null || !('light' in value || 'dark' in value)) return []
  const { light, dark } = value as { readonly light?: unknown; readonly dark?: unknown }
  return [light, dark].flatMap((one) => (typeof one === 'string' && one.trim() !== '' ? [one.trim()] : []))
}

function paintOf(value: string, context: ComponentContext): string | undefined {
  const color = colorOf(value)
  if (color === undefined)
    context.warn(
      'component-value',
      `\`${value.slice(0, 60)}\` is no colour of CSS: \`<Color.Item>\` shows its words alone.`,
    )
  return color
}

/** Colours of a design, to look at and to copy. */
export const colors: Readonly<Record<string, Component>> = { Color: swatches, 'Color.Row': row, 'Color.Item': item }
