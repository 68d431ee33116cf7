import { parse } from 'yaml'
import { dataOf, objectIn, textIn } from '../data.ts'
import { withoutMarks } from '../markdown/callouts.ts'
import { indentOf, linesOf } from '../markdown/lines.ts'
import type { Entry } from '../site.ts'
import { humanise } from './shared.ts'

interface Row {
  readonly depth: number
  readonly label: string
  readonly target: string | undefined
  readonly line: number
  /** Name of the description of an API whose pages GitBook makes itself. */
  readonly api?: string
}

export interface Summary {
  /** The page that a row names; undefined where it is not there. */
  readonly page: (target: string, line: number) => string | undefined
  /** Where a description stands that GitBook knows by name; undefined where nothing tells. */
  readonly description: (name: string, line: number) => string | undefined
}

/** `SUMMARY.md`: headings are groups, lists are pages, lists below a page are its children. */
export function summaryEntries(text: string, summary: Summary): Entry[] {
  const groups: { label: string | undefined; rows: Row[] }[] = [{ label: undefined, rows: [] }]
  const lines = linesOf(text)
  for (let index = 0; index < lines.length; index++) {
    const { text: own = '', line = 0 } = lines[index] ?? {}
    const [, heading] = /^#{2,6}\s+(.*)$/.exec(own) ?? []
    if (heading !== undefined) groups.push({ label: withoutMarks(heading.replaceAll(/<[^>]*>/g, '')), rows: [] })
    const [, indent = '', content = ''] = /^(\s*)[-*+]\s+(.*)$/.exec(own) ?? []
    if (content === '') continue
    const depth = indentOf(`${indent}x`)
    if (content.startsWith('```')) {
      const length = lines.slice(index + 1).findIndex((inner) => inner.text.trim() === '```')
      const end = length === -1 ? lines.length : index + 1 + length
      const api = apiIn(lines.slice(index + 1, end).map((inner) => inner.text.slice(depth)))
      if (api !== undefined) groups.at(-1)?.rows.push({ depth, label: 'Operations', target: undefined, line, api })
      index = end
      continue
    }
    const [, label = content, target] =
      /^\[((?:[^\]\\]|\\.)*)\]\(\s*<?([^)\s>]*)>?(?:\s+"([^"]*)")?\s*\)/.exec(content) ?? []
    const [, short] = /\(\s*<?[^)\s>]*>?\s+"([^"]*)"\s*\)/.exec(content) ?? []
    groups.at(-1)?.rows.push({ depth, label: withoutMarks(short ?? label), target, line })
  }
  return groups.flatMap(({ label, rows }): Entry[] => {
    const items = tree(rows, summary)
    return items.length === 0
      ? []
      : label === undefined || label === ''
        ? items
        : [{ kind: 'group', label, items, expanded: true }]
  })
}

/** `type: builtin:openapi` with the name of a description. */
function apiIn(lines: readonly string[]): string | undefined {
  try {
    const block = objectIn(dataOf(parse(lines.join('\n'), { logLevel: 'silent' })))
    const { ref } = objectIn(objectIn(block['dependencies'])['spec'])
    return textIn(block['type']) === 'builtin:openapi' ? (textIn(objectIn(ref)['spec']) ?? '') : undefined
  } catch {
    return undefined
  }
}

function tree(rows: readonly Row[], summary: Summary): Entry[] {
  const entries: Entry[] = []
  for (let index = 0; index < rows.length;) {
    const row = rows[index] as Row
    let next = index + 1
    while ((rows[next]?.depth ?? -1) > row.depth) next++
    const items = tree(rows.slice(index + 1, next), summary)
    index = next
    if (row.api !== undefined) {
      const openapi = summary.description(row.api, row.line)
      if (openapi !== undefined) entries.push({ kind: 'api', label: row.label, openapi })
      continue
    }
    const isOutside = /^[a-z][a-z0-9+.-]*:/i.test(row.target ?? '')
    const source =
      row.target === undefined || row.target === '' || isOutside ? undefined : summary.page(row.target, row.line)
    if (items.length > 0)
      entries.push({
        kind: 'group',
        label: row.label || humanise(row.target ?? 'Pages'),
        items,
        ...(source === undefined ? {} : { root: source }),
      })
    else if (isOutside) entries.push({ kind: 'link', label: row.label, href: row.target ?? '' })
    else if (source === undefined) continue
    // A part of a page that another row names.
    else if (row.target?.includes('#') === true)
      entries.push({ kind: 'link', label: row.label, href: `${source}${row.target.slice(row.target.indexOf('#'))}` })
    else entries.push({ kind: 'page', source, label: row.label })
  }
  return entries
}
