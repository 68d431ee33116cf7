import { Type, type Static, type TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { mapPages, pagesOf, type LeftOut, type PlannedEntry, type PlannedPage, type SitePlan } from './plan.ts'

/** What a plan must fit: the files that there are, and the paths that are taken. */
export interface PlanBounds {
  /** Files that a page may rest on. */
  readonly files: ReadonlySet<string>
  /** Those that export something: each must be described, or be left out by name. */
  readonly exporting: readonly string[]
  /** Pages of the output folder that somebody wrote by hand, without ending. */
  readonly taken: ReadonlySet<string>
  readonly maxPages: number
}

export interface CheckedPlan {
  /** As far as it can be used; absent when it cannot be. */
  readonly plan?: SitePlan
  /** Sentences for the model. Without them the plan is as it should be. */
  readonly problems: readonly string[]
}

const maxDepth = 3
const maxProblems = 40
const text = (maxLength: number) => Type.String({ minLength: 1, maxLength })
const Page = Type.Object({
  path: text(200),
  title: text(120),
  description: text(400),
  purpose: text(2000),
  sources: Type.Array(text(1024), { maxItems: 2000 }),
})
const Group = Type.Object({ group: text(120), pages: Type.Array(Type.Unknown(), { maxItems: 500 }) })
const Answer = Type.Object({
  name: text(120),
  groups: Type.Array(Type.Unknown(), { minItems: 1, maxItems: 100 }),
  leftOut: Type.Optional(Type.Array(Type.Object({ source: text(1024), reason: text(400) }), { maxItems: 20_000 })),
})

/** Lower-case words with hyphens, at most four deep. */
const safePath = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\/[a-z0-9]+(?:-[a-z0-9]+)*){0,3}$/
/** Names that some system or the site itself gives another meaning. */
const reservedName =
  /(?:^|\/)(?:con|prn|aux|nul|com\d|lpt\d|snippets)(?:\/|$)|(?:^|\/)index\/|\/index$|^(?:search|changelog|mcp|llms)$/

/**
 * The model's answer as a plan. Nothing in it is believed: paths are safe, files exist, and every file that exports
 * something is described or left out.
 */
export function checkPlan(answer: string, bounds: PlanBounds): CheckedPlan {
  const value = jsonIn(answer)
  if (value === undefined) return { problems: ['The answer is not a JSON object.'] }
  if (!Value.Check(Answer, value)) return { problems: shapeProblems(Answer, value, '') }
  return new PlanReader(bounds).read(value)
}

/** Also from between the marks of a code block, and with words around it. */
function jsonIn(answer: string): unknown {
  const [from, to] = [answer.indexOf('{'), answer.lastIndexOf('}')]
  if (from === -1 || to < from) return undefined
  try {
    return JSON.parse(answer.slice(from, to + 1)) as unknown
  } catch {
    return undefined
  }
}

function shapeProblems(schema: TSchema, value: unknown, at: string): string[] {
  return [...Value.Errors(schema, value)].slice(0, 10).map((error) => `${at}${error.instancePath}: ${error.message}.`)
}

class PlanReader {
  readonly #bounds: PlanBounds
  readonly #problems: string[] = []
  readonly #paths = new Set<string>()
  /** Sorted, so that those below a folder stand together. */
  readonly #files: readonly string[]

  constructor(bounds: PlanBounds) {
    this.#bounds = bounds
    this.#files = [...bounds.files].sort()
  }

  read(answer: Static<typeof Answer>): CheckedPlan {
    const groups = answer.groups.flatMap((entry, index) => {
      const read = this.#entry(entry, `/groups/${index}`, 1)
      if (read !== undefined && 'group' in read) return [read]
      this.#problem(`/groups/${index} must be an object with "group" and "pages".`)
      return []
    })
    const leftOut = (answer.leftOut ?? []).flatMap(({ source, reason }) =>
      this.#expand(source, 'leftOut').map((path): LeftOut => ({ source: path, reason })),
    )
    const whole: SitePlan = { name: answer.name.trim(), groups, leftOut }
    const plan = this.#bounded(whole)
    if (!this.#paths.has('index')) this.#problem('A page with the path "index" is missing: the site begins with it.')
    this.#checkCoverage(plan)
    const problems =
      this.#problems.length > maxProblems
        ? [...this.#problems.slice(0, maxProblems), `… and ${this.#problems.length - maxProblems} more like these.`]
        : this.#problems
    return this.#paths.has('index') ? { plan: this.#covered(plan), problems } : { problems }
  }

  #problem(message: string): undefined {
    this.#problems.push(message)
    return undefined
  }

  #entry(entry: unknown, at: string, depth: number): PlannedEntry | undefined {
    if (typeof entry === 'object' && entry !== null && 'group' in entry) {
      if (!Value.Check(Group, entry)) return this.#problem(shapeProblems(Group, entry, at).join(' '))
      if (depth > maxDepth) return this.#problem(`${at}: groups may be ${maxDepth} deep.`)
      const pages = entry.pages.flatMap((page, index) => this.#entry(page, `${at}/pages/${index}`, depth + 1) ?? [])
      return pages.length === 0
        ? this.#problem(`${at}: the group ${JSON.stringify(entry.group)} has no page.`)
        : { group: entry.group.trim(), pages }
    }
    if (!Value.Check(Page, entry)) return this.#problem(shapeProblems(Page, entry, at).join(' '))
    return this.#page(entry, at)
  }

  #page(entry: Static<typeof Page>, at: string): PlannedPage | undefined {
    const path = entry.path
      .trim()
      .toLowerCase()
      .replace(/^\//, '')
      .replace(/\.mdx?$/, '')
    const shown = `${at}: the path ${JSON.stringify(entry.path)}`
    if (!safePath.test(path) || path.length > 120)
      return this.#problem(`${shown} must be of lower-case letters, digits and hyphens, at most four names deep.`)
    if (reservedName.test(path)) return this.#problem(`${shown} has a name with a meaning of its own; choose another.`)
    if (this.#bounds.taken.has(path)) return this.#problem(`${shown} is a page that the user wrote; choose another.`)
    if (this.#paths.has(path)) return this.#problem(`${shown} is there twice.`)
    const sources = [...new Set(entry.sources.flatMap((source) => this.#expand(source, `page ${path}`)))]
    if (sources.length === 0) return this.#problem(`${at}: the page ${path} rests on no file; name its sources.`)
    this.#paths.add(path)
    const line = (words: string): string => words.replaceAll(/\s+/g, ' ').trim()
    return {
      path,
      title: line(entry.title),
      description: line(entry.description),
      purpose: entry.purpose.trim(),
      sources,
    }
  }

  /** A file, or all below a folder. */
  #expand(source: string, where: string): string[] {
    const path = source.trim().replace(/^\.?\//, '')
    if (this.#bounds.files.has(path)) return [path]
    const folder = path.endsWith('/') ? path : `${path}/`
    const below = this.#files.filter((file) => file.startsWith(folder))
    if (below.length === 0) this.#problem(`${where}: there is no source file ${JSON.stringify(source)}.`)
    return below
  }

  #bounded(plan: SitePlan): SitePlan {
    const { maxPages } = this.#bounds
    const all = pagesOf(plan)
    if (all.length <= maxPages) return plan
    this.#problem(`There are ${all.length} pages; plan at most ${maxPages}.`)
    const kept = new Set(['index', ...all.map(({ path }) => path)].slice(0, maxPages))
    return mapPages(plan, (page) => (kept.has(page.path) ? page : undefined))
  }

  #uncovered(plan: SitePlan): string[] {
    const named = new Set([
      ...pagesOf(plan).flatMap(({ sources }) => sources),
      ...plan.leftOut.map(({ source }) => source),
    ])
    return this.#bounds.exporting.filter((file) => !named.has(file))
  }

  #checkCoverage(plan: SitePlan): void {
    for (const file of this.#uncovered(plan))
      this.#problem(`${file} exports something, but no page names it as a source; add it, or list it in leftOut.`)
  }

  /** What a plan still forgets after it was told is left out in so many words: a run does not end for it. */
  #covered(plan: SitePlan): SitePlan {
    const forgotten = this.#uncovered(plan).map((source): LeftOut => ({ source, reason: 'not planned' }))
    const described = new Set(pagesOf(plan).flatMap(({ sources }) => sources))
    const leftOut = [...plan.leftOut, ...forgotten].filter(({ source }) => !described.has(source))
    return { ...plan, leftOut: [...new Map(leftOut.map((entry) => [entry.source, entry])).values()] }
  }
}
