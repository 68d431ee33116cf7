/** @jsxImportSource #html */
import type { Html } from '../../lib/html.ts'
import type { Component, ComponentContext, Props, Rendered } from './component.ts'
import { choice, color, content, inner, picture } from './props.tsx'

/** Kind → what a screen reader announces, and the icon. */
const kinds = {
  note: ['Note', 'info'],
  info: ['Information', 'message-circle-more'],
  tip: ['Tip', 'lightbulb'],
  check: ['Success', 'circle-check'],
  warning: ['Warning', 'triangle-alert'],
  danger: ['Danger', 'octagon-alert'],
} as const

type Kind = keyof typeof kinds

function callout(kind: Kind, props: Props, children: readonly Rendered[], context: ComponentContext): Html {
  const [label, fallback] = kinds[kind]
  const paint = color(props)
  const title = content(props, 'title')
  return (
    <div
      class={`q-callout q-callout-${kind}`}
      role="note"
      aria-label={label}
      style={paint === undefined ? undefined : `--q-callout:${paint}`}
    >
      {picture(props, context, fallback)}
      <div class="q-callout-body">
        {title && <p class="q-callout-title">{title}</p>}
        {inner(children)}
      </div>
    </div>
  )
}

const ofKind =
  (kind: Kind): Component =>
  (props, children, context) =>
    callout(kind, props, children, context)

const otherNames: Readonly<Record<string, Kind>> = { success: 'check', error: 'danger', caution: 'warning' }

/** `<Callout type="warning" icon="key" color="#FFC107" title="…">`. */
const generic: Component = (props, children, context) => {
  const words = [...(Object.keys(kinds) as Kind[]), ...Object.keys(otherNames)]
  const written = choice(props, 'type', words) ?? 'note'
  return callout(otherNames[written] ?? (written as Kind), props, children, context)
}

export const callouts: Readonly<Record<string, Component>> = {
  Note: ofKind('note'),
  Info: ofKind('info'),
  Tip: ofKind('tip'),
  Check: ofKind('check'),
  Warning: ofKind('warning'),
  Danger: ofKind('danger'),
  Callout: generic,
}
