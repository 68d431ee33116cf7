import { addressOf, isPage } from './page-paths.ts'

/**
 * Where a link leads in a line: `](…)`, `](<…>)`, `[name]: …`, `[name]: <…>`, `href="…"`, `src={'…'}`,
 * `import … from '…'`. What ends an address is what it begins with: between `<>` and between quotation marks are spaces, too.
 */
const target =
  /((?:\]\(|^[ >]*\[[^\]]+\]:)\s*)(?:(<)([^<>]+)(?=>)|([^\s)"'<>}]+))|((?:\b(?:href|src|img|image|icon)\s*=\s*\{?\s*|^import\b[^'"]*))(["'])((?:(?!\6).)+)(?=\6)/g

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

/** A text, and what was led on in it. */
interface Mended {
  readonly text: string
  /** Links. */
  readonly count: number
  /** The files that they lead to, as these were called. */
  readonly targets: ReadonlySet<string>
}

/**
 * A text of the project, a page or a file of the configuration, with its links leading to where files are afterwards.
 * @param at path of the text itself, as it was: links may be relative to it
 */
export function mendLinks(text: string, at: string, moves: Moves): Mended {
  if (at.endsWith('.json')) return mendNavigation(text, moves)
  const targets = new Set<string>()
  if (!isPage(at)) return { text, count: 0, targets }
  let count = 0
  let isCode = false
  const mended = text.split('\n').map((line) => {
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode
    if (isCode) return line
    return line.replaceAll(target, (whole, ...groups: (string | undefined)[]) => {
      const [label, angle = '', angled, bare, property, quote = '', quoted] = groups
      const address = angled ?? bare ?? quoted ?? ''
      const [, path = '', rest = ''] = /^([^#?]*)(.*)$/s.exec(address) ?? []
      const file = path === '' || isElsewhere(path) ? undefined : moves.fileAt(resolved(decoded(path), at))
      if (file === undefined || !isBroken(path, { at, file, moves })) return whole
      count += 1
      targets.add(file)
      const after = isPage(path) || !isPage(file) ? `/${moves.of(file)}` : addressOf(moves.of(file))
      return `${label ?? property}${angle}${quote}${angle === '' ? written(after) : after}${rest}`
    })
  })
  return { text: mended.join('\n'), count, targets }
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

/** Pages stand in the configuration without their ending, and with or without a slash before them. */
function mendNavigation(text: string, moves: Moves): Mended {
  const pageOf = (path: string): string => path.replace(/\.mdx?$/i, '')
  const names = new Map<string, { readonly from: string; readonly to: string }>()
  for (const [from, to] of moves.entries()) {
    if (isPage(from)) names.set(pageOf(from), { from, to: pageOf(to) })
    names.set(from, { from, to })
  }
  const targets = new Set<string>()
  let count = 0
  const strings = /"((?:\.?\/)?)((?:[^"\\\n]|\\.)*)"(\s*:)?/g
  const mended = text.replaceAll(strings, (whole, slash: string, value: string, colon: string | undefined) => {
    const name = names.get(value)
    if (colon !== undefined || name === undefined || name.to === value) return whole
    count += 1
    targets.add(name.from)
    return `"${slash}${name.to}"`
  })
  return { text: mended, count, targets }
}

/** It leads out of the project. */
function isElsewhere(address: string): boolean {
  return /^[a-z][a-z0-9+.-]*:|^\/\//i.test(address)
}

/** What ends an address that stands bare, or between quotation marks, is written so that it does not. */
export function written(address: string): string {
  return /[\s()'"]/.test(address)
    ? encodeURI(address).replaceAll(/[()']/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
    : address
}

/** The path of a file that another one, at `at`, names: relative to its folder, or with a slash before it to the root. */
export function resolved(address: string, at: string): string {
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
