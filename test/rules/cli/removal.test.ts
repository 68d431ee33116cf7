import { describe, expect, it } from 'vitest'
import { isMuch, removalOf } from '#cli/deploying/removal.ts'

const pages = (count: number): string[] => Array.from({ length: count }, (_, index) => `page-${index}.md`)
const removal = (before: readonly string[], after: readonly string[]) =>
  removalOf(
    after.map((path) => ({ path, absolute: path, size: 1, oid: 'x' })),
    { slug: 'docs', head: 'x', files: new Map(before.map((path) => [path, 'x'])) },
  )

describe('what a deploy takes away', () => {
  it('is what main has and the folder has not: pages, and other files', () => {
    const { pages: gone, others } = removal(['b.md', 'a.mdx', 'logo.svg', 'stays.md'], ['stays.md', 'new.md'])
    expect([gone, others]).toEqual([['a.mdx', 'b.md'], ['logo.svg']])
  })

  it('is nothing where the file system writes the same name in another form', () => {
    expect(removal(['café.md'.normalize('NFC')], ['café.md'.normalize('NFD')]).pages).toEqual([])
  })

  it.each([
    [5, 3, true],
    [5, 2, false],
    [4, 4, false],
    [31, 31, true],
    [10, 5, false],
  ])('of %i pages, %i are much: %s', (before, gone, much) => {
    expect(isMuch(removal([...pages(before), 'logo.svg'], pages(before).slice(gone)))).toBe(much)
  })
})
