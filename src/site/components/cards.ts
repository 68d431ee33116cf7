import { attributes } from '../html.ts'
import type { Component, ComponentContext, Props, Rendered } from './component.ts'
import { address, color, content, flag, inner, number, picture, plainText, text } from './props.ts'

const MOST_COLUMNS = 6

/**
 * `<Card title description icon href img horizontal cta arrow color>`. The whole card is the link’s surface, but the link
 * itself is the title, so that links in the card’s text stay valid and the link’s name is short. Many write the text of
 * a card as its `description`.
 */
const card: Component = (props, children, context) => {
  const href = address(props, 'href', context)
  const title = content(props, 'title')
  const image = address(props, 'img', context, 'asset')
  const body = [content(props, 'description'), inner(children)].filter((part) => part !== undefined && part !== '')
  const paint = color(props)
  const classes = ['q-card', href !== undefined && 'q-card-link', flag(props, 'horizontal') && 'q-card-horizontal']
  const opening = attributes({
    class: classes.filter((name) => name !== false).join(' '),
    style: paint === undefined ? undefined : `--q-card:${paint}`,
  })
  const texts = body.map((part) => `<div class="q-card-body">${part}</div>`).join('')
  return (
    `<div${opening}>` +
    (image === undefined ? '' : `<img${attributes({ class: 'q-card-image', src: image, alt: '', loading: 'lazy' })}>`) +
    picture(props, context) +
    `<div class="q-card-text">${heading(title, href, plainText(body.join(' ')))}${texts}${action(props, href)}</div></div>`
  )
}

function heading(title: string | undefined, href: string | undefined, fallback: string): string {
  if (title !== undefined)
    return `<p class="q-card-title">${href === undefined ? title : `<a${attributes({ href })}>${title}</a>`}</p>`
  if (href === undefined) return ''
  const label = fallback === '' ? href : fallback.slice(0, 120)
  return `<a${attributes({ class: 'q-card-cover', href, 'aria-label': label })}></a>`
}

/** The call to action under the text, and the arrow of cards that lead to other sites. */
function action(props: Props, href: string | undefined): string {
  if (href === undefined) return ''
  const cta = content(props, 'cta')
  const words = cta === undefined ? '' : `<span class="q-card-cta" aria-hidden="true">${cta}</span>`
  return flag(props, 'arrow', /^https?:/.test(href))
    ? `${words}<span class="q-card-arrow" aria-hidden="true"></span>`
    : words
}

function columns(props: Props, children: readonly Rendered[]): string {
  const wanted = Math.round(number(props, 'cols') ?? 2)
  const count = Math.min(Math.max(wanted, 1), MOST_COLUMNS)
  return `<div class="q-columns q-cols-${count}">${inner(children)}</div>`
}

const column: Component = (_props, children) => `<div class="q-column">${inner(children)}</div>`

/** A picture with a caption that leads somewhere: `<Tile href title description>picture</Tile>`. */
const tile: Component = (props, children, context: ComponentContext) => {
  const href = address(props, 'href', context)
  const description = content(props, 'description')
  const title = content(props, 'title')
  return (
    `<div${attributes({ class: href === undefined ? 'q-card' : 'q-card q-card-link' })}><div class="q-tile">${inner(children)}</div>` +
    `<div class="q-card-text">${heading(title, href, text(props, 'description') ?? '')}${description === undefined ? '' : `<div class="q-card-body">${description}</div>`}</div></div>`
  )
}

export const cards: Readonly<Record<string, Component>> = {
  Card: card,
  CardGroup: columns,
  Columns: columns,
  Column: column,
  Tile: tile,
}
