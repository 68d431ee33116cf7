/** @jsxImportSource #html */
import type { Child, Html } from '../../../lib/html.ts'
import type { Section } from '../../shell.ts'
import { Icon, icons, isExternal, Link } from './link.tsx'

type Switch = Section['switches'][number]

interface Choice extends Switch {
  readonly href: string
  readonly isCurrent: boolean
}

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
}

/** Draws the switches that lead to section `index`, with the choices that stand beside each. */
export function renderSwitches(sections: readonly Section[], index: number): Switches {
  const out: Switches = { version: [], language: [], tabs: [], sidebar: [] }
  const section = sections[index]
  section?.switches.forEach((_, level) => {
    const all = choicesAt(sections, section, level)
    const add = (to: Child[], kind: Switch['kind'], draw: (choices: readonly Choice[]) => Html): void => {
      const choices = all.filter((choice) => choice.kind === kind)
      if (choices.length > 1) to.push(draw(choices))
    }
    add(out.version, 'version', (choices) => <Dropdown choices={choices} label="Version" />)
    add(out.language, 'language', (choices) => <Dropdown choices={choices} label="Language" />)
    add(out.tabs, 'tab', (choices) => <Tabs choices={choices} />)
    add(out.sidebar, 'dropdown', (choices) => <Dropdown choices={choices} label="Section" />)
    add(out.sidebar, 'product', (choices) => <Dropdown choices={choices} label="Product" />)
    add(out.sidebar, 'anchor', (choices) => <Anchors choices={choices} />)
  })
  return out
}

/** The language of a section's pages as a BCP 47 tag; English when nothing says otherwise. */
export function languageOf(section: Section | undefined): string {
  const lang = section?.lang ?? section?.switches.find((item) => item.kind === 'language')?.label ?? ''
  return /^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/i.test(lang) ? lang : 'en'
}

/** Alternatives at one level, each leading to the section most like the present one: same tab in another version. */
function choicesAt(sections: readonly Section[], current: Section, level: number): Choice[] {
  const best = new Map<string, { section: Section; item: Switch; score: number }>()
  for (const section of sections) {
    const item = section.switches[level]
    if (item === undefined || !agree(section, current, level)) continue
    const score = likeness(section, current, level)
    const key = `${item.kind}\0${item.label}`
    const known = best.get(key)
    if (known === undefined || score > known.score) best.set(key, { section, item, score })
  }
  const own = current.switches[level]
  return [...best.values()].map(({ section, item }) => ({
    ...item,
    href: section.href,
    isCurrent: item.kind === own?.kind && item.label === own.label,
  }))
}

function agree(one: Section, other: Section, levels: number): boolean {
  for (let level = 0; level < levels; level += 1) {
    if (
      one.switches[level]?.label !== other.switches[level]?.label ||
      one.switches[level]?.kind !== other.switches[level]?.kind
    )
      return false
  }
  return true
}

function likeness(one: Section, other: Section, from: number): number {
  return other.switches.slice(from + 1).filter((item, offset) => one.switches[from + 1 + offset]?.label === item.label)
    .length
}

function Tabs({ choices }: ListProps): Html {
  return (
    <nav class="q-tabbar" aria-label="Sections">
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
            <ChoiceLink choice={choice} class="q-menu-link" mark={icons.check} />
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
}

function ChoiceLink({ choice: { href, label, icon, isCurrent }, class: className, mark }: ChoiceLinkProps): Html {
  return (
    <Link class={className} aria-current={isCurrent ? 'true' : undefined} href={href}>
      <Icon svg={icon} />
      <span>{label}</span>
      {isCurrent ? mark : isExternal(href) && icons.external}
    </Link>
  )
}
