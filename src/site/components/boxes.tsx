/** @jsxImportSource #html */
import { type Html, raw, type Child } from '../../lib/html.ts'
import {
  type Component,
  type ComponentContext,
  type Props,
  type Rendered,
  choice,
  color,
  content,
  drawing,
  inner,
  picture,
  address,
  flag,
  number,
  plainText,
  text,
} from './component.tsx'

const maxColumns = 6
export const repositoryVariants = ['inset', 'flat'] as const
const otherNames: Readonly<Record<string, Kind>> = { success: 'check', error: 'danger', caution: 'warning' }

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

/** What the `type` of a `<Callout>` may be; other docs have further words for the same. */
export const calloutTypes = Object.keys(kinds) as readonly Kind[]
export const otherCalloutTypes = Object.keys(otherNames)

/** What callouts are drawn with where nothing else is said, of Lucide. */
export const calloutDrawings = Object.values(kinds).map(([, name]) => name)

function callout(kind: Kind, props: Props, children: readonly Rendered[], context: ComponentContext): Html {
  const [label, fallback] = kinds[kind]
  const paint = color(props)
  const title = content(props, 'title')
  return (
    <div
      class={`q-callout q-callout-${kind}`}
      role="note"
      data-word={kind === 'check' ? 'success' : kind}
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

/** `<Callout type="warning" icon="key" color="#FFC107" title="…">`. */
const generic: Component = (props, children, context) => {
  const words = [...calloutTypes, ...otherCalloutTypes]
  const written = choice(props, 'type', words) ?? 'note'
  return callout(otherNames[written] ?? (written as Kind), props, children, context)
}

/**
 * `<Card title description icon href img horizontal cta arrow color type>`. The whole card is the link’s surface, but the link
 * itself is the title, so that links in the card’s text stay valid and the link’s name is short. Many write the text of
 * a card as its `description`.
 */
const card: Component = (props, children, context) => {
  const href = address(props, 'href', context)
  const image = address(props, 'img', context, 'asset')
  const paint = color(props)
  const body = [content(props, 'description') ?? raw(''), inner(children)].filter(({ html }) => html !== '')
  const kind = choice(props, 'type', calloutTypes)
  if (kind !== undefined) context.feature('extras')
  const classes = [
    'q-card',
    href !== undefined && 'q-card-link',
    flag(props, 'horizontal') && 'q-card-horizontal',
    kind !== undefined && `q-card-typed q-callout-${kind}`,
  ]
  return (
    <div
      class={classes.filter((name) => name !== false).join(' ')}
      style={paint === undefined ? undefined : `--q-card:${paint}`}
    >
      {image !== undefined && <img class="q-card-image" src={image} alt="" loading="lazy" />}
      {picture(props, context, kind && kinds[kind][1])}
      <div class="q-card-text">
        {heading(content(props, 'title'), href, () => body.map((part) => plainText(part)).join(' '))}
        {body.map((part) => (
          <div class="q-card-body">{part}</div>
        ))}
        {href !== undefined && action(props, href)}
      </div>
    </div>
  )
}

function heading(title: Html | undefined, href: string | undefined, textOfBody: () => string): Child {
  if (title !== undefined) return <p class="q-card-title">{href === undefined ? title : <a href={href}>{title}</a>}</p>
  if (href === undefined) return null
  const label = textOfBody().trim().slice(0, 120)
  return <a class="q-card-cover" href={href} aria-label={label === '' ? href : label} />
}

/** The call to action under the text, and the arrow of cards that lead to other sites. */
function action(props: Props, href: string): Child {
  const cta = content(props, 'cta')
  return [
    cta && (
      <span class="q-card-cta" aria-hidden="true">
        {cta}
      </span>
    ),
    flag(props, 'arrow', /^https?:/.test(href)) && <span class="q-card-arrow" aria-hidden="true" />,
  ]
}

const columns: Component = (props, children) => {
  const wanted = Math.round(number(props, 'cols') ?? 2)
  const count = Math.min(Math.max(wanted, 1), maxColumns)
  return <div class={`q-columns q-cols-${count}`}>{inner(children)}</div>
}

const column: Component = (_props, children) => <div class="q-column">{inner(children)}</div>

/** A picture with a caption that leads somewhere: `<Tile href title description>picture</Tile>`. */
const tile: Component = (props, children, context) => {
  const href = address(props, 'href', context)
  const description = content(props, 'description')
  return (
    <div class={href === undefined ? 'q-card' : 'q-card q-card-link'}>
      <div class="q-tile">{inner(children)}</div>
      <div class="q-card-text">
        {heading(content(props, 'title'), href, () => text(props, 'description') ?? '')}
        {description && <div class="q-card-body">{description}</div>}
      </div>
    </div>
  )
}

/**
 * `<GitHub.Repo repo="owner/name" variant className>`: a card that leads there. It says no stars and forks: asking GitHub
 * for them would tell it who reads this page.
 */
const repository: Component = (props, _children, context) => {
  context.feature('extras')
  const name = /^(?:(?:https?:\/\/)?(?:www\.)?github\.com\/)?([\w-]{1,39}\/[\w.-]{1,100}?)(?:\.git)?\/?$/i.exec(
    text(props, 'repo') ?? '',
  )?.[1]
  if (name === undefined) {
    if (props.has('repo'))
      context.warn('component-value', '`<GitHub.Repo>` needs the name of a repository: `repo="owner/name"`.')
    return raw('')
  }
  const isFlat = choice(props, 'variant', repositoryVariants) === 'flat'
  const classes = ['q-card q-card-link q-repository', isFlat && 'q-repository-flat', text(props, 'className')]
  return (
    <div class={classes.filter((one) => one !== false && one !== undefined).join(' ')}>
      {drawing('github')}
      <div class="q-card-text">
        {heading(<>{name}</>, `https://github.com/${name}`, () => name)}
        <div class="q-card-body">GitHub</div>
      </div>
    </div>
  )
}

/** What stands out from the text: callouts, and cards in columns. */
export const boxes: Readonly<Record<string, Component>> = {
  Note: ofKind('note'),
  Info: ofKind('info'),
  Tip: ofKind('tip'),
  Check: ofKind('check'),
  Warning: ofKind('warning'),
  Danger: ofKind('danger'),
  Callout: generic,
  Card: card,
  CardGroup: columns,
  Columns: columns,
  Column: column,
  Tile: tile,
  'GitHub.Repo': repository,
}
