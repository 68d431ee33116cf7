/** @jsxImportSource #html */
import { attributes, type Child, type Html } from '#lib/html.ts'
import type { Section } from '../../shell.ts'
import type { PageWords } from '../words/page.ts'
import type { Choice, Counterparts } from '../../counterparts.ts'
import { Icon, icons, isExternal, Link, safeHref } from './link.tsx'

type Kind = Section['switches'][number]['kind']

interface ListProps {
  readonly choices: readonly Choice[]
}

/** Switches of a section as HTML, by where they stand. */
export interface Switches {
  /** Beside the logo: versions. */
  readonly version: Child[]
  /** At the end of the top bar: languages. */
  readonly language: Child[]
  /** Under the top bar: tabs. */
  readonly tabs: Child[]
  /** Over the sidebar: dropdowns, products, anchors. */
  readonly sidebar: Child[]
  /** Choices that keep the page. Their links stand in the HTML as slots: see `fillSlots`. */
  readonly keeping: readonly KeptChoice[]
}

interface KeptChoice {
  readonly choice: Choice
  readonly level: number
}

/** Draws the switches that lead to this section, with the choices that stand beside each. */
export function renderSwitches(section: Section | undefined, counterparts: Counterparts, words: PageWords): Switches {
  const keeping: KeptChoice[] = []
  const out: Switches = { version: [], language: [], tabs: [], sidebar: [], keeping }
  section?.switches.forEach((_, level) => {
    const all = counterparts.choices(section, level)
    const add = (to: Child[], kind: Kind, draw: (choices: readonly Choice[]) => Html): void => {
      const choices = all.filter((choice) => choice.kind === kind)
      if (choices.length > 1) to.push(draw(choices))
    }
    const addKeeping = (to: Child[], kind: Kind, label: string): void =>
      add(to, kind, (choices) => {
        const slots = choices.map((choice) =>
          isExternal(choice.href) ? choice : { ...choice, href: slot(keeping.push({ choice, level }) - 1) },
        )
        return <Dropdown choices={slots} label={label} />
      })
    addKeeping(out.version, 'version', words.version)
    addKeeping(out.language, 'language', words.language)
    add(out.tabs, 'tab', (choices) => <Tabs choices={choices} label={words.sections} />)
    addKeeping(out.sidebar, 'dropdown', words.section)
    addKeeping(out.sidebar, 'product', words.product)
    add(out.sidebar, 'anchor', (choices) => <Anchors choices={choices} />)
  })
  return out
}

/** A link that is not known before the page is. Text cannot look like it: its quotes are escaped. */
const slot = (index: number): string => `#\0${index}`
const slotPattern = / href="#\0(\d+)"/

/**
 * HTML of a section whose links of switches are filled in for each page.
 * @param hrefs by slot
 */
export function fillSlots(html: string): (hrefs: readonly string[]) => string {
  // Texts and numbers of slots in turn.
  const parts = html.split(slotPattern)
  if (parts.length === 1) return () => html
  return (hrefs) => {
    let out = ''
    for (const [index, part] of parts.entries())
      out += index % 2 === 0 ? part : attributes({ href: safeHref(hrefs[Number(part)] ?? '') })
    return out
  }
}

function Tabs({ choices, label }: ListProps & { readonly label: string }): Html {
  return (
    <nav class="q-tabbar" aria-label={label}>
      <ul>
        {choices.map((choice) => (
          <li>
            <ChoiceLink choice={choice} class="q-tabbar-link" />
          </li>
        ))}
      </ul>
    </nav>
  )
}

function Anchors({ choices }: ListProps): Html {
  return (
    <ul class="q-anchors">
      {choices.map((choice) => (
        <li>
          <ChoiceLink choice={choice} class="q-anchor-link" />
        </li>
      ))}
    </ul>
  )
}

function Dropdown({ choices, label }: ListProps & { readonly label: string }): Child {
  const current = choices.find((choice) => choice.isCurrent)
  if (current === undefined) return null
  return (
    <details class="q-switch" data-menu>
      <summary>
        <Icon svg={current.icon} />
        <span class="q-hidden">{label}: </span>
        <span>{current.label}</span>
        {icons.updown}
      </summary>
      <ul class="q-menu">
        {choices.map((choice) => (
          <li>
            <ChoiceLink choice={choice} class="q-menu-link" mark={icons.check}>
              {choice.tag !== undefined && [' ', <span class="q-nav-tag">{choice.tag}</span>]}
              {choice.description !== undefined && <small>{choice.description}</small>}
            </ChoiceLink>
          </li>
        ))}
      </ul>
    </details>
  )
}

interface ChoiceLinkProps {
  readonly choice: Choice
  readonly class: string
  /** Behind the current choice. */
  readonly mark?: Html
  /** Behind its name. */
  readonly children?: Child
}

function ChoiceLink({ choice, class: className, mark, children }: ChoiceLinkProps): Html {
  const { href, label, icon, isCurrent } = choice
  return (
    <Link class={className} aria-current={isCurrent ? 'true' : undefined} href={href}>
      <Icon svg={icon} />
      <span>
        {label}
        {children}
      </span>
      {isCurrent ? mark : isExternal(href) && icons.external}
    </Link>
  )
}
