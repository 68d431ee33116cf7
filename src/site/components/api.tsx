/** @jsxImportSource #html */
import { type Component, text, texts } from './component.tsx'
import { describedFields } from './fields.tsx'
import { madeExamples } from './sections.tsx'

/** `{ method, path, servers, playground }`: what a page of an operation begins with. */
const endpoint: Component = (props) => {
  const method = text(props, 'method') ?? 'GET'
  const path = text(props, 'path') ?? '/'
  const servers = texts(props, 'servers')
  return (
    <div
      class="q-endpoint"
      data-playground={text(props, 'playground')}
      data-servers={servers.length === 0 ? undefined : JSON.stringify(servers)}
    >
      <span class="q-method" data-method={method}>
        {method}
      </span>
      <code class="q-endpoint-path">
        {path.split(/(\{[^}]*\})/).map((piece) => (piece.startsWith('{') ? <var>{piece}</var> : piece))}
      </code>
    </div>
  )
}

/** `{ title, word }`: a heading whose words are those of the page’s language. */
const section: Component = (props, _children, context) => {
  const title = text(props, 'title') ?? ''
  const id = context.anchor(title)
  context.heading({ id, level: 2, text: title })
  return (
    <h2 id={id}>
      <span data-word={text(props, 'word')}>{title}</span>
      <a
        class="q-heading-anchor"
        href={`#${encodeURIComponent(id)}`}
        data-word="linkTo"
        aria-label={`Link to “${title}”`}
      ></a>
    </h2>
  )
}

/** Components of pages that are made of descriptions; those that authors have names for do more here. */
export const api: Readonly<Record<string, Component>> = {
  ...describedFields,
  ...madeExamples,
  Endpoint: endpoint,
  Section: section,
}
