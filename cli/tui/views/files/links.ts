import { addressOf, isPage } from './page-paths.ts'

/** Where a link leads in a line: `](…)`, `href="…"`, `src='…'`, `[name]: …`, `import … from '…'`. */
const target =
  /(\]\(\s*<?|\b(?:href|src|img|image|icon)\s*=\s*["'{]+\s*|^ {0,3}\[[^\]]+\]:\s*<?|^import\b[^'"]*["'])([^\s)"'>}]+)/g

/** Files that go elsewhere. Links to them, and their own, are known by it and led on. */
export class Moves {
  readonly #to: ReadonlyMap<string, string>
  /** By path, and of a page also by its address without the slash before it. */
  readonly #files = new Map<string, string>()

  /**
   * @param pairs from where to where
   * @param others what else there is: relative links of a file that goes to another folder lead there still
   */
  constructor(pairs: Iterable<readonly [from: string, to: string]>, others: Iterable<string> = []) {
    this.#to = new Map(pairs)
    for (const file of [...others, ...this.#to.keys()]) {
      if (isPage(file)) this.#files.set(addressOf(file).slice(1), file)
      this.#files.set(file, file)
    }
  }

  has(file: string): boolean {
    return this.#to.has(file)
  }

  /** Where a file is afterwards. */
  of(file: string): string {
    return this.#to.get(file) ?? file
  }

  entries(): Iterable<readonly [from: string, to: string]> {
    return this.#to
  }

  /** The file of a path or an address, without the slash before it. */
  fileAt(place: string): string | undefined {
    return this.#files.get(place.replace(/(?<=.)\/$/, ''))
  }
}

/** A text, and how many of its links were led on. */
interface Mended {
  readonly text: string
  readonly count: number
}

/**
 * A text of the project with its links leading to where files are afterwards.
 * @param at path of the text itself, as it was: links may be relative to it
 */
export function mendLinks(text: string, at: string, moves: Moves): Mended {
  if (at === 'docs.json') return mendNavigation(text, moves)
  if (!isPage(at)) return { text, count: 0 }
  let count = 0
  let isCode = false
  const mended = text.split('\n').map((line) => {
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode
    if (isCode) return line
    return line.replaceAll(target, (whole, before: string, address: string) => {
      const [, path = '', rest = ''] = /^([^#?]*)(.*)$/s.exec(address) ?? []
      const file = path === '' || isElsewhere(path) ? undefined : moves.fileAt(resolved(decoded(path), at))
      if (file === undefined || !isBroken(path, { at, file, moves })) return whole
      count += 1
      return `${before}${written(isPage(path) || !isPage(file) ? `/${moves.of(file)}` : addressOf(moves.of(file)), before)}${rest}`
    })
  })
  return { text: mended.join('\n'), count }
}

/** Whether what is written would not lead to the file any more. */
function isBroken(
  path: string,
  { at, file, moves }: { readonly at: string; readonly file: string; readonly moves: Moves },
): boolean {
  if (!moves.has(file) && !moves.has(at)) return false
  const place = resolved(decoded(path), moves.of(at))
  const after = moves.of(file)
  return place !== after && !(isPage(after) && place === addressOf(after).slice(1))
}

/** Pages stand in docs.json without their ending, and with or without a slash before them. */
function mendNavigation(text: string, moves: Moves): Mended {
  const pageOf = (path: string): string => path.replace(/\.mdx?$/i, '')
  const names = new Map<string, string>()
  for (const [from, to] of moves.entries()) {
    if (isPage(from)) names.set(pageOf(from), pageOf(to))
    names.set(from, to)
  }
  let count = 0
  const strings = /"((?:\.?\/)?)((?:[^"\\\n]|\\.)*)"(\s*:)?/g
  const mended = text.replaceAll(strings, (whole, slash: string, value: string, colon: string | undefined) => {
    const to = names.get(value)
    if (colon !== undefined || to === undefined || to === value) return whole
    count += 1
    return `"${slash}${to}"`
  })
  return { text: mended, count }
}

/** It leads out of the project. */
function isElsewhere(address: string): boolean {
  return /^[a-z][a-z0-9+.-]*:|^\/\//i.test(address)
}

/** What ends an address that stands bare is written so that it does not. */
function written(address: string, before: string): string {
  return /[\s()]/.test(address) && !before.endsWith('<')
    ? encodeURI(address).replaceAll('(', '%28').replaceAll(')', '%29')
    : address
}

function resolved(address: string, at: string): string {
  const segments = address.startsWith('/') ? [] : at.split('/').slice(0, -1)
  for (const segment of address.split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '.' && segment !== '') segments.push(segment)
  }
  return segments.join('/')
}

function decoded(address: string): string {
  try {
    return decodeURIComponent(address)
  } catch {
    return address
  }
}
