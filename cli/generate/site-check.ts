import { stat } from 'node:fs/promises'
import { checks, type Check } from '../../src/contract/checks.ts'
import { blobOid } from '../../src/contract/blob-oid.ts'
import type { ErrorDetail } from '../../src/contract/common.ts'
import { collectFiles, type LocalFile } from '../files.ts'
import type { OpenProject } from '../project.ts'
import { withRetry } from '../retry.ts'
import { planUpload, uploadFiles } from '../upload.ts'
import type { OutputFolder } from './output-folder.ts'

/** What a build reads; of other files it only looks whether they are there. */
const isRead = (path: string): boolean => /\.(?:mdx?|json|ya?ml)$/i.test(path)

/** Asks the service what it would say of the output folder, were it deployed. */
export class SiteCheck {
  readonly #project: OpenProject
  readonly #folder: OutputFolder

  constructor(project: OpenProject, folder: OutputFolder) {
    this.#project = project
    this.#folder = folder
  }

  /** @param instead texts that stand for those of the folder, or beside them. */
  async check(instead: ReadonlyMap<string, string>): Promise<Check> {
    const files = new Map((await this.#local()).map((file) => [file.path, file]))
    for (const [path, text] of instead) files.set(path, inMemory(path, Buffer.from(text)))
    const all = [...files.values()].map((file) => (isRead(file.path) ? file : inMemory(file.path, Buffer.alloc(0))))
    const { client, slug, policy } = this.#project
    return withRetry(async () => {
      const body = await uploadFiles(this.#project, all, planUpload(all, new Set()), () => undefined)
      return client.call(checks.create, { query: { project: slug }, body: { files: body } })
    }, policy)
  }

  async #local(): Promise<readonly LocalFile[]> {
    const exists = await stat(this.#folder.root).catch(() => undefined)
    if (exists === undefined) return []
    return (await collectFiles(this.#folder.root, { mayBeEmpty: true })).files
  }
}

function inMemory(path: string, content: Buffer): LocalFile {
  return { path, absolute: path, size: content.byteLength, oid: blobOid(content), content }
}

/** `guides/install.mdx:12: The link /x leads nowhere.` as a model is told: the place in its own text. */
export function sentenceOf({ line, message, frame }: ErrorDetail, shift: number): string {
  const place = line === undefined || line <= shift ? '' : `Line ${line - shift}: `
  return `${place}${message}${frame === undefined ? '' : `\n\`\`\`\n${frame}\n\`\`\``}`
}
