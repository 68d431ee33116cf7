import { stat } from 'node:fs/promises'
import { checks, type Check } from '../../src/contract/checks.ts'
import { blobOid } from '../../src/contract/blob-oid.ts'
import type { ErrorDetail } from '../../src/contract/common.ts'
import { collectFiles, type LocalFile } from '../deploying/files.ts'
import type { OpenProject } from '../service/project.ts'
import { withRetry } from '../service/retry.ts'
import { planUpload, uploadFiles } from '../deploying/upload.ts'
import type { OutputFolder } from './output-folder.ts'
import { pageFile } from './page-text.ts'
import { fileOf, type PlacedPage } from './plan.ts'

/** What the builder says of a page among the others, whether those are written yet or not. */
export type PageCheck = (
  page: PlacedPage,
  content: string,
) => Promise<{ readonly errors: readonly ErrorDetail[]; readonly warnings: readonly ErrorDetail[] }>

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
    const files = new Map((await localFiles(this.#folder)).map((file) => [file.path, file]))
    for (const [path, text] of instead) files.set(path, inMemory(path, Buffer.from(text)))
    const all = [...files.values()].map((file) => (isRead(file.path) ? file : inMemory(file.path, Buffer.alloc(0))))
    const { client, slug, policy } = this.#project
    return withRetry(async () => {
      const body = await uploadFiles(this.#project, all, planUpload(all, new Set()), () => undefined)
      return client.call(checks.create, { query: { project: slug }, body: { files: body } })
    }, policy)
  }

  /**
   * Checks one page. Those of the plan that are not written yet stand there with their titles alone, so that links to them
   * lead somewhere.
   * @param docsJson as it will be when all are written.
   */
  ofPage(pages: readonly PlacedPage[], docsJson: string): PageCheck {
    return async (page, content) => {
      const local = new Set((await localFiles(this.#folder)).map(({ path }) => path))
      const missing = pages.filter(({ path }) => !local.has(fileOf(path)))
      const path = fileOf(page.path)
      const result = await this.check(
        new Map([
          ...missing.map((other) => [fileOf(other.path), pageFile(other, '')] as const),
          ['docs.json', docsJson],
          [path, content],
        ]),
      )
      const isOfPage = (detail: ErrorDetail): boolean => detail.path === path
      return { errors: result.errors.filter(isOfPage), warnings: result.warnings.filter(isOfPage) }
    }
  }
}

async function localFiles(folder: OutputFolder): Promise<readonly LocalFile[]> {
  const exists = await stat(folder.root).catch(() => undefined)
  return exists === undefined ? [] : (await collectFiles(folder.root, { mayBeEmpty: true })).files
}

/** Pages of the output folder, whoever wrote them, without ending. */
export async function pagesIn(folder: OutputFolder): Promise<string[]> {
  const paths = (await localFiles(folder)).map(({ path }) => path)
  return paths.filter((path) => /\.mdx?$/.test(path)).map((path) => path.replace(/\.mdx?$/, ''))
}

function inMemory(path: string, content: Buffer): LocalFile {
  return { path, absolute: path, size: content.byteLength, oid: blobOid(content), content }
}

/** `guides/install.mdx:12: The link /x leads nowhere.` as a model is told: the place in its own text. */
export function sentenceOf({ line, message, frame }: ErrorDetail, shift: number): string {
  const place = line === undefined || line <= shift ? '' : `Line ${line - shift}: `
  return `${place}${message}${frame === undefined ? '' : `\n\`\`\`\n${frame}\n\`\`\``}`
}
