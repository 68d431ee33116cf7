import { posix } from 'node:path'
import { parse } from 'yaml'
import { dataOf, listIn, objectIn, textIn, type Dictionary, type Item } from '../data.ts'
import { pathFrom, type Project } from '../project.ts'
import type { Report } from '../report.ts'
import { factsOf, humanise, urlOf } from './shared.ts'

/** A space of GitBook: a folder of pages with a `SUMMARY.md`. */
export interface Space {
  readonly name: string
  /** Folder of its settings. */
  readonly folder: string
  /** Address that its pages stand below; empty for that at the root. */
  readonly base: string
  readonly language?: string
}

/** A part of the site, in one or several variants: languages, versions. */
export interface Section {
  readonly name: string
  readonly spaces: readonly Space[]
}

export interface FoundSpaces {
  readonly title?: string
  readonly sections: readonly Section[]
}

export const yamlIn = (project: Project, path: string): Dictionary => {
  try {
    return objectIn(dataOf(parse(project.text(path) ?? '', { logLevel: 'silent' })))
  } catch {
    return {}
  }
}

/** The spaces of a repository: as its settings of a whole site list them, else the folders that have a `SUMMARY.md`. */
export function spacesIn(project: Project, at: string, report: Report): FoundSpaces {
  for (const name of ['docs.yaml', '.gitbook.yaml', 'gitbook.yaml']) {
    const path = posix.join(at, name)
    const site = objectIn(yamlIn(project, path)['site'])
    if (listIn(site['structure']).length === 0) continue
    const sections = new SiteStructure(project, at, { path, report }).read(listIn(site['structure']))
    const title = textIn(site['title'])
    if (sections.length > 0) return { sections, ...(title === undefined ? {} : { title }) }
  }
  const alone: Space = { name: '', folder: at, base: '' }
  const isAlone =
    Object.keys(yamlIn(project, posix.join(at, '.gitbook.yaml'))).length > 0 ||
    project.has(posix.join(at, 'SUMMARY.md')) ||
    project.has(posix.join(at, 'book.json'))
  const folders = isAlone
    ? []
    : project.below(at).flatMap((path) => {
        const folder = posix.dirname(path)
        return /(?:^|\/)SUMMARY\.md$/.test(path) &&
          folder.split('/').length === (at === '' ? 1 : at.split('/').length + 1)
          ? [folder]
          : []
      })
  if (folders.length === 0) return { sections: [{ name: '', spaces: [alone] }] }
  return {
    sections: folders.map((folder) => {
      const name = factsOf(project, posix.join(folder, 'README.md')).title ?? humanise(posix.basename(folder))
      return { name, spaces: [{ name, folder, base: urlOf(posix.basename(folder)) }] }
    }),
  }
}

/** `site.structure`: sections, groups of them, and the spaces that they show. */
class SiteStructure {
  readonly #project: Project
  readonly #at: string
  readonly #place: { readonly path: string; readonly report: Report }
  #hasDefault = false

  constructor(project: Project, at: string, place: { readonly path: string; readonly report: Report }) {
    this.#project = project
    this.#at = at
    this.#place = place
  }

  read(items: readonly Item[]): Section[] {
    this.#hasDefault = items.some((item) => objectIn(item)['default'] === true)
    return items.map(objectIn).flatMap((item, index) => this.#section(item, index === 0))
  }

  #section(item: Dictionary, isFirst: boolean): Section[] {
    const children = listIn(item['children']).map(objectIn)
    const type = textIn(item['type'])
    if (item['draft'] === true) return []
    if (type === 'section-group') return children.flatMap((child) => this.#section(child, false))
    const own = type === 'space' ? [item] : children
    const name = textIn(item['title']) ?? 'Docs'
    const isRoot = item['default'] === true || (isFirst && !this.#hasDefault)
    const base = isRoot ? '' : urlOf(textIn(item['path']) ?? name.toLowerCase().replaceAll(/\W+/g, '-'))
    const first = own.find((space) => space['default'] === true) ?? own[0]
    const spaces = own.flatMap((space): Space[] => {
      const content = objectIn(space['content'])
      const directory = textIn(content['directory'] ?? space['directory'])
      const folder = directory === undefined ? undefined : pathFrom(this.#at, directory)
      const title = textIn(space['title']) ?? name
      if (folder === undefined || this.#project.below(folder).length === 0) {
        this.#place.report.add(
          'page',
          this.#place.path,
          `The space “${title}” is kept elsewhere: its pages are missing.`,
        )
        return []
      }
      const language = textIn(content['language'])
      const below = space === first ? base : urlOf(base, textIn(space['path']) ?? title)
      return [{ name: title, folder, base: below, ...(language === undefined ? {} : { language }) }]
    })
    return spaces.length === 0 ? [] : [{ name, spaces }]
  }
}
