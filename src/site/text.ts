import type { ErrorDetail } from '../contract/common.ts'
import { components } from './components/registry.ts'
import type { Refused, RenderPool } from './page.ts'

/** A text that is no page of a site. */
export interface TextRequest {
  /** Slug: children never serve two projects. */
  readonly project: string
  /** What it is called beside its text: a first heading that says the same is not shown again. One line. */
  readonly title: string
  readonly text: string
  /** Aborted when nobody waits for it any more. */
  readonly signal?: AbortSignal
}

/**
 * `html` is sanitised; its addresses are those of pages: `/guide` is a path of the project's site. `isMdx` says whether
 * a text that was refused was read as MDX, which has rules of its own.
 */
export type TextOutcome =
  | { readonly ok: true; readonly html: string }
  | { readonly ok: false; readonly errors: readonly ErrorDetail[]; readonly isMdx: boolean }

/** Renders texts as pages are rendered: the same components, sanitiser and limits, in the same killable children. */
export interface TextRenderer {
  /** Changes whenever the same text may become something else. */
  readonly fingerprint: string
  /** Rejects with the signal’s reason, never for what a text holds. Lines and columns of errors are those of the text. */
  render(request: TextRequest): Promise<TextOutcome>
}

const componentTag = new RegExp(`<(?:${[...components.keys()].join('|')})(?=[\\s/>])`)

/** @param pool is closed by whoever opened it. */
export function createTextRenderer(pool: RenderPool): TextRenderer {
  return {
    fingerprint: pool.fingerprint ?? '',
    async render({ project, title, text, signal }) {
      // Plain Markdown takes every text; only who uses components has to write MDX.
      const isMdx = componentTag.test(text)
      // Of the root, so that `guide` and `?a=b` lead to what is there.
      const path = isMdx ? 'index.mdx' : 'index.md'
      // A head of our own, so that `---` at the beginning of the text is a rule and not the front matter of a page.
      const head = `---\ntitle: ${JSON.stringify(title)}\n---\n`
      const session = pool.open(project, () => Promise.resolve(null), signal)
      try {
        const outcome = await session.render({ path, oid: '', source: Buffer.from(head + text, 'utf8') })
        if (!outcome.ok) return { ok: false, errors: outcome.errors.map((error) => inText(error)), isMdx }
        const { artifact, islands, refused = [] } = outcome.page
        if (refused.length > 0) return { ok: false, errors: refused.map(needsScript), isMdx }
        // It is shown in places that no release has files for.
        if (islands !== undefined)
          return { ok: false, errors: [{ message: 'Components with JavaScript can stand in pages only.' }], isMdx }
        return { ok: true, html: artifact.html }
      } finally {
        session.close()
      }
    },
  }
}

const headLines = 3
const place = /\((\d+:\d+)(?:-(\d+:\d+))?\)/g

/** `4:7` → `1:7`. */
function shifted(lineAndColumn: string): string {
  const [line = '', column = ''] = lineAndColumn.split(':')
  return `${Math.max(1, Number(line) - headLines)}:${column}`
}

/** A place in what was rendered → the place in the text. */
function inText({ line, column, message }: ErrorDetail): ErrorDetail {
  if (line === undefined || line <= headLines) return { message }
  const own = line - headLines
  // Some say places in words, too: `in line 4,` or `(4:1-4:7)`.
  const told = message
    .replace(`in line ${line},`, `in line ${own},`)
    .replace(
      place,
      (_all, first: string, last?: string) => `(${shifted(first)}${last === undefined ? '' : `-${shifted(last)}`})`,
    )
  return { line: own, ...(column === undefined ? {} : { column }), message: told }
}

function needsScript({ reason, line, column }: Refused): ErrorDetail {
  return inText({ line, column, message: `This needs JavaScript, which does not run here: it ${reason}.` })
}
