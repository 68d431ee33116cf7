import type { Section } from '../shell.ts'
import { noTab, type Scope } from './format.ts'

/** What a site is divided into for those who search it: a section of the shell is of one scope, and under at most one tab. */
export interface Scopes {
  readonly scopes: readonly Scope[]
  /** By section. */
  readonly sections: readonly { readonly scope: number; readonly tab: number }[]
  /** Labels of tabs, by scope. */
  readonly tabs: readonly (readonly string[])[]
}

/** More versions and languages than that are not told apart. */
const maxScopes = 200
/** Characters of what versions, languages and tabs are called: the index of each scope names them all. */
const longestLabel = 100

/** Which versions and languages a site has, in the order of its sections. */
export function scopesOf(sections: readonly Section[]): Scopes {
  const scopes: Scope[] = []
  const tabs: string[][] = []
  const known = new Map<string, number>()
  const places = sections.map((section) => {
    const found = scopeOf(section)
    const key = JSON.stringify([found.version, found.language])
    const scope = known.get(key) ?? Math.min(scopes.length, maxScopes - 1)
    known.set(key, scope)
    if (scope === scopes.length) {
      scopes.push(found)
      tabs.push([])
    }
    return { scope, tab: tabOf(section, tabs[scope] ?? []) }
  })
  return scopes.length === 0 ? { scopes: [{}], sections: [], tabs: [[]] } : { scopes, sections: places, tabs }
}

function labelOf(switches: Section['switches'], kind: string): string | undefined {
  return switches
    .find((item) => item.kind === kind)
    ?.label.slice(0, longestLabel)
    .toWellFormed()
}

function scopeOf({ switches, lang }: Section): Scope {
  const version = labelOf(switches, 'version')
  const language = labelOf(switches, 'language')
  return {
    ...(version === undefined ? {} : { version }),
    ...(language === undefined ? {} : { language }),
    ...(lang === undefined ? {} : { lang }),
  }
}

function tabOf({ switches }: Section, labels: string[]): number {
  const label = labelOf(switches, 'tab')
  if (label === undefined) return noTab
  const known = labels.indexOf(label)
  if (known !== -1) return known
  return labels.length < noTab ? labels.push(label) - 1 : noTab
}
