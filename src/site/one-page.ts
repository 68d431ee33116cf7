import type { ErrorDetail } from '../contract/common.ts'
import { withHint } from '../contract/rules.ts'
import { pageOptions, type PageOptions } from './build/page-options.ts'
import { PageRendering } from './build/page-rendering.ts'
import type { BuildRequest } from './builder.ts'
import { isCurrent, readConfig, type SiteConfig } from './config/config.ts'
import type { PageArtifact, RenderPool } from './page.ts'
import { renderArticle, renderContents } from './theme/document/article.tsx'
import { pageWords } from './theme/words/page.ts'
import { wordsIn } from './theme/words/words.ts'

/** A page by itself has no place in navigation that would say in which language it is. */
const words = wordsIn(pageWords, 'en')

/** One page of a site that is not built. */
export interface OnePageRequest extends Pick<BuildRequest, 'project' | 'source' | 'signal'> {
  /** Source path, one of the files. */
  readonly path: string
}

/**
 * `html` is what the document of the page has in its `main`, but for its place in navigation, its menu and its foot: those
 * are of the whole site and of its history.
 */
export type OnePageOutcome =
  | ({ readonly ok: true; readonly html: string; readonly warnings: readonly ErrorDetail[] } & Pick<
      PageArtifact,
      'title' | 'headings' | 'mode' | 'styles'
    >)
  | { readonly ok: false; readonly errors: readonly ErrorDetail[] }

/**
 * Renders pages by themselves, at the cost of that page: nothing else of their site is read but what they include, and
 * docs.json, once while it stays as it is.
 */
export interface OnePageRenderer {
  /** Rejects with the signal’s reason, never for what a page holds. */
  render(request: OnePageRequest): Promise<OnePageOutcome>
}

/** Projects whose options are kept, of 64 KiB at most: those of whom somebody writes. */
const mostKept = 100

/** What docs.json says that pages are made of. */
class KeptOptions {
  readonly #kept = new Map<string, { readonly files: SiteConfig['files']; readonly options: PageOptions }>()

  async of({ project, source, signal }: Omit<OnePageRequest, 'path'>): Promise<PageOptions> {
    const known = this.#kept.get(project)
    this.#kept.delete(project)
    const current = known !== undefined && isCurrent(known, source.files) ? known : await this.#read(source, signal)
    this.#kept.set(project, current)
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= mostKept) break
      this.#kept.delete(oldest)
    }
    return current.options
  }

  async #read(source: OnePageRequest['source'], signal: AbortSignal | undefined) {
    const config = await readConfig(source, signal)
    return { files: config.files, options: pageOptions(config) }
  }
}

/** @param pool is closed by whoever opened it. */
export function createOnePageRenderer(pool: RenderPool): OnePageRenderer {
  const kept = new KeptOptions()
  return {
    async render({ path, ...request }) {
      const rendering = new PageRendering(pool, request, [], await kept.of(request))
      try {
        const outcome = await rendering.page(path)
        if (!outcome.ok) return { ok: false, errors: outcome.errors.map(withHint) }
        const { artifact, summary } = outcome.page
        const { title, headings, mode, styles } = artifact
        return {
          ok: true,
          html: renderArticle(artifact, { position: undefined, contents: renderContents(artifact), words }).html,
          title,
          headings,
          ...(mode === undefined ? {} : { mode }),
          ...(styles === undefined ? {} : { styles }),
          warnings: summary.warnings.map(withHint),
        }
      } finally {
        rendering.close()
      }
    },
  }
}
