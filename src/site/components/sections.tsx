/** @jsxImportSource #html */
import {
  type Component,
  content,
  flag,
  inner,
  picture,
  plainText,
  text,
  type ComponentContext,
  type Rendered,
  choice,
  number,
  type Props,
  drawing,
} from './component.tsx'
import { raw, type Attributes, type Child, type Html } from '../../lib/html.ts'

export const titleSizes = ['h2', 'h3', 'h4'] as const
/** Of a single step: `p` is no heading, whatever the others are. */
export const stepTitleSizes = ['p', ...titleSizes] as const
/** `<Accordion title description icon defaultOpen id>`: a fold that needs no script. */
const accordion: Component = (props, children, context) => {
  const title = content(props, 'title') ?? 'Details'
  const description = content(props, 'description')
  const id = context.anchor(text(props, 'id') ?? plainText(title))
  return (
    <details class="q-accordion" id={id} open={flag(props, 'defaultOpen')}>
      <summary>
        {picture(props, context)}
        <span class="q-accordion-title">
          {title}
          {description && <span class="q-accordion-description">{description}</span>}
        </span>
      </summary>
      <div class="q-accordion-body">{inner(children)}</div>
    </details>
  )
}

const accordionGroup: Component = (_props, children) => <div class="q-accordions">{inner(children)}</div>

/** `<Expandable title defaultOpen>`: the nested fields of a field. */
const expandable: Component = (props, children) => {
  const title = content(props, 'title')
  const words = title === undefined ? '' : plainText(title)
  return (
    <details class="q-expandable" open={flag(props, 'defaultOpen')}>
      {words === '' ? (
        <summary data-word="showMore">Show more</summary>
      ) : (
        <summary data-word={`show:${words}`}>Show {words}</summary>
      )}
      <div class="q-expandable-body">{inner(children)}</div>
    </details>
  )
}

/**
 * `<Steps titleSize>`. A list by role: steps may hold anything, and one may stand alone. Numbers come from the style
 * sheet. The size is that of all steps that have none of their own.
 */
const steps: Component = (props, children, context) => {
  const size = choice(props, 'titleSize', titleSizes)
  const items = size === undefined ? children : children.map((child) => sized(child, size, context))
  return (
    <div class="q-steps" role="list">
      {inner(items)}
    </div>
  )
}

/** A step whose title is a heading: it was rendered before the list that says so. */
function sized(child: Rendered, size: (typeof titleSizes)[number], context: ComponentContext): Rendered {
  if (child.component !== 'Step' || choice(child.props ?? new Map(), 'titleSize', stepTitleSizes)) return child
  const found = /^(<div[^>]* id="([^"]+)".*?)<p class="q-step-title">(.*?)<\/p>/s.exec(child.html)
  const [matched, before = '', id = '', title = ''] = found ?? []
  if (matched === undefined) return child
  context.heading({ id: plainText(raw(id)), level: Number(size.slice(1)), text: plainText(raw(title)) })
  const html = `${before}<${size} class="q-step-title">${title}</${size}>${child.html.slice(matched.length)}`
  return { ...child, html }
}

/** `<Step title icon stepNumber titleSize id noAnchor>`. With `titleSize` the title is a heading of that level. */
const step: Component = (props, children, context) => {
  const title = content(props, 'title')
  const words = title === undefined ? '' : plainText(title)
  const given = text(props, 'id')
  const id = given === undefined && words === '' ? undefined : context.anchor(given ?? words)
  const size = choice(props, 'titleSize', titleSizes)
  if (size !== undefined && id !== undefined && words !== '')
    context.heading({ id, level: Number(size.slice(1)), text: words })
  const icon = picture(props, context)
  const Title = size ?? 'p'
  return (
    <div
      class={icon === undefined ? 'q-step' : 'q-step q-step-icon'}
      role="listitem"
      id={id}
      data-number={number(props, 'stepNumber')}
    >
      {icon}
      {title && (
        <Title class="q-step-title">
          {title}
          {id !== undefined && !flag(props, 'noAnchor') && linkTo(id, words)}
        </Title>
      )}
      <div class="q-step-body">{inner(children)}</div>
    </div>
  )
}

/** The same as behind headings. */
const linkTo = (id: string, words: string): Html => (
  <a
    class="q-heading-anchor"
    href={`#${encodeURIComponent(id)}`}
    data-word="linkTo"
    aria-label={`Link to “${words}”`}
  />
)

/** Without JavaScript the panels follow each other with their titles; the theme’s script makes tabs of them. `<Tabs sync>`. */
const tabs: Component = (props, children, context) => tabsWith(undefined, props, children, context)

function tabsWith(
  id: string | undefined,
  props: Props,
  children: readonly Rendered[],
  context: ComponentContext,
): Html {
  context.feature('tabs')
  const { class: name, ...group } = groupOf(true, props)
  const first = Math.round(number(props, 'defaultTabIndex') ?? 0)
  return (
    <div
      class={flag(props, 'borderBottom') ? `${String(name)} q-tabs-line` : name}
      id={id}
      {...group}
      data-first={first > 0 && first < children.length ? first : undefined}
    >
      {inner(children)}
    </div>
  )
}

/**
 * Attributes of a group: `<… sync={false}>` keeps its choice to itself, `<… dropdown>` is a list to choose from. Where no
 * author wrote it, its blocks may all be the same in several languages (`alike`), of which machines need one.
 */
function groupOf(kind: true | 'code', props: Props, isMade = false): Attributes {
  return {
    'data-alike': isMade && flag(props, 'alike'),
    class: 'q-tabs',
    'data-tabs': kind,
    'data-alone': !flag(props, 'sync', true),
    'data-dropdown': flag(props, 'dropdown'),
  }
}

/** `<View title icon>`: the page as readers of one language or framework see it. Those beside each other are tabs: see `joinViews`. */
const view: Component = (props, children, context) => {
  context.feature('tabs')
  return tab(props, children, context)
}

/** Makes tabs of the views that stand beside each other. */
export function joinViews(parts: readonly Rendered[]): readonly Rendered[] {
  if (!parts.some(isView)) return parts
  const joined: Rendered[] = []
  for (let at = 0; at < parts.length; at += 1) {
    const part = parts[at]
    if (part === undefined) continue
    if (!isView(part)) {
      joined.push(part)
      continue
    }
    const views = [part]
    for (let next = at + 1; next < parts.length; next += 1) {
      const other = parts[next]
      if (other !== undefined && isView(other)) {
        views.push(other)
        at = next
      } else if (other?.html.trim() !== '') break
    }
    joined.push({ html: (<div {...groupOf(true, new Map())}>{inner(views)}</div>).html })
  }
  return joined
}

const isView = ({ component }: Rendered): boolean => component === 'View'

/** `<Tab title icon id>`. */
const tab: Component = (props, children, context) => {
  const title = content(props, 'title') ?? 'Tab'
  const label = plainText(title)
  const given = text(props, 'id')
  const id = given === undefined ? context.unique('tab') : context.anchor(given)
  if (given === undefined) context.named(id, label)
  return panel({
    id,
    title: [picture(props, context), title],
    label,
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
function codeTabs(props: Props, children: readonly Rendered[], context: ComponentContext, isMade = false): Html {
  const blocks = children.filter((child) => child.code !== undefined)
  if (blocks.length < 2) return inner(children)
  context.feature('tabs')
  const panels = children.map((child) => (child.code === undefined ? child : codePanel(child, context)))
  return <div {...groupOf('code', props, isMade)}>{inner(panels)}</div>
}

function codePanel({ html, code }: Rendered, context: ComponentContext): Html {
  const label = code?.title ?? code?.label ?? 'Code'
  return panel({
    id: context.unique('code'),
    title: [code?.icon !== undefined && drawing(code.icon), label],
    label,
    // The panel’s title says it already.
    body: raw(html.replace(/<figcaption class="q-code-title"[\s\S]*?<\/figcaption>/, '')),
  })
}

/** `<CodeGroup dropdown sync>`. */
const codeGroup =
  (isMade = false): Component =>
  (props, children, context) =>
    codeTabs(props, children, context, isMade)

/**
 * Examples of an endpoint; the theme may put them beside the text. Those that no author wrote may say what they are of in
 * another `word`.
 */
const example =
  (kind: 'request' | 'response', usual: string, isMade = false): Component =>
  (props, children, context) => {
    const word = (isMade ? text(props, 'word') : undefined) ?? kind
    const label = word === kind ? usual : (text(props, 'title') ?? word)
    return (
      <section
        class={`q-example q-example-${kind}`}
        data-word={word}
        aria-label={label}
        data-made={isMade || undefined}
      >
        {!isNamed(children, label) && (
          <p class="q-example-title" data-word={word}>
            {label}
          </p>
        )}
        {codeTabs(props, children, context, isMade)}
      </section>
    )
  }

/** Whether what an example is stands in the title of its only block already. */
function isNamed(children: readonly Rendered[], label: string): boolean {
  const blocks = children.flatMap(({ code }) => code ?? [])
  return blocks.length === 1 && blocks[0]?.title?.toLowerCase().includes(label.toLowerCase()) === true
}

/** What divides a page into parts: folds, steps and tabs. */
export const sections: Readonly<Record<string, Component>> = {
  Accordion: accordion,
  AccordionGroup: accordionGroup,
  Expandable: expandable,
  Steps: steps,
  Step: step,
  Tabs: tabs,
  Tab: tab,
  View: view,
  CodeGroup: codeGroup(),
  RequestExample: example('request', 'Request'),
  ResponseExample: example('response', 'Response'),
}

/** What no author wrote: examples, for which nobody searches, and choices, to which links lead by what `schema` calls them. */
export const madeSections: Readonly<Record<string, Component>> = {
  Tabs: (props, children, context) => {
    const schema = text(props, 'schema')
    return tabsWith(schema === undefined ? undefined : context.anchor(schema, 'part'), props, children, context)
  },
  CodeGroup: codeGroup(true),
  RequestExample: example('request', 'Request', true),
  ResponseExample: example('response', 'Response', true),
}
