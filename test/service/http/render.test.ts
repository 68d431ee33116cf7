import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Branch, BranchChange } from '#contract/branches.ts'
import { contract } from '#contract/index.ts'
import { openDesk, type Desk } from '#test/support/branching/support.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

let service: TestService
let desk: Desk

beforeAll(async () => {
  service = await startTestService()
})
afterAll(() => service.close())
beforeEach(async () => {
  desk = await openDesk(service)
})

const render = (branch: Branch, path: string, content: string, changes?: BranchChange[]) =>
  desk.client.call(contract.branches.render, {
    params: { slug: desk.slug, id: branch.id },
    body: { path, content, ...(changes === undefined ? {} : { changes }) },
  })

/** What the document of a page has in its `main`, without its place in navigation. */
const mainOf = (html: string): string =>
  (/<main[^>]*>(.*)<\/main>/s.exec(html)?.[1] ?? '')
    .replace(/<p class="q-eyebrow">.*?<\/p>/s, '')
    .replace(/<nav class="q-pager".*?<\/nav>/s, '')

const source = (more: string): string =>
  `---\ntitle: Start\ndescription: How to begin\n---\n\n## One\n\n![Logo](../images/logo.png) [next](./next#part)\n\n## Two\n\n${more}`

describe('a page that is rendered while somebody writes', () => {
  it('is what the preview shows of it after the save', async () => {
    // Without the menu beside the title, which is of the whole site.
    const settings = JSON.stringify({ contextual: { options: [] } })
    const pages = { 'index.mdx': '# Home', 'guide/start.mdx': '# Old', 'guide/next.mdx': '# Next\n\n## Part' }
    await desk.deploy({ ...pages, 'docs.json': settings })
    const branch = await desk.branch('draft')
    const text = source(
      '<Tabs><Tab title="npm">\n\n```js\nconst a = 1\n```\n\n</Tab></Tabs>\n\n<script>alert(1)</script>',
    )
    const rendered = await render(branch, 'guide/start.mdx', text)
    expect(rendered).toMatchObject({ title: 'Start', errors: [] })
    expect(rendered.headings).toEqual([
      { id: 'one', level: 2, text: 'One' },
      { id: 'two', level: 2, text: 'Two' },
    ])
    expect(rendered.html).not.toContain('<script')
    expect(rendered.html).toContain('src="/images/logo.png"')
    await desk.save(branch, 'guide/start.mdx', text)
    const shown = await desk.previewed(branch)
    const foot = /<div class="q-page-foot">.*?<\/div>/
    expect(rendered.html).toBe(mainOf((await desk.preview(shown, '/guide/start')).text).replace(foot, ''))
  })

  it('takes what else is not saved: snippets, files that are not there yet and those that go', async () => {
    await desk.deploy({ 'index.mdx': '# Home', 'snippets/note.mdx': 'Saved words' })
    const branch = await desk.branch('draft')
    const page = "import Note from '/snippets/note.mdx'\n\n# Page\n\n<Note />"
    expect((await render(branch, 'new.mdx', page)).html).toContain('Saved words')
    const note = { path: 'snippets/note.mdx', content: 'Unsaved words' }
    expect((await render(branch, 'new.mdx', page, [note])).html).toContain('Unsaved words')
    const without = await render(branch, 'new.mdx', page, [{ ...note, content: null }])
    expect(JSON.stringify([without.errors, without.warnings])).toContain('snippets/note.mdx')
  })

  it('answers with the place of what does not compile', async () => {
    await desk.deploy({ 'index.mdx': '# Home' })
    const branch = await desk.branch('draft')
    const broken = await render(branch, 'index.mdx', '# Home\n\n<Note>\nopen')
    expect(broken).toMatchObject({ errors: [{ path: 'index.mdx', line: 3, column: 1 }] })
    expect(broken.html).toBeUndefined()
  })

  it('shows what needs JavaScript as the preview does, and says so', async () => {
    await desk.deploy({ 'index.mdx': '# Home' })
    const branch = await desk.branch('draft')
    const page = '# Home\n\nimport { go } from "lodash"\n\n<button onClick={go}>Press</button>'
    const { html, warnings } = await render(branch, 'index.mdx', page)
    expect(html).toContain('Press')
    expect(html).not.toContain('onclick')
    expect(warnings).toMatchObject([
      { path: 'index.mdx', line: 3 },
      { path: 'index.mdx', line: 5 },
    ])
  })

  it('changes neither branch nor preview, takes nothing of the plan, and is not in the log', async () => {
    await desk.deploy({ 'index.mdx': '# Home' })
    const before = await desk.previewed(await desk.branch('draft'))
    const params = { slug: desk.slug }
    const usage = () => desk.client.call(contract.usage.read, { params })
    const used = await usage()
    await render(before, 'index.mdx', 'Other')
    expect(await desk.read(before)).toEqual(before)
    expect((await desk.preview(before, '/')).text).toContain('Home')
    expect(await usage()).toEqual(used)
  })

  it.each([
    ['docs.json', 'invalid_request'],
    ['../up.mdx', 'invalid_path'],
    ['.git/config.md', 'invalid_path'],
  ])('refuses %s with %s', async (path, code) => {
    await desk.deploy({ 'index.mdx': '# Home' })
    const branch = await desk.branch('draft')
    await expect(render(branch, path, 'x')).rejects.toMatchObject({ code })
  })

  it('refuses changes of what has become another file', async () => {
    await desk.deploy({ 'index.mdx': '# Home', 'a.mdx': 'A' })
    const branch = await desk.branch('draft')
    const stale = { path: 'a.mdx', content: 'B', expectedOid: '0'.repeat(40) }
    await expect(render(branch, 'index.mdx', 'x', [stale])).rejects.toMatchObject({ code: 'stale_file' })
  })
})
