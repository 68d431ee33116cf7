import { expect, it } from 'vitest'
import { resolveTarget } from '#hosting/serving/resolve.ts'
import { RedirectTable } from '#lib/redirect-table.ts'
import { wholly } from '#lib/slices.ts'
import { withoutEndSlashes } from '#lib/url-path.ts'
import { TestProject } from '#test/support/site/support/project.ts'

/** A pattern that looks from each of them to the end of all would take an hour. */
const slashes = '/'.repeat(1_000_000)

it('slashes at the end of a path are left out, however many', () => {
  expect(['/', '', '/a', '/a//', 'https://a.example/b/'].map(withoutEndSlashes)).toEqual([
    '',
    '',
    '/a',
    '/a',
    'https://a.example/b',
  ])
  expect(withoutEndSlashes(`/a${slashes}`)).toBe('/a')
})

it('a path of slashes costs no more than its length: of a request, of a redirect, of a site', async () => {
  const redirects = wholly(RedirectTable.from([{ from: `/x${slashes}y`, to: '/z', status: 307 }]))
  const routing = { routes: {}, redirects, asset: () => undefined }
  expect(resolveTarget(routing, { path: `/a${slashes}b`, query: '' }, false)).toEqual({ kind: 'missing' })
  const canonical = `https://example.com/a${slashes}b`
  const docs = { name: 'Docs', navigation: { pages: ['index'] }, seo: { metatags: { canonical } } }
  const { errors } = await new TestProject().build({ 'docs.json': JSON.stringify(docs), 'index.md': '# Home' })
  expect(errors).toEqual([])
})
