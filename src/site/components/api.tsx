/** @jsxImportSource #html */
import { type Component, flag, inner, number, text, texts } from './component.tsx'
import { describedFields } from './fields.tsx'
import { madeSections } from './sections.tsx'

/** Servers that are shown; more are counted. */
const maxShown = 8

/**
 * `{ method, path, servers, full, request, origins }`: what a page of an operation begins with. `request` is what the playground
 * makes its form of, as JSON; without it there is none.
 */
const endpoint: Component = (props, _children, context) => {
  const method = text(props, 'method') ?? 'GET'
  const path = text(props, 'path') ?? '/'
  const servers = texts(props, 'servers')
  const request = text(props, 'request')
  context.feature('api')
  if (request !== undefined) context.feature('playground')
  for (const origin of texts(props, 'origins')) context.server(origin)
  const address = `${servers[0]?.replace(/\/$/, '') ?? ''}${path}`
  const shown = flag(props, 'full') ? address : path
  const more = servers.length - maxShown
  return (
    <>
      <div class="q-endpoint">
        <span class="q-method" data-method={method}>
          {method}
        </span>{' '}
        <code class="q-endpoint-path">
          {shown.split(/(\{[^}]*\})/).map((piece) => (piece.startsWith('{') ? <var>{piece}</var> : piece))}
        </code>
        <button
          type="button"
          class="q-endpoint-copy"
          data-copy-text={address}
          data-word="copyAddress"
          aria-label="Copy the address"
        ></button>
        {request !== undefined && (
          <button type="button" class="q-try" data-request={request} data-word="tryIt">
            Try it
          </button>
        )}
      </div>
      {servers.length > 0 && (
        <p class="q-servers">
          <span data-word={servers.length === 1 ? 'server' : 'servers'}>
            {servers.length === 1 ? 'Server' : 'Servers'}
          </span>
          {servers.slice(0, maxShown).map((server) => [' ', <code>{server}</code>])}
          {more > 0 && [' ', <span data-word={`moreOptions:${more}`}>and {more} more</span>]}
        </p>
      )}
    </>
  )
}

/** `{ title, word, level }`: a heading whose words are those of the page’s language. */
const section: Component = (props, _children, context) => {
  const title = text(props, 'title') ?? ''
  const word = text(props, 'word')
  const id = context.anchor(title)
  const level = number(props, 'level') === 3 ? 3 : 2
  context.heading({ id, level, text: title, ...(word === undefined ? {} : { word }) })
  const inside = (
    <>
      <span data-word={word}>{title}</span>
      <a
        class="q-heading-anchor"
        href={`#${encodeURIComponent(id)}`}
        data-word="linkTo"
        aria-label={`Link to “${title}”`}
      ></a>
    </>
  )
  return level === 3 ? <h3 id={id}>{inside}</h3> : <h2 id={id}>{inside}</h2>
}

/** `{ defaultOpen, name }`: the fields of a field, in the words of the page’s language, or what a name stands for. */
const properties: Component = (props, children) => (
  <details class="q-expandable" open={flag(props, 'defaultOpen')}>
    {text(props, 'name') === undefined ? (
      <summary class="q-quiet">
        <span data-word="properties">Properties</span>
      </summary>
    ) : (
      <summary>{text(props, 'name')}</summary>
    )}
    <div class="q-expandable-body">{inner(children)}</div>
  </details>
)

/** Where a page shows a part of a description that is not there. */
const missing: Component = () => (
  <div class="q-callout q-callout-info" role="note">
    <div class="q-callout-body">
      <p data-word="partMissing">What this page describes is not in the description of the API at present.</p>
    </div>
  </div>
)

/** Between ways of which one is enough. */
const or: Component = () => (
  <p class="q-or" data-word="or">
    or
  </p>
)

/** `{ name, schema }`: in place of the fields of a schema, where the page shows them; `schema` as the field there has it. */
const elsewhere: Component = (props) => {
  const name = <code>{text(props, 'name') ?? ''}</code>
  const schema = text(props, 'schema')
  return (
    <p class="q-elsewhere">
      <span data-word="properties">Properties</span>:{' '}
      {schema === undefined ? name : <a href={`#${encodeURIComponent(schema)}`}>{name}</a>}
    </p>
  )
}

/** `{ names }`: what a page of an operation has no room for. */
const cut: Component = (props) => {
  const names = texts(props, 'names')
  return (
    <p class="q-cut">
      <span data-word="notAllShown">Not everything is shown here; the description of the API has the rest.</span>
      {names.map((name, index) => [index > 0 ? ', ' : ' ', <code>{name}</code>])}
    </p>
  )
}

/** Components of pages that are made of descriptions; those that authors have names for do more here. */
export const api: Readonly<Record<string, Component>> = {
  ...describedFields,
  ...madeSections,
  Expandable: properties,
  Endpoint: endpoint,
  Missing: missing,
  Section: section,
  Or: or,
  Cut: cut,
  Elsewhere: elsewhere,
}
