import { type Dirent, readdirSync, realpathSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { Failure } from '../../src/contract/failure.ts'
import { limits } from '../../src/contract/limits.ts'
import { type Rules, ignoreFiles, isIgnored, rulesAbove, rulesIn } from './ignore-rules.ts'

/** What a folder holds and no ignore file names. */
export interface WalkEntry {
  readonly name: string
  /** Below the folder that is walked, `/`-separated. */
  readonly path: string
  readonly absolute: string
  readonly type: 'file' | 'directory' | 'symbolic-link' | 'other'
  /** Of what is reached through symbolic links: where it really is. */
  readonly target?: string
  /** Of a symbolic link that is not followed: why. */
  readonly refusal?: string
}

interface WalkOptions {
  /** Told of each folder, with the names in it, before they are asked for; not of those that links lead to. */
  readonly enters?: (directory: string, names: readonly string[]) => void
  /** Symbolic links that stay inside the folder are what they lead to; the others say why they are not. */
  readonly followsLinks?: boolean
}

/**
 * Everything below a folder that is not a folder itself, by name, without what ignore files name.
 * @param wants Asked of each folder before it is entered, and of each file. Nothing hidden is wanted by anyone: that holds
 * settings and secrets; it is asked for so that it can be told.
 * @throws Failure invalid_request for an ignore file or a folder that cannot be read.
 */
export async function* walk(
  directory: string,
  wants: (entry: WalkEntry) => boolean,
  { enters = () => undefined, followsLinks = false }: WalkOptions = {},
): AsyncGenerator<WalkEntry> {
  const root = resolve(directory)
  const above = await rulesAbove(root)
  const links = followsLinks ? new Links(root, above) : undefined
  yield* walkBelow({ directory: root, base: '', above, places: [root] }, { wants, enters, links })
}

interface Visitor {
  readonly wants: (entry: WalkEntry) => boolean
  readonly enters: (directory: string, names: readonly string[]) => void
  readonly links: Links | undefined
}

interface Folder {
  readonly directory: string
  /** Its path below the root, with a slash behind. */
  readonly base: string
  readonly above: readonly Rules[]
  /** Where it, and each folder around it, really is: the innermost first. */
  readonly places: readonly string[]
  /** It is reached through a symbolic link. */
  readonly isLinked?: true
}

async function* walkBelow(folder: Folder, visitor: Visitor): AsyncGenerator<WalkEntry> {
  const { directory, above, places, isLinked } = folder
  const entries = entriesOf(directory)
  entries.sort((a, b) => (a.name < b.name ? -1 : 1))
  // Most folders have none, and looking for each costs more than the folder.
  const named = ignoreFiles.filter((name) => entries.some((entry) => entry.name === name))
  const rules = named.length === 0 ? above : [...above, ...(await rulesIn(directory, named))]
  if (isLinked === undefined)
    visitor.enters(
      directory,
      entries.map(({ name }) => name),
    )
  for (const found of entries) {
    const absolute = join(directory, found.name)
    if (isIgnored(absolute, found.isDirectory(), rules)) continue
    const entry = await entryOf(found, absolute, folder, visitor.links)
    if (entry === undefined || !visitor.wants(entry) || found.name.startsWith('.')) continue
    if (entry.type !== 'directory') yield entry
    else {
      const { target } = entry
      const place = target ?? join(places[0] ?? directory, found.name)
      const below = { directory: absolute, base: `${entry.path}/`, above: rules, places: [place, ...places] }
      yield* walkBelow(target === undefined ? below : { ...below, isLinked: true }, visitor)
    }
  }
}

/** Undefined for what an ignore file names where it really is. */
async function entryOf(
  found: Dirent,
  absolute: string,
  { base, places, isLinked }: Folder,
  links: Links | undefined,
): Promise<WalkEntry | undefined> {
  const entry = { name: found.name, path: base + found.name, absolute }
  if (found.isSymbolicLink())
    return { ...entry, ...(links === undefined ? { type: 'symbolic-link' } : await links.follow(absolute, places)) }
  const type = found.isDirectory() ? 'directory' : found.isFile() ? 'file' : 'other'
  if (isLinked === undefined) return { ...entry, type }
  const target = join(places[0] ?? '', found.name)
  if ((await links?.isLeftOut(target, type === 'directory')) === true) return undefined
  links?.count()
  return { ...entry, type, target }
}

/** Symbolic links below one folder. None leads out of it, to what is hidden or ignored, or around in a circle. */
class Links {
  /** As it was named. */
  readonly #folder: string
  readonly #root: string
  readonly #above: readonly Rules[]
  /** Of folders that links lead to or through. */
  readonly #rules = new Map<string, Promise<readonly Rules[] | undefined>>()
  #found = 0

  constructor(folder: string, above: readonly Rules[]) {
    this.#folder = folder
    this.#root = realpathSync(folder)
    this.#above = above
  }

  /** Whether an ignore file names a place, or a folder that it is in: a link of another name must not publish that. */
  async isLeftOut(place: string, isDirectory: boolean): Promise<boolean> {
    const rules = await this.#rulesOf(dirname(place))
    return rules === undefined || isIgnored(place, isDirectory, rules)
  }

  /** Those that count in a folder; undefined for one that is ignored. */
  #rulesOf(folder: string): Promise<readonly Rules[] | undefined> {
    const known = this.#rules.get(folder) ?? this.#readRules(folder)
    this.#rules.set(folder, known)
    return known
  }

  async #readRules(folder: string): Promise<readonly Rules[] | undefined> {
    const above = folder === this.#folder ? this.#above : await this.#rulesOf(dirname(folder))
    if (above === undefined || (folder !== this.#folder && isIgnored(folder, true, above))) return undefined
    return [...above, ...(await rulesIn(folder))]
  }

  /** @param places of the folder that the link is in, as `Folder` has them */
  async follow(absolute: string, places: readonly string[]): Promise<Pick<WalkEntry, 'type' | 'target' | 'refusal'>> {
    const refused = (refusal: string) => ({ type: 'symbolic-link', refusal }) as const
    let target: string
    try {
      target = realpathSync(absolute)
    } catch {
      return refused('it is a symbolic link that leads nowhere')
    }
    const inside = relative(this.#root, target)
    // On another drive of Windows there is no relative path.
    if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside))
      return refused('it is a symbolic link that leads out of the folder')
    const segments = inside.split(sep)
    if (segments.some((name) => name.startsWith('.') && name !== '.'))
      return refused('it is a symbolic link to what is hidden')
    const stats = statSync(target)
    this.count()
    const place = join(this.#folder, inside)
    if (inside !== '' && (await this.isLeftOut(place, stats.isDirectory())))
      return refused('it is a symbolic link to what an ignore file names')
    if (stats.isFile()) return { type: 'file', target: place }
    if (!stats.isDirectory()) return refused('it is a symbolic link to what is no regular file')
    return places.includes(place)
      ? refused('it is a symbolic link to a folder that it is in')
      : { type: 'directory', target: place }
  }

  /** Links to folders with links can stand for any number of files. */
  count(): void {
    this.#found += 1
    if (this.#found <= limits.files) return
    throw new Failure('invalid_request', `Symbolic links make more than ${limits.files} files of this folder.`, {
      hint: 'Leave some of the links out with a .quireignore.',
    })
  }
}

/** One after the other either way: without a thread for each, it takes a fraction. */
function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true })
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error
    throw new Failure('invalid_request', `The folder ${directory} cannot be read (${String(error.code)}).`, {
      hint: 'Make it readable, or leave it out with a .quireignore.',
      cause: error,
    })
  }
}
