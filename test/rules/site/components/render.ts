import { escapeHtml, raw } from '#lib/html.ts'
import type { PageUpdate } from '#site/page.ts'
import type { ComponentContext, Props, Rendered, Value } from '#site/components/component.tsx'
import { components } from '#site/components/registry.ts'

export interface Reported {
  readonly warnings: string[]
  readonly features: string[]
  readonly headings: { id: string; level: number; text: string }[]
  readonly updates?: PageUpdate[]
}

/** A context as the renderer gives it: ids are unique, `javascript:` and the like are refused. */
export function contextOf(reported: Reported): ComponentContext {
  const taken = new Map<string, number>()
  let counter = 0
  return {
    warn: (_rule, message) => reported.warnings.push(message),
    anchor: (text) => {
      const base = text.toLowerCase().replace(/[^a-z0-9]+/g, '-')
      const count = taken.get(base) ?? 0
      taken.set(base, count + 1)
      return count === 0 ? base : `${base}-${count}`
    },
    named: () => undefined,
    unique: (prefix) => `${prefix}-${++counter}`,
    href: (value) => {
      if (/^(?:[/#.]|https?:|mailto:)/.test(value)) return value
      reported.warnings.push(`refused ${value}`)
      return undefined
    },
    code: (text) => raw(`<pre><code>${escapeHtml(text)}</code></pre>`),
    feature: (name) => reported.features.push(name),
    server: () => undefined,
    heading: (entry) => reported.headings.push(entry),
    update: (entry) => reported.updates?.push(entry),
  }
}

export const child = (html: string, more: Partial<Rendered> = {}): Rendered => ({ html, ...more })

/** Renders one component with plain props. */
export function render(
  name: string,
  props: Readonly<Record<string, Value>> = {},
  children: readonly Rendered[] = [],
): Reported & { html: string } {
  const component = components.get(name)
  if (component === undefined) throw new Error(`No component ${name}`)
  const reported: Reported = { warnings: [], features: [], headings: [], updates: [] }
  const map: Props = new Map(Object.entries(props))
  return { ...reported, html: component(map, children, contextOf(reported)).html }
}
