/** @jsxImportSource #html */
import { Html } from '../../lib/html.ts'
import { type Component, type Value, content, inner, plainText, text, texts } from './component.tsx'

/** `<Update label description tags rss>`: an entry of a change log, listed in the contents and told of by the page’s feed. */
const update: Component = (props, children, context) => {
  context.feature('extras')
  const label = content(props, 'label') ?? 'Update'
  const name = plainText(label)
  const id = context.anchor(text(props, 'id') ?? name, 'section')
  context.heading({ id, level: 2, text: name })
  const description = content(props, 'description')
  const tags = texts(props, 'tags')
  if (tags.length > 0) context.feature('filters')
  const rss = props.get('rss')
  context.update({
    id,
    label: name,
    ...defined('description', description && plainText(description)),
    tags: [...tags],
    ...defined('title', memberOf(rss, 'title')),
    ...defined('summary', memberOf(rss, 'description')),
  })
  return (
    <section class="q-update" id={id} aria-label={name}>
      <div class="q-update-head">
        <h2 class="q-update-label">
          <a href={`#${encodeURIComponent(id)}`}>{label}</a>
        </h2>
        {description && <p class="q-update-description">{description}</p>}
        {tags.length > 0 && (
          <ul class="q-update-tags">
            {tags.map((tag) => (
              <li>{tag}</li>
            ))}
          </ul>
        )}
      </div>
      <div class="q-update-body">{inner(children)}</div>
    </section>
  )
}

function memberOf(value: Value, name: string): string | undefined {
  if (typeof value !== 'object' || value === null || value instanceof Html || Array.isArray(value)) return undefined
  const member = (value as Readonly<Record<string, Value>>)[name]
  return typeof member === 'string' ? plainText(member) : undefined
}

function defined<Name extends string>(name: Name, value: string | undefined): { [Key in Name]?: string } {
  return value === undefined || value === '' ? {} : ({ [name]: value } as { [Key in Name]?: string })
}

export const updates: Readonly<Record<string, Component>> = { Update: update }
