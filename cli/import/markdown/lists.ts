import { attribute } from './callouts.ts'
import { closesFence, dedent, fenceOf, indentOf } from './lines.ts'

/** Longer than what is a title. */
const maxTitle = 160

/** A numbered list as `<Steps>`, where each of its items begins with a line that can be a title; else undefined. */
export function stepsOf(source: string): string | undefined {
  const lines = unindented(source)
  const items: { title: string; body: string[] }[] = []
  let width = 3
  let mark: string | undefined
  for (const line of lines) {
    const inItem = items.at(-1)
    if (mark !== undefined) {
      inItem?.body.push(dedent(line, width))
      if (closesFence(line, mark)) mark = undefined
      continue
    }
    const [, number = '', text = ''] = /^(\d+[.)][ \t]+)(.*)$/.exec(line) ?? []
    if (number !== '') {
      width = number.length
      items.push({ title: text, body: [] })
      continue
    }
    if (inItem === undefined) {
      if (line.trim() !== '') return undefined
      continue
    }
    // The paragraph of the title goes on.
    const isMore = inItem.body.length === 0 && line.trim() !== '' && fenceOf(line) === undefined
    if (isMore) inItem.title += ` ${line.trim()}`
    else {
      if (line.trim() !== '' && indentOf(line) === 0) return undefined
      mark = fenceOf(line)
      inItem.body.push(dedent(line, width))
    }
  }
  const areTitles = items.every(
    ({ title }) => title.length <= maxTitle && !/^(?:`{3}|[-*+#>|<{])/.test(title) && !/!?\[[^\]]*\]\(/.test(title),
  )
  if (items.length === 0 || !areTitles) return undefined
  const steps = items.map(({ title, body }) => {
    const inner = body.join('\n').trim()
    return `<Step${attribute('title', title.replace(/[:.]$/, ''))}>${inner === '' ? '' : `\n\n${inner}\n\n`}</Step>`
  })
  return `<Steps>\n\n${steps.join('\n\n')}\n\n</Steps>`
}

/** A list of files as `<Tree>`; undefined where there is none. */
export function treeOf(source: string): string | undefined {
  const rows = unindented(source).flatMap((line) => {
    const [, indent = '', text = ''] = /^([ \t]*)[-*+][ \t]+(.*)$/.exec(line) ?? []
    return text === '' ? [] : [{ depth: indentOf(`${indent}x`), text }]
  })
  if (rows.length === 0) return undefined
  const lines: string[] = ['<Tree>']
  const open: number[] = []
  for (const [index, { depth, text }] of rows.entries()) {
    while (open.length > 0 && depth <= (open.at(-1) ?? 0)) {
      open.pop()
      lines.push(`${'  '.repeat(open.length + 1)}</Tree.Folder>`)
    }
    const { name, comment } = nameIn(text)
    const indent = '  '.repeat(open.length + 1)
    const isFolder = name.endsWith('/') || (rows[index + 1]?.depth ?? 0) > depth
    const attributes = attribute('name', name.replace(/\/$/, '')) + attribute('comment', comment)
    const hasChildren = (rows[index + 1]?.depth ?? 0) > depth
    if (!isFolder) lines.push(`${indent}<Tree.File${attributes} />`)
    else if (!hasChildren) lines.push(`${indent}<Tree.Folder${attributes}></Tree.Folder>`)
    else {
      lines.push(`${indent}<Tree.Folder${attributes} defaultOpen>`)
      open.push(depth)
    }
  }
  for (; open.length > 0; open.pop()) lines.push(`${'  '.repeat(open.length)}</Tree.Folder>`)
  return [...lines, '</Tree>'].join('\n')
}

/** `**astro.config.mjs** Settings`, and names in code, with blanks escaped. */
function nameIn(text: string): { name: string; comment: string } {
  const [, strong, code, plain = '', rest = ''] = /^(?:\*\*(.+?)\*\*|`([^`]+)`|(\S+))[ \t]*(.*)$/.exec(text) ?? []
  const name = strong ?? code ?? plain
  return {
    name: name.replaceAll('\\', '').replaceAll('`', ''),
    comment: rest.replaceAll(/\{\/\*.*?\*\/\}/g, '').trim(),
  }
}

function unindented(source: string): string[] {
  const lines = source.split('\n')
  const least = Math.min(...lines.filter((line) => line.trim() !== '').map(indentOf), 100)
  return lines.map((line) => dedent(line, least))
}
