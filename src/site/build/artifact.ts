import type { PageArtifact, PageSummary, RenderedPage } from '../page.ts'

/** Bytes of an artifact: UTF-8 JSON with the keys in the order of the interface, so that equal pages have equal hashes. */
export function encodeArtifact(artifact: PageArtifact): Buffer {
  const { title, description, html, headings, mode, keywords, noindex, islands, features } = artifact
  return Buffer.from(JSON.stringify({ title, description, html, headings, mode, keywords, noindex, islands, features }))
}

/** The `.md` twin of a page: title and description, then the source without front matter. */
export function markdownTwin({ artifact, markdown }: RenderedPage): Buffer {
  const about = artifact.description === undefined ? '' : `> ${artifact.description.replaceAll(/\s*\n\s*/g, ' ')}\n\n`
  return Buffer.from(`# ${artifact.title}\n\n${about}${markdown.trim()}\n`)
}

/** What of a summary a release keeps: links elsewhere and repeated ones are never looked at again. */
export function keptSummary(summary: PageSummary): PageSummary {
  const seen = new Set<string>()
  const links = summary.links.filter(({ href, kind, path }) => {
    const key = `${kind} ${path ?? ''} ${href}`
    if (!(href.startsWith('/') || href.startsWith('#')) || href.startsWith('//') || seen.has(key)) return false
    seen.add(key)
    return true
  })
  return { ...summary, links }
}
