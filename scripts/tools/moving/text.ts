import { readdirSync, readFileSync } from 'node:fs'
import { basename, join, relative, sep } from 'node:path'

/** The files of a project. */
export class Files {
  readonly folder: string
  readonly paths: readonly string[]

  constructor(folder: string) {
    this.folder = folder
    this.paths = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
      .filter((path) => !/(?:^|\/)(?:node_modules|\.git)\//.test(path))
      .sort()
  }

  text(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8').replaceAll('\r\n', '\n')
  }

  find(pattern: RegExp): string {
    const path = this.paths.filter((one) => pattern.test(one)).toSorted((one, other) => one.length - other.length)[0]
    if (path === undefined) throw new Error(`${this.folder} has nothing like ${pattern.source}.`)
    return path
  }
}

export const field = (text: string, name: string): string | undefined =>
  new RegExp(`^---\\n(?:[\\s\\S]*?\\n)?${name}:[ \\t]*["']?([^"'\\n]+?)["']?[ \\t]*\\n[\\s\\S]*?\\n?---`).exec(
    text,
  )?.[1]

/** Without front matter, comments and code; of code blocks stays the line that opens them. */
export function running(text: string): string {
  const body = text.replace(/^---\n[\s\S]*?\n---\n/, '').replaceAll(/<!--[\s\S]*?-->|<pre\b[\s\S]*?<\/pre>/g, '')
  const lines: string[] = []
  let fence = ''
  for (const line of body.split('\n')) {
    const [, mark = ''] = /^\s*(?:>\s*)*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}|~{3,})/.exec(line) ?? []
    const isClosing = fence !== '' && mark.startsWith(fence) && line.trim().replace(/^[>\s]*/, '') === mark
    if (fence === '' && mark !== '') lines.push(line.slice(0, line.indexOf(mark)) + '```')
    else if (fence === '') lines.push(line.replaceAll(/`[^`]*`/g, '``'))
    if (fence === '') fence = mark
    else if (isClosing) fence = ''
  }
  return lines.join('\n')
}

export const count = (text: string, pattern: RegExp): number => [...text.matchAll(pattern)].length

/** Pictures that stand in files of the project. */
export function picturesIn(text: string): string[] {
  const found = [
    ...text.matchAll(/!\[[^\]]*\]\(<?([^)>\n]+?\.(?:png|jpe?g|gif|svg|webp|avif))>?(?:\s+"[^"]*")?\)/gi),
    ...text.matchAll(/\b(?:src|srcset)="([^"]+?\.(?:png|jpe?g|gif|svg|webp|avif))"/gi),
  ].map(([, address = '']) => address)
  return [
    ...new Set(found.filter((address) => !/^(?:https?:)?\/\/|\{/.test(address)).map((one) => basename(decode(one)))),
  ]
}

export function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Quoted words in their order that name one of these things, each once. */
export function quoted(text: string, known: ReadonlySet<string>): string[] {
  const words = [...text.matchAll(/(["'`])((?:(?!\1)[^\n\\])*)\1/g)].map(([, , word = '']) => word)
  return [...new Set(words.filter((word) => known.has(word)))]
}

/** The text between a bracket behind a name and the one that closes it. */
export function bracketed(text: string, name: RegExp): string {
  const start = text.search(name)
  if (start === -1) return ''
  const open = /[[{]/.exec(text.slice(start + (name.exec(text)?.[0].length ?? 0)))
  const from = start + (name.exec(text)?.[0].length ?? 0) + (open?.index ?? 0)
  let depth = 0
  for (let at = from; at < text.length; at++) {
    if (/[[{]/.test(text[at] ?? '')) depth++
    else if (/[\]}]/.test(text[at] ?? '')) depth--
    if (depth === 0) return text.slice(from, at + 1)
  }
  return text.slice(from)
}
