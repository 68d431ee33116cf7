import type { Source } from '#site/builder.ts'
import { readConfig, type SiteConfig } from '#site/config/config.ts'
import type { SitePage } from '#site/config/pages.ts'

/** A source of texts; the blob id of a file is its path. */
export function sourceOf(files: Readonly<Record<string, string>>): Source {
  return {
    files: new Map(Object.keys(files).map((path) => [path, path])),
    read: (oid) => Promise.resolve(Buffer.from(files[oid] ?? '')),
  }
}

export function configOf(value: unknown, files: Readonly<Record<string, string>> = {}): Promise<SiteConfig> {
  return readConfig(sourceOf({ 'docs.json': JSON.stringify(value, null, 2), ...files }))
}

export function page(path: string, summary: Partial<SitePage['summary']> = {}): SitePage {
  const bare = path.replace(/\.mdx?$/, '')
  const url = `/${bare.replace(/(^|\/)(index|README)$/, '')}`
  return {
    path,
    url,
    summary: { title: bare.split('/').at(-1) ?? '', anchors: [], links: [], warnings: [], ...summary },
  }
}
