/** @jsxImportSource #html */
import { raw, type Attributes, type Child, type Html } from '../../lib/html.ts'
import type { Component, ComponentContext, Props, Rendered } from './component.ts'
import { content, drawing, flag, inner, picture, plainText, text } from './props.tsx'

/** Without JavaScript the panels follow each other with their titles; the theme’s script makes tabs of them. `<Tabs sync>`. */
const tabs: Component = (props, children, context) => {
  context.feature('tabs')
  return <div {...groupOf(true, props)}>{inner(children)}</div>
}

/** Attributes of a group: `<… sync={false}>` keeps its choice to itself, `<… dropdown>` is a list to choose from. */
function groupOf(kind: true | 'code', props: Props): Attributes {
  return {
    class: 'q-tabs',
    'data-tabs': kind,
    'data-alone': !flag(props, 'sync', true),
    'data-dropdown': flag(props, 'dropdown'),
  }
}

/** `<Tab title icon id>`. */
const tab: Component = (props, children, context) => {
  const title = content(props, 'title') ?? 'Tab'
  const given = text(props, 'id')
  return panel({
    id: given === undefined ? context.unique('tab') : context.anchor(given),
    title: [picture(props, context), title],
    label: plainText(title),
    body: inner(children),
  })
}

interface Panel {
  readonly id: string
  readonly title: Child
  /** The title as text. */
  readonly label: string
  readonly body: Html
}

function panel({ id, title, label, body }: Panel): Html {
  return (
    <section class="q-tab" data-title={label} id={id}>
      <p class="q-tab-title">{title}</p>
      {body}
    </section>
  )
}

/** Code blocks side by side, each under its title. What is not code stays as it is. */
function codeTabs(props: Props, children: readonly Rendered[], context: ComponentContext): Html {
  const blocks = children.filter((child) => child.code !== undefined)
  if (blocks.length < 2) return inner(children)
  context.feature('tabs')
  const panels = children.map((child) => (child.code === undefined ? child : codePanel(child, context)))
  return <div {...groupOf('code', props)}>{inner(panels)}</div>
}

function codePanel({ html, code }: Rendered, context: ComponentContext): Html {
  const label = code?.title ?? languageName(code?.language ?? '')
  return panel({
    id: context.unique('code'),
    title: [code?.icon !== undefined && drawing(code.icon), label],
    label,
    // The panel’s title says it already.
    body: raw(html.replace(/<figcaption class="q-code-title">[\s\S]*?<\/figcaption>/, '')),
  })
}

const languageNames: Readonly<Record<string, string>> = {
  bash: 'Bash',
  cs: 'C#',
  csharp: 'C#',
  cpp: 'C++',
  css: 'CSS',
  curl: 'cURL',
  html: 'HTML',
  http: 'HTTP',
  javascript: 'JavaScript',
  js: 'JavaScript',
  json: 'JSON',
  jsx: 'JSX',
  php: 'PHP',
  py: 'Python',
  sh: 'Shell',
  sql: 'SQL',
  toml: 'TOML',
  ts: 'TypeScript',
  tsx: 'TSX',
  typescript: 'TypeScript',
  xml: 'XML',
  yaml: 'YAML',
  yml: 'YAML',
}

function languageName(language: string): string {
  if (language === '') return 'Code'
  const name = language.toLowerCase()
  return Object.hasOwn(languageNames, name)
    ? (languageNames[name] ?? name)
    : name.charAt(0).toUpperCase() + name.slice(1)
}

/** `<CodeGroup dropdown sync>`. */
const codeGroup: Component = (props, children, context) => codeTabs(props, children, context)

/** Examples of an endpoint; the theme may put them beside the text. */
const example =
  (kind: 'request' | 'response', label: string): Component =>
  (props, children, context) => (
    <aside class={`q-example q-example-${kind}`} aria-label={label}>
      <p class="q-example-title">{label}</p>
      {codeTabs(props, children, context)}
    </aside>
  )

export const tabComponents: Readonly<Record<string, Component>> = {
  Tabs: tabs,
  Tab: tab,
  CodeGroup: codeGroup,
  RequestExample: example('request', 'Request'),
  ResponseExample: example('response', 'Response'),
}
