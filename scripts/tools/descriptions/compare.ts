import type { RenderPool } from '#site/page.ts'
import { TestProject } from '#test/support/site/support/project.ts'
import { recordingPool } from '#test/support/site/support/recording-pool.ts'
import { DescriptionFiles } from './files.ts'
import { shownOf, type Shown } from './shown.ts'
import { wantedOf, type Wanted } from './wanted.ts'

/** Of an enumeration, which pages list so far. */
const mostOptions = 1000
/** UTF-16 units of a value and of an example that are looked for: pages cut long ones. */
const longestValue = 300
const longestExample = 400

/** What there is of something, and what pages lack of it. */
export interface Count {
  wanted: number
  readonly missing: string[]
  /** Those missing on pages that say that not all is shown. */
  readonly cut: string[]
}

const kinds = ['operations', 'webhooks', 'parameters', 'fields', 'values', 'responses', 'examples'] as const
type Counts = Readonly<Record<(typeof kinds)[number], Count>>
export type Comparison = Counts & {
  /** What the build says. */
  readonly said: readonly string[]
  /** How long the build took, in milliseconds. */
  readonly took: number
  /** Bytes of the HTML of each page. */
  readonly pageBytes: readonly number[]
}

/** Builds a site of a description by the real children, and compares what it has with what pages show. */
export async function compareDescription(
  pool: RenderPool,
  path: string,
  texts: Readonly<Record<string, string>>,
): Promise<Comparison> {
  const project = new TestProject(recordingPool(pool))
  const settings = {
    name: 'API',
    colors: { primary: '#00aa77' },
    navigation: { groups: [{ group: 'API', openapi: path }] },
  }
  const since = performance.now()
  const { errors, warnings } = await project.build({
    ...texts,
    'docs.json': JSON.stringify(settings),
    'index.md': '# Home\n',
  })
  const took = performance.now() - since
  const pageBytes: number[] = []
  const pages = Object.keys(project.last?.routes ?? {}).flatMap((url) => {
    const text = project.text(url) ?? ''
    if (/\.[a-z]+$/.test(url) || !text.startsWith('{')) return []
    const { html } = JSON.parse(text) as { html?: string }
    if (html === undefined) return []
    pageBytes.push(Buffer.byteLength(html))
    return shownOf(html) ?? []
  })
  const said = [...errors, ...warnings].map(({ message }) => message)
  return { ...comparisonOf(wantedOf(new DescriptionFiles(texts), path), pages), said, took, pageBytes }
}

/** What pages lack. */
export function comparisonOf(wanted: readonly Wanted[], pages: readonly Shown[]): Counts {
  const counts = Object.fromEntries(
    kinds.map((kind) => [kind, { wanted: 0, missing: [], cut: [] } satisfies Count]),
  ) as unknown as Counts
  const byName = new Map(pages.map((page) => [page.name, page]))
  for (const each of wanted) {
    const page = byName.get(each.name)
    const note = (kind: (typeof kinds)[number], isThere: boolean, what = ''): void => {
      const count = counts[kind]
      count.wanted += 1
      if (!isThere) (page?.isCut === true ? count.cut : count.missing).push(`${each.name} ${what}`.trim())
    }
    note(each.name.startsWith('WEBHOOK ') ? 'webhooks' : 'operations', page !== undefined)
    for (const [key, options] of each.fields) {
      const listed = page === undefined ? undefined : optionsOf(page, key)
      note(
        /^(?:headers|pathParameters|queryParameters|cookies) › [^›]*$/.test(key) ? 'parameters' : 'fields',
        listed !== undefined,
        key,
      )
      if (page !== undefined && listed === undefined) continue
      const known = new Set(listed)
      for (const option of [...new Set(options)].slice(0, mostOptions))
        note('values', known.has(shortened(option)), `${key}: ${option.slice(0, 100)}`)
    }
    for (const status of each.responses) note('responses', page?.responses.has(status) === true, status)
    for (const [where, value] of each.examples) {
      const text = (typeof value === 'string' ? value : JSON.stringify(value))
        .replaceAll(/\s/g, '')
        .slice(0, longestExample)
      note('examples', page?.code.some((block) => block.includes(text)) === true, where)
    }
  }
  return counts
}

/** Values that are listed of a field, where it stands and where links in its place lead, one after the other. */
function optionsOf(page: Shown, key: string): readonly string[] | undefined {
  const keys = new Set([key])
  const found: string[][] = []
  for (const each of keys) {
    const own = page.fields.get(each)
    if (own !== undefined) found.push([...own])
    if (keys.size > 300) break
    const parts = each.split(' › ')
    for (let length = parts.length - 1; length > 0; length--)
      for (const target of page.links.get(parts.slice(0, length).join(' › ')) ?? []) {
        const base = page.targets.get(target)?.split(' › ') ?? []
        // It leads to the field whose fields these are, or to the first of them.
        for (const start of base.length === 0 ? [] : [base, base.slice(0, -1)])
          if (start.length + parts.length - length < 12) keys.add([...start, ...parts.slice(length)].join(' › '))
      }
  }
  return found.length === 0 ? undefined : found.flat()
}

const shortened = (option: string): string =>
  option.length > longestValue ? `${option.slice(0, longestValue)}…` : option
