import { Failure } from '../contract/failure.ts'
import { limits } from '../contract/limits.ts'
import { nextTurn, isTurnOver } from '../lib/slices.ts'

/** First segments that belong to the service on every site. */
const reservedPrefixes: ReadonlySet<string> = new Set(['_platform', '_quire'])

/** Code points that HFS+ leaves out when it compares names, so that `.g\u200cit` is `.git` there (CVE-2014-9390). */
const ignorable = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu

/** `.git` and the short names that NTFS gives to it and to `.gitmodules`. */
const gitAlias = /^(?:\.git|(?:git|gitmod|gi7eba)~\d+)$/i

/** https://learn.microsoft.com/windows/win32/fileio/naming-a-file: also with any extension, also as a directory. */
const windowsDevice = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])[ ]*(?:\.|$)/i

/** More mistakes than this are not listed. */
const maxErrors = 100

/** A pushed tree may keep dotfiles (`.github/…`, `.gitignore`), though no site publishes them; an upload may not. */
export type Dotfiles = 'refused' | 'kept'

type Rule = readonly [broken: (text: string) => boolean, message: string]

/** Rules for the whole path, in the order in which they are reported. */
const pathRules: readonly Rule[] = [
  [(path) => path === '', 'empty path'],
  [(path) => /\p{Surrogate}/u.test(path), 'not valid Unicode (a lone surrogate)'],
  [(path) => /\p{Cc}/u.test(path), 'control character'],
  [
    (path) => /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f\ufeff]/u.test(path),
    'invisible character that reorders text',
  ],
  [(path) => path.includes('\\'), 'backslash: separate directories with /'],
  [(path) => path.startsWith('/'), 'absolute path: paths are relative to the project'],
  [(path) => path.includes(':'), 'colon: not allowed in file names on Windows'],
  [(path) => /%(?:2e|2f|5c|00)/i.test(path), 'percent-encoded dot, slash, backslash or NUL'],
  [(path) => Buffer.byteLength(path) > limits.pathBytes, `longer than ${limits.pathBytes} bytes`],
  [(path) => path.split('/').length > limits.pathDepth, `more than ${limits.pathDepth} levels deep`],
  [
    (path) => reservedPrefixes.has(path.split('/', 1)[0]?.toLowerCase() ?? ''),
    'reserved: _platform/ and _quire/ belong to the service',
  ],
]

const dotfileRule: Rule = [(name) => name.startsWith('.'), 'dotfile not published']

/** Rules for each segment, in the order in which they are reported. */
const segmentRules: readonly Rule[] = [
  [(name) => name === '', 'empty segment (//, or / at the end)'],
  [(name) => name === '.' || name === '..', '. and .. are not allowed'],
  [(name) => isGitName(name), 'reserved by Git (.git or an alias of it)'],
  dotfileRule,
  [(name) => /[. ]$/.test(name), 'dot or space at the end of a name'],
  [(name) => windowsDevice.test(name), 'device name on Windows'],
  [(name) => name === '__proto__', '__proto__ is not allowed as a name'],
  [(name) => Buffer.byteLength(name) > limits.pathSegmentBytes, `name longer than ${limits.pathSegmentBytes} bytes`],
]

/** Most paths: nothing here can break a rule but a length. Only speed; the rules decide everything else. */
const plain =
  /^(?![^]*(?:^|\/)(?:con|prn|aux|nul|(?:com|lpt)\d)(?:[./]|$))(?:[a-z0-9-](?:[\w-]|\.(?=[\w-]))*(?:\/(?=[a-z0-9-])|$))+$/i

/** Whether a name is `.git`, or is taken for it by some file system. */
export function isGitName(name: string): boolean {
  return gitAlias.test(name.replace(ignorable, '').replace(/[. ]+$/, ''))
}

/** Whether a name is `.gitmodules`, or is taken for it by some file system: git would read what is in it. */
export function isGitmodulesName(name: string): boolean {
  return /^(?:\.gitmodules|(?:gitmod|gi7eba)~\d+)$/i.test(name.replace(ignorable, '').replace(/[. ]+$/, ''))
}

/** The rule that a single path breaks, or null. Collisions with other paths are `checkPaths`’ business. */
export function brokenRule(path: string, dotfiles: Dotfiles = 'refused'): string | null {
  if (path.length <= limits.pathSegmentBytes && plain.test(path) && path.split('/').length <= limits.pathDepth)
    return null
  const whole = pathRules.find(([broken]) => broken(path))
  if (whole) return whole[1]
  for (const name of path.split('/')) {
    const rule = segmentRules.find((known) => (known !== dotfileRule || dotfiles === 'refused') && known[0](name))
    if (rule) return rule[1]
  }
  return null
}

/**
 * Checks the paths of a whole tree, as clients sent them.
 *
 * @param dotfiles whether they are allowed.
 * @returns the paths in the same order, Unicode-normalised to NFC.
 * @throws Failure `invalid_path` that names bad paths and the rules that they break, collisions included: two paths
 *   that some file system takes for one (letter case, Unicode form), or a file where another path needs a directory;
 *   or that tells of too many files or folders.
 */
export async function checkPaths(paths: readonly string[], dotfiles: Dotfiles = 'refused'): Promise<string[]> {
  const { normalized, errors } = await brokenPaths(paths, dotfiles)
  const bad = new Set(errors.map(({ path }) => path))
  refuse([...errors, ...(await collisions(normalized.filter((path) => !bad.has(path))))])
  return normalized
}

/** Checks each path by itself. @throws Failure `invalid_path` */
export async function checkEach(paths: readonly string[]): Promise<void> {
  refuse((await brokenPaths(paths)).errors)
}

/**
 * Checks the paths of a whole tree against each other, and how many files and folders it has.
 *
 * @param toBlame collisions that concern no such path are let be.
 * @throws Failure `invalid_path`
 */
export async function checkCollisions(paths: readonly string[], toBlame: (path: string) => boolean): Promise<void> {
  refuse((await collisions(paths)).filter(({ path, other }) => toBlame(path) || toBlame(other)))
}

interface BrokenPath {
  readonly path: string
  readonly message: string
}

/** The paths in NFC, and what is wrong with each by itself. */
async function brokenPaths(
  paths: readonly string[],
  dotfiles: Dotfiles = 'refused',
): Promise<{ readonly normalized: string[]; readonly errors: BrokenPath[] }> {
  const normalized: string[] = []
  const errors: BrokenPath[] = []
  for (const sent of paths) {
    if (isTurnOver()) await nextTurn()
    const path = sent.normalize('NFC')
    normalized.push(path)
    const message = brokenRule(path, dotfiles)
    if (message !== null) errors.push({ path, message })
  }
  return { normalized, errors }
}

function refuse(found: readonly BrokenPath[]): void {
  const [first] = found
  if (!first) return
  const more = found.length > 1 ? `, and ${found.length - 1} more` : ''
  throw new Failure('invalid_path', `${JSON.stringify(first.path)}: ${first.message}${more}.`, {
    hint: 'Rename or exclude these files, then try again. Nothing was changed.',
    errors: found.slice(0, maxErrors).map(({ path, message }) => ({ path, message })),
  })
}

interface Collision extends BrokenPath {
  readonly other: string
}

async function collisions(paths: readonly string[]): Promise<Collision[]> {
  if (paths.length > limits.files) throw tooMany('files', limits.files)
  const errors: Collision[] = []
  const files = new Map<string, string>()
  for (const path of paths) {
    if (isTurnOver()) await nextTurn()
    const key = fold(path)
    const other = files.get(key)
    if (other === undefined) files.set(key, path)
    else if (other === path) errors.push({ path, other, message: `${quote(path)} is given twice` })
    else
      errors.push({ path, other, message: `collides with ${quote(other)}: some file systems take both for one name` })
  }
  const folders = new Set<string>()
  for (const [key, path] of files) {
    if (isTurnOver()) await nextTurn()
    for (let end = key.lastIndexOf('/'); end > 0; end = key.lastIndexOf('/', end - 1)) {
      const directory = key.slice(0, end)
      if (folders.has(directory)) break
      folders.add(directory)
      const file = files.get(directory)
      if (file !== undefined)
        errors.push({ path: file, other: path, message: `is a file, but ${quote(path)} needs it to be a directory` })
    }
    if (folders.size > limits.folders) throw tooMany('folders', limits.folders)
  }
  return errors
}

function tooMany(what: 'files' | 'folders', most: number): Failure {
  return new Failure('invalid_path', `The project would have more than ${most} ${what}.`, {
    hint: 'Exclude what is no part of the site, or split the project. Nothing was changed.',
  })
}

/** A key that is equal for names which any common file system takes for one: case-folded NFKC without ignorables. */
function fold(path: string): string {
  if (/^[\0-\x7f]*$/.test(path)) return path.toLowerCase()
  return path.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC').replace(ignorable, '')
}

function quote(path: string): string {
  return JSON.stringify(path)
}
