import pLimit from 'p-limit'
import { contract } from '../../../../src/contract/index.ts'
import type { ProjectFile } from '../../../../src/contract/files.ts'
import { searchLimits } from '../../../../src/contract/searches.ts'
import type { BranchFiles, FileMend, FileMove } from '../../data/branch-files.ts'
import { encode, oidOf } from '../../data/disk/slices.ts'
import type { Workspace } from '../../data/workspace.ts'
import type { Settlements } from '../merge/settlements.ts'
import type { Context } from '../shared/context.ts'
import { mendLinks, Moves } from './links.ts'
import { addressOf, isPage } from './page-paths.ts'

/** Bytes, and files, that go in one commit. */
const commitBytes = 4 * 1024 * 1024
const commitFiles = 1000

/** A file with links to what is moved. */
export interface LinkingFile {
  readonly path: string
  readonly links: number
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
}

/** Moves files of a branch, and lets the links to them lead to where they are. */
export class Relocation {
  readonly #workspace: Workspace
  readonly #settlements: Settlements
  readonly #files: BranchFiles

  constructor({ workspace, settlements }: Pick<Context, 'workspace' | 'settlements'>, files: BranchFiles) {
    this.#workspace = workspace
    this.#settlements = settlements
    this.#files = files
  }

  /**
   * The files that link to what is below a path, without those that lie there themselves.
   * @param path of a file, or of a folder with a slash at its end. @throws Failure of the service
   */
  async linkingTo(path: string, listed: readonly ProjectFile[], signal: AbortSignal): Promise<readonly LinkingFile[]> {
    const isBelow = (file: string): boolean => (path.endsWith('/') ? file.startsWith(path) : file === path)
    const present = listed.filter(({ status }) => status !== 'deleted').map((file) => file.path)
    // Where everything below it goes does not matter to what leads there.
    const moves = new Moves(present.filter(isBelow).map((file) => [file, `\0/${file}`]))
    const mentioning = await this.#mentioning(path, present, signal)
    const files = await each(
      mentioning.filter((file) => path === file || !isBelow(file)),
      async (file) => {
        signal.throwIfAborted()
        const { text = '' } = (await this.#files.read(file)).value
        return { path: file, links: mendLinks(text, file, moves).count }
      },
    )
    return files.filter(({ links }) => links > 0)
  }

  /**
   * In as few commits as they fit in; after each of them all links lead somewhere, so that a failure amid them leaves a
   * whole project. @param onMoved told after each commit. @throws Failure of the service; what was moved stays so
   */
  async carryOut(plan: RelocationPlan, onMoved: (moved: Relocated) => void, signal: AbortSignal): Promise<Relocated> {
    const texts = plan.linking === undefined ? new Map<string, Text>() : await this.#texts(plan, plan.linking, signal)
    const others = plan.listed.filter(({ status }) => status !== 'deleted').map(({ path }) => path)
    const left = new Set<string>()
    let done: Relocated = { files: 0, links: 0, left: [] }
    for (const part of partsOf(plan.files)) {
      if (signal.aborted) break
      const moves = new Moves(
        part.map(({ file, to }) => [file.path, to]),
        others,
      )
      const result = await this.#move(part, { moves, texts, drafts: plan.drafts, message: plan.message })
      for (const path of result.left) left.add(path)
      done = { files: done.files + part.length, links: done.links + result.links, left: [...left] }
      onMoved(done)
    }
    return done
  }

  async #move(
    part: RelocationPlan['files'],
    at: {
      readonly moves: Moves
      readonly texts: Map<string, Text>
      readonly drafts: ReadonlySet<string>
      readonly message: string
    },
  ): Promise<{ readonly links: number; readonly left: readonly string[] }> {
    const { moves, texts, drafts, message } = at
    let links = 0
    const left: string[] = []
    const mended = new Map<string, string>()
    for (const [path, { text }] of texts) {
      const result = mendLinks(text, path, moves)
      if (result.count === 0) continue
      if (drafts.has(path)) left.push(path)
      else {
        links += result.count
        mended.set(path, result.text)
      }
    }
    const fileMoves = part.map(({ file, to }): FileMove => {
      const known = texts.get(file.path)
      const text = mended.get(file.path) ?? known?.text
      return { file: { ...file, oid: known?.oid ?? file.oid }, to, ...(text === undefined ? {} : { text }) }
    })
    const mends = [...mended].flatMap(([path, text]): FileMend[] =>
      moves.has(path) ? [] : [{ path, text, oid: texts.get(path)?.oid ?? null }],
    )
    await this.#files.move(fileMoves, mends, message)
    // With a draft goes what was decided where somebody else has saved the file, too.
    const { slug, branchId = '' } = this.#files
    for (const { file, to } of part)
      if (drafts.has(file.path))
        await this.#settlements.move({ slug, branchId, path: file.path }, { slug, branchId, path: to })
    for (const [path, { oid, text }] of Array.from(texts)) {
      const after = mended.get(path)
      texts.delete(path)
      texts.set(
        moves.of(path),
        after === undefined ? { oid, text } : { oid: await oidOf(await encode(after)), text: after },
      )
    }
    return { links, left }
  }

  /** Texts that may have to be changed: of what links there, and of all pages that go. */
  async #texts(
    { files }: RelocationPlan,
    linking: readonly LinkingFile[],
    signal: AbortSignal,
  ): Promise<Map<string, Text>> {
    const own = files.map(({ file }) => file.path).filter(isPage)
    const texts = new Map<string, Text>()
    await each([...new Set([...linking.map(({ path }) => path), ...own])], async (path) => {
      signal.throwIfAborted()
      const { oid, text } = (await this.#files.read(path)).value
      if (text !== undefined) texts.set(path, { oid, text })
    })
    return texts
  }

  /** Files with what every link there has in it: the last word of its address, as links may be relative. */
  async #mentioning(path: string, present: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
    const { branchId, slug } = this.#files
    const readable = present.filter((file) => isPage(file) || file === 'docs.json')
    if (branchId === undefined) return []
    const whole = path.endsWith('/') ? `/${path.slice(0, -1)}` : isPage(path) ? addressOf(path) : `/${path}`
    // Nearly every page has what leads to the first page.
    if (whole === '/') return readable
    const word = whole.slice(whole.lastIndexOf('/') + 1)
    const results = await each([...new Set([word, encodeURI(word)])], (one) =>
      this.#workspace.client.call(contract.branches.search, {
        params: { slug, id: branchId },
        query: { q: one.slice(0, searchLimits.text), limit: searchLimits.matches },
        signal,
      }),
    )
    if (results.some(({ truncated }) => truncated)) return readable
    const found = new Set(results.flatMap(({ items }) => items.map((item) => item.path)))
    return readable.filter((file) => found.has(file))
  }
}

/** Images and the like first, so that the pages go together, if they can. */
function partsOf(files: RelocationPlan['files']): RelocationPlan['files'][] {
  const parts: { file: ProjectFile; to: string }[][] = []
  let bytes = 0
  for (const one of files.toSorted((a, b) => Number(isPage(a.file.path)) - Number(isPage(b.file.path)))) {
    const part = parts.at(-1)
    if (part === undefined || part.length >= commitFiles || bytes + one.file.size > commitBytes) {
      parts.push([one])
      bytes = one.file.size
    } else {
      part.push(one)
      bytes += one.file.size
    }
  }
  return parts
}

function each<A, B>(items: readonly A[], work: (item: A) => Promise<B>): Promise<B[]> {
  const limit = pLimit(6)
  return Promise.all(items.map((item) => limit(() => work(item))))
}
