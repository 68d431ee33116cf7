import { attributes, escapeHtml } from '../../html.ts'
import type { Section } from '../../shell.ts'
import { isExternal } from './href.ts'
import { ICONS } from './icons.ts'
import { icon, openLink } from './link.ts'

type Switch = Section['switches'][number]

interface Choice extends Switch {
  readonly href: string
  readonly current: boolean
}

/** Switches of a section as HTML, by where they stand. */
export interface Switches {
  /** Beside the logo: versions. */
  readonly version: string
  /** At the end of the top bar: languages. */
  readonly language: string
  /** Under the top bar: tabs. */
  readonly tabs: string
  /** Over the sidebar: dropdowns, products, anchors. */
  readonly sidebar: string
}

/** Draws the switches that lead to section `index`, with the choices that stand beside each. */
export function renderSwitches(sections: readonly Section[], index: number): Switches {
  const out = { version: '', language: '', tabs: '', sidebar: '' }
  const section = sections[index]
  if (section === undefined) return out
  section.switches.forEach((_, level) => {
    const choices = choicesAt(sections, section, level)
    const of = (...kinds: Switch['kind'][]): Choice[] => choices.filter((choice) => kinds.includes(choice.kind))
    out.version += dropdown(of('version'), 'Version')
    out.language += dropdown(of('language'), 'Language')
    out.tabs += tabs(of('tab'))
    out.sidebar += dropdown(of('dropdown'), 'Section') + dropdown(of('product'), 'Product') + anchors(of('anchor'))
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
    current: item.kind === own?.kind && item.label === own.label,
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

function tabs(choices: readonly Choice[]): string {
  if (choices.length < 2) return ''
  const items = choices.map((choice) => `<li>${choiceLink(choice, 'q-tabbar-link')}</li>`)
  return `<nav class="q-tabbar" aria-label="Sections"><ul>${items.join('')}</ul></nav>`
}

function anchors(choices: readonly Choice[]): string {
  if (choices.length < 2) return ''
  return `<ul class="q-anchors">${choices.map((choice) => `<li>${choiceLink(choice, 'q-anchor-link')}</li>`).join('')}</ul>`
}

function dropdown(choices: readonly Choice[], label: string): string {
  const current = choices.find((choice) => choice.current)
  if (choices.length < 2 || current === undefined) return ''
  const summary = `${icon(current.icon)}<span class="q-hidden">${label}: </span><span>${escapeHtml(current.label)}</span>${ICONS.updown}`
  const items = choices.map((choice) => `<li>${choiceLink(choice, 'q-menu-link', ICONS.check)}</li>`)
  return `<details${attributes({ class: 'q-switch', 'data-menu': true })}><summary>${summary}</summary><ul class="q-menu">${items.join('')}</ul></details>`
}

function choiceLink(choice: Choice, className: string, mark = ''): string {
  const opened = openLink(choice.href, { class: className, 'aria-current': choice.current ? 'true' : undefined })
  const end = choice.current ? mark : isExternal(choice.href) ? ICONS.external : ''
  return `${opened}${icon(choice.icon)}<span>${escapeHtml(choice.label)}</span>${end}</a>`
}
