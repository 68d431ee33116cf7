import { limits } from '../../contract/limits.ts'
import type { Steps } from '../../lib/slices.ts'
import type { Links, Oid } from '../repository.ts'

export const noLinks: Links = { followed: new Map(), left: new Map() }

/** Bytes of a link: what is longer leads nowhere. */
export const linkBytes = limits.pathBytes

/** Links on the way to one place, as on Linux. */
const maxHops = 40
/** Names that one link is followed by, and all of a tree: chains of links are otherwise gone through again and again. */
const namesOfOne = 4096
const namesOfAll = 2_000_000

interface Folder<T> {
  readonly path: string
  readonly parent: Folder<T> | null
  readonly entries: Map<string, Entry<T>>
}
interface File<T> {
  readonly path: string
  readonly file: T
}
interface Link<T> {
  readonly path: string
  readonly link: string
  /** In which it is. */
  readonly folder: Folder<T>
}
type Entry<T> = Folder<T> | File<T> | Link<T>
type Place<T> = Folder<T> | File<T>

const nowhere = 'that leads nowhere'
const outside = 'that leads out of the project'
const hidden = 'to what is hidden'
const around = 'to a folder that it is in'
const tooMany = `that makes, with others, more than ${limits.files} files`
const tooLong = 'that makes a path too long or too deep'

/**
 * The files of a tree with those that its symbolic links lead to. A link is followed to files, folders and other links of
 * the tree; not out of it, to what is hidden, to nothing or around in a circle, as in a folder that the command line
 * sends (`cli/deploying/walk.ts`).
 * Bounded: with the files that come of links there are at most `limits.files`, in paths of the usual length and depth.
 *
 * @param links where each leads, by path
 */
export function* followLinks<T>(
  files: ReadonlyMap<string, T>,
  links: ReadonlyMap<string, string>,
): Steps<{ readonly files: ReadonlyMap<string, T>; readonly links: Links }> {
  if (links.size === 0) return { files, links: noLinks }
  const follower = new Follower<T>(files)
  for (const [path, file] of files) {
    yield
    follower.folderOf(path).entries.set(nameOf(path), { path, file })
  }
  for (const [path, link] of links) {
    yield
    const folder = follower.folderOf(path)
    folder.entries.set(nameOf(path), { path, link, folder })
  }
  yield* follower.walk(follower.root, '', [follower.root])
  return { files: follower.files, links: { followed: follower.followed, left: follower.left } }
}

class Follower<T> {
  readonly root: Folder<T> = { path: '', parent: null, entries: new Map() }
  readonly files: Map<string, T>
  readonly followed = new Map<string, string>()
  readonly left = new Map<string, string>()
  readonly #folders = new Map<string, Folder<T>>([['', this.root]])
  /** Where links lead, or why nowhere. */
  readonly #found = new Map<Link<T>, Place<T> | string>()
  /** What is still reached through links, of any kind: links to folders of links stand for any number of files. */
  #room: number
  #names = namesOfAll
  #namesOfOne = 0
  /** Paths that come of the link that is followed; undefined outside of one. */
  #coming: string[] | undefined

  constructor(files: ReadonlyMap<string, T>) {
    this.files = new Map(files)
    this.#room = limits.files - files.size
  }

  folderOf(path: string): Folder<T> {
    const above = path.slice(0, Math.max(path.lastIndexOf('/'), 0))
    const known = this.#folders.get(above)
    if (known !== undefined) return known
    const parent = this.folderOf(above)
    const folder: Folder<T> = { path: above, parent, entries: new Map() }
    parent.entries.set(nameOf(above), folder)
    this.#folders.set(above, folder)
    return folder
  }

  /** @param places the folder, and those around it, where they really are */
  *walk(folder: Folder<T>, base: string, places: readonly Folder<T>[]): Steps<void> {
    for (const [name, entry] of folder.entries) {
      yield
      const path = base + name
      if (!this.#takes(path)) {
        if (this.#room < 0) return
        continue
      }
      // What is hidden is on no site, and is not by another name either.
      if (name.startsWith('.')) continue
      if ('link' in entry) yield* this.#follow(entry, path, places)
      else if ('file' in entry) this.files.set(path, entry.file)
      else yield* this.walk(entry, `${path}/`, [...places, entry])
    }
  }

  *#follow(link: Link<T>, path: string, places: readonly Folder<T>[]): Steps<void> {
    const isOutermost = this.#coming === undefined
    const place = this.#placeOf(link)
    // Of one that is reached through another it is told where it is.
    if (typeof place === 'string') {
      if (isOutermost) this.left.set(path, place)
      return
    }
    if ('entries' in place && places.includes(place)) {
      this.left.set(path, around)
      return
    }
    this.#coming ??= []
    if (!isOutermost || this.#takes(path)) {
      this.followed.set(path, place.path)
      if ('file' in place) this.files.set(path, place.file)
      else yield* this.walk(place, `${path}/`, [...places, place])
    }
    if (!isOutermost) return
    if (this.#room < 0) yield* this.#giveUp(path)
    this.#coming = undefined
  }

  /** A part of what a link leads to would look like all of it. */
  *#giveUp(path: string): Steps<void> {
    for (const coming of this.#coming ?? []) {
      yield
      this.files.delete(coming)
      this.followed.delete(coming)
      this.left.delete(coming)
    }
    this.left.set(path, tooMany)
  }

  /**
   * Whether there is room for a path: for any that comes of no link. All that is looked at behind one takes some, also what
   * is not followed: links to a folder of links are as many as their product.
   */
  #takes(path: string): boolean {
    if (this.#coming === undefined) return true
    if (this.#room < 0 || --this.#room < 0) return false
    if (path.split('/').length > limits.pathDepth || Buffer.byteLength(path) > limits.pathBytes) {
      this.left.set(path, tooLong)
      return false
    }
    this.#coming.push(path)
    return true
  }

  #placeOf(link: Link<T>): Place<T> | string {
    const known = this.#found.get(link)
    if (known !== undefined) return known
    this.#namesOfOne = namesOfOne
    const place = this.#resolve(link, 1)
    const isHidden = typeof place === 'object' && place.path.split('/').some((name) => name.startsWith('.'))
    const found = isHidden ? hidden : place
    this.#found.set(link, found)
    return found
  }

  #resolve({ link, folder }: Link<T>, hops: number): Place<T> | string {
    if (link.startsWith('/')) return outside
    if (link === '' || hops > maxHops) return nowhere
    let place: Place<T> = folder
    for (const name of link.split('/')) {
      if (--this.#names < 0 || --this.#namesOfOne < 0) return nowhere
      if (name === '' || name === '.') continue
      if (!('entries' in place)) return nowhere
      if (name === '..') {
        if (place.parent === null) return outside
        place = place.parent
        continue
      }
      const entry: Entry<T> | undefined = place.entries.get(name)
      if (entry === undefined) return nowhere
      const next: Place<T> | string = 'link' in entry ? this.#resolve(entry, hops + 1) : entry
      if (typeof next === 'string') return next
      place = next
    }
    return place
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** The path that a path stands for, through the links that it leads through; a path without any is itself. */
export function throughLinks(path: string, { followed }: Links): string {
  const link = followed.size === 0 ? undefined : lastAbove(path, followed)
  return link === undefined ? path : (followed.get(link) ?? '') + path.slice(link.length)
}

/** The other way: the paths at which links show what is at a place. Asked of many, it is made once. */
export class LinkedPlaces {
  readonly #byPlace = new Map<string, string[]>()

  constructor({ followed }: Links) {
    for (const [link, place] of followed) {
      const known = this.#byPlace.get(place)
      if (known === undefined) this.#byPlace.set(place, [link])
      else known.push(link)
    }
  }

  *of(place: string): Generator<string> {
    for (let end = place.length; end > 0 && this.#byPlace.size > 0; end = place.lastIndexOf('/', end - 1))
      for (const link of this.#byPlace.get(place.slice(0, end)) ?? []) yield link + place.slice(end)
  }
}

/** Looks again after links were taken out that would show something else; then none is kept. */
const keepingRounds = 4

/**
 * What of a tree's links can stay when it becomes exactly `files`: those that show what the files have at their paths.
 * Whoever sends a folder sends what its links lead to, and does not mean to write it in their place.
 *
 * @returns the links, and the files that do not come of them
 */
export function* keepLinks(
  files: ReadonlyMap<string, Oid>,
  links: ReadonlyMap<string, string>,
): Steps<{ readonly files: ReadonlyMap<string, Oid>; readonly links: ReadonlyMap<string, string> }> {
  let kept = links
  for (let round = 0; round < keepingRounds && kept.size > 0; round++) {
    const own = new Map<string, Oid>()
    for (const [path, oid] of files) {
      yield
      if (lastAbove(path, kept) === undefined) own.set(path, oid)
    }
    const made = yield* followLinks(own, kept)
    const wrong = new Set<string>()
    for (const link of kept.keys()) if (!made.links.followed.has(link)) wrong.add(link)
    for (const path of new Set([...files.keys(), ...made.files.keys()])) {
      yield
      const link = files.get(path) === made.files.get(path) ? undefined : lastAbove(path, kept)
      if (link !== undefined) wrong.add(link)
    }
    if (wrong.size === 0) return { files: own, links: kept }
    kept = new Map([...kept].filter(([link]) => !wrong.has(link)))
  }
  return { files, links: noLinks.followed }
}

/** The longest path among links that is this one, or a folder that it is in. */
function lastAbove(path: string, links: { has(path: string): boolean }): string | undefined {
  for (let end = path.length; end > 0; end = path.lastIndexOf('/', end - 1))
    if (links.has(path.slice(0, end))) return path.slice(0, end)
  return undefined
}
