import { describe, expect, it } from 'vitest'
import { TestProject, type Files } from '#test/support/site/support/project.ts'

const config = (navigation: readonly string[], more: object = {}): string =>
  JSON.stringify({ navigation: { pages: navigation }, ...more })

/** Warnings of redirects when readers have the first files and the second are deployed. */
async function warnings(before: Files, after: Files): Promise<string[]> {
  const project = new TestProject()
  await project.build(before)
  const live = project.last ?? null
  const { warnings: found } = await project.build(after, { live: async () => live })
  return found.map(({ message }) => message).filter((message) => message.includes('redirects'))
}

const text = '# Install\n\n## On Linux\n\n## On Windows\n\n## Afterwards\n'

describe('a page that was renamed', () => {
  it('is told with the redirect to add, when its source is the same', async () => {
    expect(await warnings({ 'a.mdx': '# A', 'old.mdx': '# Same' }, { 'a.mdx': '# A', 'new.mdx': '# Same' })).toEqual([
      'The page /old is at /new now, and its old address leads nowhere. Add to redirects: { "source": "/old", "destination": "/new" }',
    ])
  })

  it('is known by title and headings when it was edited, too', async () => {
    const after = { 'a.mdx': '# A', 'guide/setup.mdx': `${text}\nMore.\n\n## Questions\n` }
    expect(await warnings({ 'a.mdx': '# A', 'install.mdx': text }, after)).toEqual([
      expect.stringContaining('{ "source": "/install", "destination": "/guide/setup" }'),
    ])
  })

  it('needs one redirect with all others of its folder', async () => {
    const files = (folder: string) =>
      Object.fromEntries(['a', 'b', 'c', 'd/e'].map((name) => [`${folder}/${name}.mdx`, `# ${name}`]))
    expect(await warnings(files('docs/guide'), files('manual'))).toEqual([
      expect.stringContaining('Add to redirects: { "source": "/docs/guide/:page*", "destination": "/manual/:page*" }'),
    ])
  })

  it('is told of nothing where a redirect is there, the old address stays, or the page is another one', async () => {
    const before = { 'a.mdx': '# A', 'old.mdx': text }
    const redirected = {
      'a.mdx': '# A',
      'new.mdx': text,
      'docs.json': config(['a', 'new'], { redirects: [{ source: '/old', destination: '/new' }] }),
    }
    expect(await warnings(before, redirected)).toEqual([])
    expect(await warnings(before, { ...before, 'new.mdx': text })).toEqual([])
    expect(await warnings(before, { 'a.mdx': '# A', 'new.mdx': '# Something else\n\n## B\n\n## C\n\n## D' })).toEqual(
      [],
    )
    expect(await warnings(before, { 'a.mdx': '# A' })).toEqual([])
  })

  it('is not guessed where two are as like it', async () => {
    const twice = { 'a.mdx': '# A', 'one.mdx': `${text}1`, 'two.mdx': `${text}2` }
    expect(await warnings({ 'a.mdx': '# A', 'old.mdx': text }, twice)).toEqual([])
  })
})
