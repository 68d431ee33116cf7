import { dominantEnd, fragmentOf, type LineEnd } from '#authoring/fragment.ts'
import type { BranchFileContent } from '#contract/branches.ts'
import { isFailure } from '../../client.ts'
import { lastAuthor, readFile, saveFile, type BranchRef } from '../../queries/files.ts'
import { versionOf, type Version } from './versions.ts'

/** A file where everybody has it, with the line ends that it had when it was opened. */
export class BranchFile {
  readonly #branchRef: BranchRef
  readonly #path: string
  readonly #me: string
  readonly #end: LineEnd

  /** @param me address of whoever writes @param file absent: there is none yet */
  constructor(branchRef: BranchRef, path: string, me: string, file: BranchFileContent | undefined) {
    this.#branchRef = branchRef
    this.#path = path
    this.#me = me
    this.#end = file === undefined ? '\n' : dominantEnd(fragmentOf(file.content))
  }

  async read(): Promise<Version> {
    const file = await readFile(this.#branchRef, this.#path).catch((error: unknown) => {
      if (isFailure(error, 'not_found')) return undefined
      throw error
    })
    return versionOf(file)
  }

  /** @param oid what it is now, as far as is known here. @throws Failure `stale_file` */
  async save(text: string, oid: string | null): Promise<Version> {
    const content = this.#end === '\n' ? text : text.replaceAll('\n', this.#end)
    const saved = await saveFile(this.#branchRef, this.#path, { content }, oid)
    return { oid: saved.oid, text }
  }

  /** Who saved it last, for a sentence that begins with it. */
  async author(): Promise<string> {
    const author = await lastAuthor(this.#branchRef, this.#path).catch(() => undefined)
    if (author === undefined) return 'Somebody'
    return author.email === this.#me ? 'You, elsewhere,' : author.name || author.email
  }
}
