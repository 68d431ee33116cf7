import { PageRenderer } from '#site/mdx/page.ts'
import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import type { LoadFile, PageLink, PageSummary, RenderJob, RenderOutcome, RenderPool } from '#site/page.ts'

export interface FakePool extends RenderPool {
  /** Paths that were rendered, in order. */
  readonly rendered: string[]
  /** Sessions that are open. */
  readonly sessions: { open: number }
}

/**
 * A pool without children: reads `key: value` front matter, headings and Markdown links; the word BROKEN fails the
 * page at its line, also in what `include: path` in the front matter names, a dependency.
 */
export function fakePool(fingerprint = 'fake'): FakePool {
  const rendered: string[] = []
  const sessions = { open: 0 }
  return {
    rendered,
    sessions,
    fingerprint,
    children: 0,
    isolation: { level: 'strong', holds: [] },
    close: () => Promise.resolve(),
    open: (_project, load) => {
      sessions.open++
      return {
        render: (job) => {
          rendered.push(job.path)
          return render(job, load)
        },
        describe: () => Promise.resolve({ ok: false, errors: [] }),
        close: () => {
          sessions.open--
        },
      }
    },
  }
}

async function render({ path, source, base }: RenderJob, load: LoadFile): Promise<RenderOutcome> {
  const text = source.toString()
  const lines = text.split('\n')
  const broken = lines.findIndex((line) => line.includes('BROKEN'))
  if (broken !== -1) return { ok: false, errors: [{ path, line: broken + 1, column: 1, message: 'It is broken.' }] }
  const [, front = '', body = text] = /^---\n(.*?)\n---\n(.*)$/s.exec(text) ?? []
  const fields = new Map(
    front.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const anchors = [...body.matchAll(/^#{2,4} (.+)$/gm)].map((match) =>
    (match[1] ?? '').toLowerCase().replaceAll(/[^\w]+/g, '-'),
  )
  const include = fields.get('include')
  const included = include === undefined ? null : await load(include, base)
  if (include !== undefined && included?.source.includes('BROKEN') === true)
    return { ok: false, errors: [{ path: include, line: 1, column: 1, message: 'It is broken.' }] }
  const title = fields.get('title') ?? /^# (.+)$/m.exec(body)?.[1] ?? posix.basename(path).replace(/\.mdx?$/, '')
  const warning = fields.get('warn')
  const field = (key: string) => (fields.has(key) ? { [key]: fields.get(key) } : {})
  const flag = (key: string) => (fields.get(key) === 'true' ? { [key]: true } : {})
  const summary: PageSummary = {
    title,
    ...field('sidebarTitle'),
    ...field('description'),
    ...field('url'),
    ...field('openapi'),
    ...field('tag'),
    ...flag('hidden'),
    ...flag('noindex'),
    anchors,
    links: linksOf(path, lines),
    warnings: warning === undefined ? [] : [{ path, line: 1, column: 1, message: warning }],
  }
  const html = `<p>${createHash('sha1')
    .update(body)
    .update(included?.source ?? '')
    .digest('hex')}</p>`
  return {
    ok: true,
    page: {
      artifact: { title, ...field('description'), html, headings: [], features: [] },
      summary,
      markdown: body,
      dependencies: include === undefined ? [] : [[include, included?.oid ?? null]],
    },
  }
}

function linksOf(path: string, lines: readonly string[]): PageLink[] {
  return lines.flatMap((line, index) =>
    [...line.matchAll(/(!?)\[[^\]]*\]\(([^)\s]+)\)/g)].map((match) => ({
      href: resolve(path, match[2] ?? ''),
      kind: match[1] === '!' ? ('asset' as const) : ('link' as const),
      line: index + 1,
      column: match.index + 1,
    })),
  )
}

function resolve(path: string, href: string): string {
  if (/^[a-z]+:/.test(href) || href.startsWith('/') || href.startsWith('#')) return href
  const [file = '', anchor] = href.split('#')
  const target = `/${posix.join(posix.dirname(path), file.replace(/\.mdx?$/, ''))}`
  return anchor === undefined ? target : `${target}#${anchor}`
}

/** A pool that renders pages as children do, in this process; descriptions are not taken apart. */
export function inProcessPool(): FakePool {
  return {
    ...fakePool(),
    open: (_project, load) => {
      const renderer = new PageRenderer(load)
      return {
        render: (job) => renderer.render(job),
        describe: () => Promise.reject(new Error('there are no descriptions')),
        close: () => undefined,
      }
    },
  }
}
