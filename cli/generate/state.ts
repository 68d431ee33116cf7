import { readLock, textHash, writeLock, type LockState, type PageState } from './lock.ts'
import { Failure } from '../../src/contract/failure.ts'
import type { Material } from './material.ts'
import type { OutputFolder } from './output-folder.ts'
import { fileOf, type PlannedPage } from './plan.ts'
import type { Project } from './project.ts'

/** What is to be done about a page. */
export type Standing =
  /** There is none yet, or its sources changed. */
  | 'new'
  | 'stale'
  | 'current'
  /** Somebody changed it: it stays. */
  | 'edited'
  /** And its sources changed: a new text is offered. */
  | 'edited-stale'
  | 'edited-offered'
  /** It is now the text that was offered. */
  | 'taken'
  /** Somebody deleted it: it stays away. */
  | 'deleted'
  /** Somebody else wrote a page of this path. */
  | 'foreign'

/** The lock file of an output folder, and the pages in it. */
export class State {
  readonly lock: LockState
  readonly #folder: OutputFolder

  private constructor(folder: OutputFolder, lock: LockState) {
    this.#folder = folder
    this.lock = lock
  }

  /** @param empty the lock of a folder that has none. */
  static async open(folder: OutputFolder, empty: LockState): Promise<State> {
    const state = await State.look(folder, empty)
    await state.#finishWriting()
    return state
  }

  /** Without writing what a dead run left unwritten. */
  static async look(folder: OutputFolder, empty: LockState): Promise<State> {
    return new State(folder, (await readLock(folder)) ?? empty)
  }

  async save(): Promise<void> {
    await writeLock(this.#folder, this.lock)
  }

  /**
   * What the run that begins writes with, from now on.
   * @returns a sentence where the pages that are there were written otherwise.
   */
  beginRun(promptVersion: number, model: string | undefined): string | undefined {
    const { lock } = this
    const changes = [
      ...(lock.promptVersion === promptVersion ? [] : ['with other instructions']),
      ...(lock.model === model ? [] : [`by ${lock.model ?? 'the service’s default model'}`]),
    ]
    lock.promptVersion = promptVersion
    if (model === undefined) delete lock.model
    else lock.model = model
    return changes.length === 0 || Object.keys(lock.pages).length === 0
      ? undefined
      : `The pages that are there were written ${changes.join(' and ')}; --force makes all of them anew.`
  }

  /** An answer was of no use: the service, which keeps it for a while, must not give it again. */
  async askAnew(): Promise<void> {
    this.lock.attempt = (this.lock.attempt ?? 0) + 1
    await this.save()
  }

  /** The next run is another generation of the plan. */
  async endGeneration(): Promise<void> {
    delete this.lock.generation
    delete this.lock.attempt
    await this.save()
  }

  /**
   * The run has come to its end. While it has left pages to be made, the next one belongs to its generation.
   * @param isResumed the next run makes only what is left, also of pages that are made anew.
   */
  async endRun(left: { readonly hasPages: boolean; readonly isResumed: boolean }): Promise<void> {
    if (!left.isResumed) for (const page of Object.values(this.lock.pages)) delete page.run
    await (left.hasPages ? this.askAnew() : this.endGeneration())
  }

  textOf(path: string): Promise<string | undefined> {
    return this.#folder.read(fileOf(path))
  }

  /** The page as it is on disk, against what is remembered of it. */
  async standingOf(page: PlannedPage, project: Project, material: () => Promise<Material>): Promise<Standing> {
    const known = this.lock.pages[page.path]
    const text = await this.textOf(page.path).catch((error: unknown) => {
      if (error instanceof Failure) return null
      throw error
    })
    if (text === null) return 'foreign'
    if (known === undefined) return text === undefined ? 'new' : 'foreign'
    if (text === undefined) return 'deleted'
    const hash = textHash(text)
    const isFresh = async (made: Pick<PageState, 'sources' | 'material'>): Promise<boolean> =>
      sameSources(made.sources, sourcesOf(page, project)) || made.material === (await material()).hash
    if (hash === known.hash) return (await isFresh(known)) ? 'current' : 'stale'
    if (known.offer !== undefined && textHash(known.offer.content) === hash) return 'taken'
    if (known.offer !== undefined && (await isFresh(known.offer))) return 'edited-offered'
    return (await isFresh(known)) ? 'edited' : 'edited-stale'
  }

  /** Whether the page is as it was written last: somebody can have changed it while a model wrote another. */
  async isAsWritten(path: string): Promise<boolean> {
    const text = await this.textOf(path)
    return (text === undefined ? undefined : textHash(text)) === this.lock.pages[path]?.hash
  }

  /** Writes a page, over whatever is there, so that a death at any moment neither loses nor doubles it. */
  async writePage(path: string, content: string, page: Omit<PageState, 'hash'>): Promise<void> {
    const text = await this.textOf(path)
    const over = text === undefined ? {} : { over: textHash(text) }
    this.lock.pending = { path, content, ...over, state: { ...page, hash: textHash(content) } }
    await this.save()
    await this.#finishWriting()
  }

  /** Keeps a new text of a page that somebody changed. */
  async offer(path: string, offer: NonNullable<PageState['offer']>): Promise<void> {
    const known = this.lock.pages[path]
    if (known === undefined) return
    this.lock.pages[path] = { ...known, offer }
    await this.save()
  }

  /** The offered text is the page's own now. */
  async adopt(path: string): Promise<void> {
    const known = this.lock.pages[path]
    if (known?.offer === undefined) return
    const { offer, ...page } = known
    const { content, ...made } = offer
    this.lock.pages[path] = { ...page, ...made, hash: textHash(content) }
    await this.save()
  }

  async #finishWriting(): Promise<void> {
    const { pending } = this.lock
    if (pending === undefined) return
    const { path, content, over, state } = pending
    const text = await this.textOf(path)
    const isAsItWas = text === undefined || [over, state.hash].includes(textHash(text))
    if (isAsItWas) {
      await this.#folder.write(fileOf(path), content)
      this.lock.pages[path] = state
    } else {
      // Somebody changed the page while the run was dead, and keeps it.
      const { sources, material, model } = state
      this.lock.pages[path] = { ...state, hash: over ?? '', offer: { content, sources, material, model } }
    }
    this.lock.removed = this.lock.removed.filter((removed) => removed !== path)
    delete this.lock.pending
    await this.save()
  }
}

/** The sources of a page with their content as it is now. */
export function sourcesOf(page: PlannedPage, project: Project): Record<string, string> {
  return Object.fromEntries(page.sources.map((path) => [path, project.files.get(path)?.sha256 ?? '']))
}

function sameSources(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean {
  const paths = Object.keys(one)
  return paths.length === Object.keys(other).length && paths.every((path) => one[path] === other[path])
}
