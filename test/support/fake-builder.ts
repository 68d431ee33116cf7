import { createHash } from 'node:crypto'
import type { PageRecord, Route } from '#contract/release.ts'
import type { BuildRequest, BuildResult, SiteBuilder } from '#site/builder.ts'
import type { OnePageRenderer } from '#site/one-page.ts'

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/**
 * A builder that serves every file as it is, in the place of the real one where a test is about something else. A file
 * `broken.md` fails the build, `elsewhere.md` stands for what was copied from another address. `hold` makes builds wait until the function that it returns is called.
 */
export class FakeBuilder implements SiteBuilder {
  builds = 0
  #gate: Promise<void> = Promise.resolve()

  hold(): () => void {
    const { promise, resolve } = withResolvers()
    this.#gate = promise
    return resolve
  }

  async build(request: BuildRequest): Promise<BuildResult> {
    this.builds += 1
    const { files } = request.source
    const pages = { total: files.size, built: files.size, reused: 0 }
    request.onProgress?.({ done: 0, total: files.size })
    await this.#gate
    request.signal?.throwIfAborted()
    if (files.has('broken.md')) {
      const errors = [{ path: 'broken.md', line: 3, column: 7, message: 'It is broken', frame: '> 3 | broken' }]
      return { errors, warnings: [], pages }
    }
    const routes: Record<string, Route> = {}
    const blobs = new Map<string, Uint8Array>()
    const put = (bytes: Uint8Array): string => {
      const name = sha256(bytes)
      if (!request.has(name)) blobs.set(name, bytes)
      return name
    }
    const records: Record<string, PageRecord> = {}
    for (const [path, oid] of files) {
      const bytes = await request.source.read(oid)
      const blob = put(bytes)
      routes[`/${path}`] = { kind: 'file', blob, size: bytes.length, type: 'text/plain; charset=utf-8' }
      records[path] = {
        oid,
        builder: '1',
        dependencies: [],
        artifact: blob,
        markdown: blob,
        markdownSize: bytes.length,
        summary: { links: [], anchors: [], warnings: [] },
      }
    }
    request.onProgress?.({ done: files.size, total: files.size })
    const shell = put(Buffer.from('{}'))
    const warnings = files.has('odd.md') ? [{ path: 'odd.md', line: 1, message: 'It is odd' }] : []
    const { oid = '', artifact = '', markdownSize = 0 } = records['elsewhere.md'] ?? {}
    const copy = { oid, blob: artifact, size: markdownSize, copy: { at: 0 } }
    const assets = files.has('elsewhere.md') ? { 'https://elsewhere.example/': copy } : {}
    return { errors: [], warnings, pages, site: { shell, routes, redirects: [], pages: records, assets, blobs } }
  }

  async close(): Promise<void> {
    // It has nothing to end.
  }
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  const result: { resolve?: () => void } = {}
  const promise = new Promise<void>((done) => {
    result.resolve = done
  })
  return { promise, resolve: () => result.resolve?.() }
}

/** Pages by themselves, where nobody looks at what becomes of them. */
export const fakePages: OnePageRenderer = {
  render: async ({ path, source }) => {
    const html = `<p>${(await source.read(source.files.get(path) ?? '')).length} bytes</p>`
    return { ok: true, html, title: path, headings: [], warnings: [] }
  },
}
