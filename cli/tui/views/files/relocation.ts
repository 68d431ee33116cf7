import pLimit from 'p-limit'
import { contract } from '#contract/index.ts'
import type { ProjectFile } from '#contract/files.ts'
import { searchLimits } from '#contract/searches.ts'
import type { BranchFiles, FileMend, FileMove } from '../../data/branch-files.ts'
import type { Workspace } from '../../data/workspace.ts'
import type { PendingMerges } from '../merge/pending-merges.ts'
import type { Context } from '../shared/context.ts'
import { configFilesOf, filesMentioning } from '#authoring/linking-files.ts'
import { mendLinks, Moves } from '#authoring/links.ts'
import { isPage } from '#authoring/page-paths.ts'

/** Bytes, and files, that go in one commit. */
const commitBytes = 4 * 1024 * 1024
const commitFiles = 1000

/** A file with links to what is moved. */
export interface LinkingFile {
  readonly path: string
  readonly links: number
  /** The files that they lead to. */
  readonly targets: ReadonlySet<string>
}

export interface RelocationPlan {
  /** Files with where they go; none of them is new and not saved yet. */
  readonly files: readonly { readonly file: ProjectFile; readonly to: string }[]
  /** All files of the branch. */
  readonly listed: readonly ProjectFile[]
  /** Files with links to them; undefined: links stay as they are. */
  readonly linking: readonly LinkingFile[] | undefined
  /** Paths with a text here that is not saved: their next save would meet a text that they did not begin from. */
  readonly drafts: ReadonlySet<string>
  /** Of each commit, such as `Rename a.mdx to b.mdx`. */
  readonly message: string
}

export interface Relocated {
  readonly files: number
  readonly links: number
  /** With links that were left as they are, as their text is not saved. */
  readonly left: readonly string[]
}

interface Text {
  readonly oid: string | null
  readonly text: string
  readonly links: number
}

/** What may lead to what is moved: texts with the files that they lead to, by the paths that all had before. */
type Leads = ReadonlyMap<string, ReadonlySet<string>>

/**
 * Moves files of a branch, and lets the links to them lead to where they are. Of the texts it holds those of one commit,
 * however many there are.
 */
export class Relocation {
  readonly #workspace: Workspace
  readonly #pendingMerges: PendingMerges
  readonly #files: BranchFiles

  constructor({ workspace, pendingMerges }: Pick<Context, 'workspace' | 'pendingMerges'>, files: BranchFiles) {
    this.#workspace = workspace
    this.#pendingMerges = pendingMerges
    this.#files = files
  }

  /**
   * The files that link to what is below a path, without those that lie there themselves.
   * @param path of a file, or of a folder with a slash at its end. @throws Failure of the service
   */
  async linkingTo(path: string, listed: readonly ProjectFile[], signal: AbortSignal): Promise<readonly LinkingFile[]> {
    const isBelow = (file: string): boolean => (path.endsWith('/') ? file.startsWith(path) : file === path)
    const present = presentOf(listed)
    const moves = gone(present.filter(isBelow))
    const mentioning = await this.#mentioning(path, present, signal)
    const files = await each(
      mentioning.filter((file) => path === file || !isBelow(file)),
      async (file) => {
        signal.throwIfAborted()
        const { count: links, targets } = mendLinks((await this.#text(file)) ?? '', file, moves)
        return { path: file, links, targets }
      },
    )
    return files.filter(({ links }) => links > 0)
  }

  /**
   * In as few commits as they fit in; after each of them all links lead somewhere, so that a failure amid them leaves a
   * whole project. @param onMoved told after each commit. @throws Failure of the service; what was moved stays so
   */
  async carryOut(plan: RelocationPlan, onMoved: (moved: Relocated) => void, signal: AbortSignal): Promise<Relocated> {
    const others = presentOf(plan.listed)
    const leads = await this.#leads(plan, signal)
    const places = new Map<string, string>()
    const left = new Set<string>()
    let done: Relocated = { files: 0, links: 0, left: [] }
    for (const part of partsOf(plan, leads)) {
      if (signal.aborted) break
      const moves = new Moves(
        part.map(({ file, to }) => [file.path, to]),
        others,
      )
      const mended = await this.#mended(moves, { leads, places, drafts: plan.drafts, left })
      await this.#move(part, mended, { places, message: plan.message })
      for (const { file, to } of part) places.set(file.path, to)
      await this.#moveDecisions(part.filter(({ file }) => plan.drafts.has(file.path)))
      const links = Array.from(mended.values(), (one) => one.links).reduce((sum, count) => sum + count, 0)
      done = { files: done.files + part.length, links: done.links + links, left: [...left] }
      onMoved(done)
    }
    return done
  }

  /** With a draft goes what was decided where somebody else has saved the file, too. */
  async #moveDecisions(part: RelocationPlan['files']): Promise<void> {
    const { slug, branchId = '' } = this.#files
    for (const { file, to } of part)
      await this.#pendingMerges.move({ slug, branchId, path: file.path }, { slug, branchId, path: to })
  }

  /**
   * The texts of a commit, by the paths that they had before anything was moved: of pages that go, and of what leads to
   * files that go.
   */
  async #mended(
    moves: Moves,
    at: {
      readonly leads: Leads
      readonly places: ReadonlyMap<string, string>
      readonly drafts: ReadonlySet<string>
      readonly left: Set<string>
    },
  ): Promise<ReadonlyMap<string, Text>> {
    const { leads, places, drafts, left } = at
    const texts = new Map<string, Text>()
    const concerned = [...leads].filter(
      ([path, targets]) => moves.has(path) || [...targets].some((file) => moves.has(file)),
    )
    await each(concerned, async ([path]) => {
      const place = places.get(path) ?? path
      const { oid, text } = (await this.#files.read(place)).value
      if (text === undefined) return
      const { text: after, count } = mendLinks(text, place, moves)
      if (count > 0 && drafts.has(path)) left.add(place)
      const isMended = count > 0 && !drafts.has(path)
      if (isMended || moves.has(path))
        texts.set(path, { oid, text: isMended ? after : text, links: isMended ? count : 0 })
    })
    return texts
  }

  async #move(
    part: RelocationPlan['files'],
    texts: ReadonlyMap<string, Text>,
    { places, message }: { readonly places: ReadonlyMap<string, string>; readonly message: string },
  ): Promise<void> {
    const going = new Set(part.map(({ file }) => file.path))
    const moves = part.map(({ file, to }): FileMove => {
      const known = texts.get(file.path)
      return {
        file: { ...file, oid: known?.oid ?? file.oid },
        to,
        ...(known === undefined ? {} : { text: known.text }),
      }
    })
    const mends = [...texts].flatMap(([path, { oid, text }]): FileMend[] =>
      going.has(path) ? [] : [{ path: places.get(path) ?? path, oid, text }],
    )
    await this.#files.move(moves, mends, message)
  }

  /** What leads to what is moved; pages that go may lead to one another, and all that they have may be relative. */
  async #leads(plan: RelocationPlan, signal: AbortSignal): Promise<Leads> {
    if (plan.linking === undefined) return new Map()
    const leads = new Map(plan.linking.map(({ path, targets }) => [path, targets]))
    const config = await configFilesOf(presentOf(plan.listed), (path) => this.#text(path))
    const paths = plan.files.map(({ file }) => file.path)
    const own = paths.filter((path) => !leads.has(path) && (isPage(path) || config.has(path)))
    // All that fits in one commit goes there, whatever leads where.
    if (isOneCommit(plan, leads)) for (const path of own) leads.set(path, new Set())
    else {
      const moves = gone(paths)
      await each(own, async (path) => {
        signal.throwIfAborted()
        leads.set(path, mendLinks((await this.#text(path)) ?? '', path, moves).targets)
      })
    }
    return leads
  }

  async #text(path: string): Promise<string | undefined> {
    return (await this.#files.read(path)).value.text
  }

  /** Files that may lead there. */
  async #mentioning(path: string, present: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
    const { branchId, slug } = this.#files
    if (branchId === undefined) return []
    const config = await configFilesOf(present, (file) => this.#text(file))
    return filesMentioning(path, { present, config }, (q) =>
      this.#workspace.client.call(contract.branches.search, {
        params: { slug, id: branchId },
        query: { q, limit: searchLimits.matches },
        signal,
      }),
    )
  }
}

function presentOf(listed: readonly ProjectFile[]): readonly string[] {
  return listed.filter(({ status }) => status !== 'deleted').map(({ path }) => path)
}

/** Where they go does not matter to what leads there, be it that one of them leads to another: each goes a way of its own. */
function gone(paths: readonly string[]): Moves {
  return new Moves(paths.map((file, index) => [file, `\0${index}/${file}`]))
}

function isOneCommit({ files, listed }: RelocationPlan, leads: Leads): boolean {
  const changed = new Set([...files.map(({ file }) => file.path), ...leads.keys()])
  const bytes = listed.reduce((sum, { path, size }) => sum + (changed.has(path) ? size : 0), 0)
  return changed.size <= commitFiles && bytes <= commitBytes
}

/**
 * What goes in a commit each, with the texts that lead there. Images and the like first, so that the pages go together, if
 * they can.
 */
function partsOf({ files, listed }: RelocationPlan, leads: Leads): RelocationPlan['files'][] {
  const sizes = new Map(listed.map(({ path, size }) => [path, size]))
  const leading = new Map<string, string[]>()
  for (const [path, targets] of leads)
    for (const file of targets) leading.set(file, [...(leading.get(file) ?? []), path])
  const parts: { file: ProjectFile; to: string }[][] = []
  let changed = new Set<string>()
  let bytes = 0
  for (const one of files.toSorted((a, b) => Number(isPage(a.file.path)) - Number(isPage(b.file.path)))) {
    const { path } = one.file
    const texts = [path, ...(leading.get(path) ?? [])]
    const fresh = texts.filter((text) => !changed.has(text))
    const more = sizeOf(fresh, sizes)
    const part = parts.at(-1)
    if (part === undefined || changed.size + fresh.length > commitFiles || bytes + more > commitBytes) {
      parts.push([one])
      changed = new Set(texts)
      bytes = sizeOf(texts, sizes)
    } else {
      part.push(one)
      for (const text of fresh) changed.add(text)
      bytes += more
    }
  }
  return parts
}

function sizeOf(paths: readonly string[], sizes: ReadonlyMap<string, number>): number {
  return paths.reduce((sum, path) => sum + (sizes.get(path) ?? 0), 0)
}

function each<A, B>(items: readonly A[], work: (item: A) => Promise<B>): Promise<B[]> {
  const limit = pLimit(6)
  return Promise.all(items.map((item) => limit(() => work(item))))
}
