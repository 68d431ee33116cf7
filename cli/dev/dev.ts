import { basename, resolve } from 'node:path'
import type { ErrorDetail } from '../../src/contract/common.ts'
import { exitCodes, Failure } from '../../src/contract/failure.ts'
import { frameOf } from '../../src/site/mdx/problem.ts'
import type { BuildResult } from '../../src/site/builder.ts'
import { tellSkipped } from '../deploying/sending.ts'
import { HashCache } from '../deploying/hash-cache.ts'
import { type Changed, WatchedFolders } from '../deploying/watched-folders.ts'
import { count, type Output } from '../output.ts'
import { openBrowser } from '../terminal.ts'
import { DocsFolder } from './folder.ts'
import { headScript, PreviewServer } from './server.ts'
import { LocalSite } from './site.ts'

/** A writer waits for what was saved; what an editor does in several steps is over by then, as a rule. */
const settleMs = 4
/** Of a build, on the terminal. */
const shownFindings = 5
const usualPort = 3000

export interface DevOptions {
  readonly port?: number
  readonly host?: string
  readonly open?: boolean
}

/** `quire dev`: serves a folder as its site until `signal`, and shows each change in browsers. Resolves with the exit code. */
export async function preview(
  directory: string,
  options: DevOptions,
  { output, signal }: { readonly output: Output; readonly signal: AbortSignal },
): Promise<number> {
  const { port, host = '127.0.0.1' } = options
  const folder = new DocsFolder(directory)
  const watched = new WatchedFolders(signal, settleMs)
  const server = await PreviewServer.listen({ host, port: port ?? usualPort, isChosen: port !== undefined })
  const { url } = server
  try {
    const site = await LocalSite.open(folder, { url, title: basename(resolve(directory)), head: headScript })
    try {
      await new Preview({ folder, watched, server, site, output, signal }).run(options)
    } finally {
      await site.close()
    }
  } finally {
    watched.close()
    server.close()
  }
  return exitCodes.ok
}

interface Parts {
  readonly folder: DocsFolder
  readonly watched: WatchedFolders
  readonly server: PreviewServer
  readonly site: LocalSite
  readonly output: Output
  readonly signal: AbortSignal
}

/** What came of a look at the folder and a build of it. */
interface Round {
  readonly errors: readonly ErrorDetail[]
  readonly warnings: readonly ErrorDetail[]
  readonly pages: BuildResult['pages']
}

class Preview {
  readonly #parts: Parts
  /** Warnings that were there before the last change. */
  #known = new Set<string>()
  #files: ReadonlyMap<string, string> = new Map()
  #hasSaidAddress = false
  #wasBroken = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async run({ open, port }: DevOptions): Promise<void> {
    const { server, site, output, signal } = this.#parts
    server.serve((request, response) => site.respond(request, response))
    let changed: Changed = 'unknown'
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      if (isFirst) output.redraw(`building ${this.#parts.folder.directory}`)
      const since = performance.now()
      const paths = await this.#look(changed)
      if (paths === undefined || paths.length > 0 || isFirst) {
        const round = paths === undefined ? undefined : await this.#build()
        if (signal.aborted) return
        if (round !== undefined) this.#tell(round, paths ?? [], performance.now() - since)
        if (isFirst) {
          this.#sayAddress(round, performance.now() - since, port)
          if (open === true && output.environment.browser) openBrowser(server.url, output)
        }
      }
      changed = await this.#parts.watched.changed()
    }
  }

  /** Paths of files that are others now; undefined where the folder cannot be read, which is told. */
  async #look(changed: Changed): Promise<readonly string[] | undefined> {
    const { folder, watched, output, server, site } = this.#parts
    const quick = changed === 'unknown' ? undefined : folder.update(changed, (path) => watched.has(path))
    if (quick !== undefined) {
      this.#files = folder.oids
      return quick
    }
    watched.begin()
    try {
      const { stateDirectory } = output.environment
      const skipped = await folder.look({
        enters: watched.enter,
        hashes: () => new HashCache(stateDirectory, folder.directory),
      })
      if (!this.#hasSaidAddress) tellSkipped(skipped, folder.directory, output)
      const before = this.#files
      this.#files = folder.oids
      return differences(before, this.#files)
    } catch (error) {
      // A mistake of ours ends the command, and so does a folder that is not there.
      if (!(error instanceof Failure) || !this.#hasSaidAddress) throw error
      output.fail(error)
      const errors = error.errors.length > 0 ? error.errors : [{ message: error.message }]
      server.tell({ release: site.release, errors })
      return undefined
    } finally {
      watched.end()
    }
  }

  async #build(): Promise<Round> {
    const { folder, server, site, signal } = this.#parts
    const framed = (detail: ErrorDetail): ErrorDetail => withFrame(detail, folder)
    try {
      const { errors, warnings, pages } = await site.build(signal)
      const round = { errors: errors.map(framed), warnings, pages }
      server.tell({ release: site.release, errors: round.errors })
      return round
    } catch (error) {
      if (!signal.aborted) throw error
      return { errors: [], warnings: [], pages: { total: 0, built: 0, reused: 0 } }
    }
  }

  #tell({ errors, warnings }: Round, paths: readonly string[], ms: number): void {
    const { output } = this.#parts
    const line = (detail: ErrorDetail): string => JSON.stringify([detail.path, detail.line, detail.message])
    const fresh = warnings.filter((warning) => !this.#known.has(line(warning)))
    this.#known = new Set(warnings.map(line))
    const [first = '', ...others] = paths
    const what = others.length === 0 ? first : `${first} and ${count(others.length, 'other file')}`
    const time = output.paint('dim', new Date().toTimeString().slice(0, 8))
    const isMended = this.#wasBroken && errors.length === 0
    this.#wasBroken = errors.length > 0
    if (this.#hasSaidAddress) {
      const end = errors.length > 0 ? output.paint('red', count(errors.length, 'error')) : isMended ? 'mended, ' : ''
      output.note(`${time}  ${what}  ${end}${errors.length > 0 ? '' : output.paint('dim', `${Math.round(ms)} ms`)}`)
    }
    this.#list(errors, output.paint('red', 'error'))
    if (this.#hasSaidAddress) this.#list(fresh, output.paint('yellow', 'warning'))
  }

  #list(found: readonly ErrorDetail[], word: string): void {
    const { output } = this.#parts
    for (const detail of found.slice(0, shownFindings)) output.note(`${word}${output.describe(detail).slice(1)}`)
    if (found.length > shownFindings)
      output.note(output.paint('dim', `… and ${found.length - shownFindings} more; quire check lists all`))
  }

  #sayAddress(round: Round | undefined, ms: number, port: number | undefined): void {
    const { server, output } = this.#parts
    const { url } = server
    this.#hasSaidAddress = true
    const { pages, warnings, errors } = round ?? { pages: { total: 0 }, warnings: [], errors: [] }
    if (port === undefined && server.port !== usualPort)
      output.note(`Port ${usualPort} is taken; this is the next free one.`)
    output.result(
      { url, pages: pages.total, errors: errors.length, warnings: warnings.length },
      output.paint('bold', url),
    )
    const counts = [
      count(pages.total, 'page'),
      ...(warnings.length === 0 ? [] : [`${count(warnings.length, 'warning')} (quire check lists them)`]),
    ]
    output.note(
      output.paint(
        'dim',
        `${counts.join(', ')}, ${(ms / 1000).toFixed(1)} s. Changes show by themselves; Ctrl-C ends.`,
      ),
    )
  }
}

function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): readonly string[] {
  const changed = [...after].filter(([path, oid]) => before.get(path) !== oid).map(([path]) => path)
  const gone = [...before.keys()].filter((path) => !after.has(path))
  return [...changed, ...gone]
}

/** A place without the lines around it gets them. */
function withFrame(detail: ErrorDetail, folder: DocsFolder): ErrorDetail {
  const { path, line, column = 1, frame } = detail
  if (frame !== undefined || path === undefined || line === undefined) return detail
  const text = folder.textOf(path)
  return text === undefined ? detail : { ...detail, frame: frameOf(text, line, column) }
}
