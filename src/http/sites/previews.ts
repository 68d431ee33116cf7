import type { Branches } from '../../branching/branches.ts'
import type { ErrorDetail } from '../../contract/common.ts'
import { PreviewEvents, previewEventsPath } from './preview-events.ts'
import type { Projects } from '../../projects/projects.ts'
import type { Answering, Site } from './sites.ts'

/** What the hosts of previews answer. */
export class PreviewSites {
  readonly #branches: Branches
  readonly #projects: Pick<Projects, 'resolve' | 'formerSlugs'>
  readonly #events: PreviewEvents

  constructor(branches: Branches, projects: Pick<Projects, 'resolve' | 'formerSlugs'>) {
    this.#branches = branches
    this.#projects = projects
    this.#events = new PreviewEvents(branches)
  }

  /** The label that a preview has since its project has another slug; null for what never was one. */
  movedTo(label: string): string | null {
    const [start = '', ...more] = label.split('--')
    if (more.length === 0) return null
    for (const former of this.#projects.formerSlugs()) {
      // Of a long slug a label has the beginning only.
      const project = former.startsWith(start) ? this.#projects.resolve(former)?.id : undefined
      const moved = project === undefined ? undefined : this.#branches.labelSince(project, former, label)
      if (moved !== undefined) return moved
    }
    return null
  }

  /** The preview of a label; null when there is none. Only memory is looked at. */
  find(label: string, path: string): Site | Answering | null {
    const entry = this.#branches.atLabel(label)
    if (entry === undefined) return null
    if (path === previewEventsPath) {
      return { answer: (request, response) => this.#events.respond(request, response, entry) }
    }
    const { served, slug, name, build } = entry
    if (served !== undefined) return { project: slug, release: served.release, preview: true }
    return {
      answer: (request, response) => {
        const text = build?.status === 'failed' ? failedText(name, build.errors) : waitingText(name)
        response.writeHead(503, {
          'Content-Type': 'text/plain; charset=utf-8',
          'Content-Length': Buffer.byteLength(text),
          'Cache-Control': 'no-store',
          'X-Content-Type-Options': 'nosniff',
          'X-Robots-Tag': 'noindex',
          // Programs read the one, browsers the other: a preview that is there soon shows itself.
          'Retry-After': '2',
          Refresh: '2',
        })
        response.end(request.method === 'HEAD' ? undefined : text)
      },
    }
  }
}

function waitingText(name: string): string {
  return `The preview of ${name} is being built. This page reloads itself.\n`
}

function failedText(name: string, errors: readonly ErrorDetail[]): string {
  const lines = errors.slice(0, 20).map(({ path, line, column, message }) => {
    const place = [path, line, column].filter((part) => part !== undefined).join(':')
    return place === '' ? message : `${place}: ${message}`
  })
  return `The branch ${name} does not build, and there is no earlier preview of it.\n\n${lines.join('\n')}\n`
}
