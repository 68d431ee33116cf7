import { expect, it } from 'vitest'
import { createOnePageRenderer } from '#site/one-page.ts'
import { inProcessPool } from '#test/support/site/support/fake-pool.ts'
import { oidOf } from '#test/support/site/support/project.ts'

/** Renders `page.mdx` of a project again and again, and tells which files were read. */
function writing() {
  const pages = createOnePageRenderer(inProcessPool())
  return async (files: Readonly<Record<string, string>>) => {
    const read: string[] = []
    const oids = new Map(Object.entries(files).map(([path, text]) => [path, oidOf(text)]))
    const source = {
      files: oids,
      read: async (oid: string) => {
        const [path = '', text = ''] = Object.entries(files).find(([, content]) => oidOf(content) === oid) ?? []
        read.push(path)
        return Buffer.from(text)
      },
    }
    const outcome = await pages.render({ project: 'acme', path: 'page.mdx', source })
    return { html: outcome.ok ? outcome.html : JSON.stringify(outcome.errors), read }
  }
}

const settings = (version: string): string => JSON.stringify({ name: 'A', variables: { version } })

it('shows the variables of docs.json as they are now, and reads it only when it has changed', async () => {
  const show = writing()
  const page = { 'page.mdx': 'Install {{version}}', 'docs.json': settings('v1') }
  const first = await show(page)
  expect(first.html).toContain('Install v1')
  expect(first.read).toContain('docs.json')
  const typed = await show({ ...page, 'page.mdx': 'Install {{version}} now' })
  expect(typed.html).toContain('Install v1 now')
  expect(typed.read).toEqual(['page.mdx'])
  expect((await show({ ...page, 'docs.json': settings('v2') })).html).toContain('Install v2')
})

it('shows a page also where docs.json cannot be read, or is not there', async () => {
  const show = writing()
  expect((await show({ 'page.mdx': 'Still {"{{"}here', 'docs.json': '{ "name": ' })).html).toContain('here')
  expect((await show({ 'page.mdx': 'And here' })).html).toContain('And here')
})
