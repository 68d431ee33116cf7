import { describe, expect, it } from 'vitest'
import { followLinks, keepLinks, LinkedPlaces, throughLinks } from '#content/objects/links.ts'
import { limits } from '#contract/limits.ts'
import { wholly } from '#lib/slices.ts'

const files = (...paths: readonly string[]) => new Map(paths.map((path) => [path, `of ${path}`]))
const follow = (paths: readonly string[], links: Readonly<Record<string, string>>) =>
  wholly(followLinks(files(...paths), new Map(Object.entries(links))))
/** What comes of links alone, and why the others were left. */
function seen(paths: readonly string[], links: Readonly<Record<string, string>>) {
  const { files: all, links: known } = follow(paths, links)
  return {
    files: Object.fromEntries([...all].filter(([path]) => !paths.includes(path))),
    left: Object.fromEntries(known.left),
  }
}

describe('symbolic links of a tree', () => {
  it('are followed to files, folders and other links', () => {
    expect(
      seen(['shared/a.mdx', 'shared/deep/b.mdx', 'index.mdx'], {
        'a.mdx': 'shared/a.mdx',
        'again.mdx': './a.mdx',
        guide: 'shared',
        'docs/up': '../shared/deep/',
        'docs/through.mdx': '../guide/deep/b.mdx',
      }),
    ).toEqual({
      files: {
        'a.mdx': 'of shared/a.mdx',
        'again.mdx': 'of shared/a.mdx',
        'guide/a.mdx': 'of shared/a.mdx',
        'guide/deep/b.mdx': 'of shared/deep/b.mdx',
        'docs/up/b.mdx': 'of shared/deep/b.mdx',
        'docs/through.mdx': 'of shared/deep/b.mdx',
      },
      left: {},
    })
  })

  it('are bounded where a folder of many that are not followed is shown by many', () => {
    const many = 400
    for (const leading of ['.', 'nothing', '.hidden']) {
      const { left, files: all } = seen(['d/page.mdx'], {
        ...Object.fromEntries(Array.from({ length: many }, (_, index) => [`d/${index}`, leading])),
        ...Object.fromEntries(Array.from({ length: many }, (_, index) => [`to-${index}`, 'd'])),
      })
      expect(Object.keys(left).length).toBeLessThanOrEqual(limits.files + 2 * many)
      expect(Object.keys(all).length).toBeLessThan(many)
      expect(left[`to-${many - 1}`]).toContain('more than')
    }
  })

  it('are not followed out of it, to what is hidden, to nothing or in a circle', () => {
    expect(
      seen(['a/b/c.mdx', '.env', '.git.d/x', 'in/.secret', 'page.mdx'], {
        absolute: '/etc/passwd',
        out: '../../etc/passwd',
        'a/out': '../../main/a/b',
        env: '.env',
        inner: '.git.d/x',
        none: 'nothing.mdx',
        below: 'page.mdx/x',
        self: 'self',
        one: 'two',
        two: 'one',
        'a/b/around': '..',
        root: '.',
        empty: '',
        copy: 'in',
      }),
    ).toEqual({
      files: {},
      left: {
        absolute: 'that leads out of the project',
        out: 'that leads out of the project',
        'a/out': 'that leads out of the project',
        env: 'to what is hidden',
        inner: 'to what is hidden',
        none: 'that leads nowhere',
        below: 'that leads nowhere',
        self: 'that leads nowhere',
        one: 'that leads nowhere',
        two: 'that leads nowhere',
        'a/b/around': 'to a folder that it is in',
        root: 'to a folder that it is in',
        empty: 'that leads nowhere',
      },
    })
  })

  it('that lead to each other end where they come around', () => {
    const { files: made, left } = seen(['a/x.mdx', 'b/y.mdx'], { 'a/b': '../b', 'b/a': '../a' })
    expect(made).toEqual({ 'a/b/y.mdx': 'of b/y.mdx', 'b/a/x.mdx': 'of a/x.mdx' })
    expect(left).toEqual({ 'a/b/a': 'to a folder that it is in', 'b/a/b': 'to a folder that it is in' })
  })

  it('make no more files than a project may have: what does not fit is left out whole', () => {
    const many = Array.from({ length: limits.files / 2 }, (_, index) => `many/${index}.mdx`)
    const links = Object.fromEntries(many.map((_, index) => [`copy-${index}`, 'many']))
    const { files: all, links: known } = follow(many, links)
    expect(all.size).toBeLessThanOrEqual(limits.files)
    expect(known.left.size).toBeGreaterThanOrEqual(many.length - 1)
    for (const [link, why] of known.left) {
      expect(why).toContain('more than')
      expect(all.has(`${link}/0.mdx`)).toBe(false)
    }
  })

  it('in folders of links that double at each level are bounded', () => {
    const links: Record<string, string> = {}
    for (let level = 0; level < 25; level++)
      for (const name of ['p', 'q']) links[`${level}/${name}`] = `../${level + 1}`
    const { files: all, links: known } = follow(['25/end.mdx'], links)
    expect(all.size).toBeLessThanOrEqual(limits.files)
    expect([...known.left.values()].join()).toContain('more than')
  })

  it('in chains, and with paths that wind, are bounded', () => {
    const winding = Object.fromEntries(
      Array.from({ length: 2000 }, (_, index) => [`l${index}`, `l${index + 1}/../`.repeat(100) + `l${index + 1}`]),
    )
    expect(Object.keys(seen(['end.mdx'], winding).left)).toHaveLength(2000)
    const chain = Object.fromEntries(Array.from({ length: 39 }, (_, index) => [`c${index}`, `c${index + 1}`]))
    expect(seen(['end.mdx'], { ...chain, c39: 'end.mdx' }).files['c0']).toBe('of end.mdx')
  })

  it('stand for paths that are written where they lead', () => {
    const { links } = follow(['shared/deep/b.mdx'], { guide: 'shared', 'b.mdx': 'guide/deep/b.mdx' })
    expect(throughLinks('guide/deep/b.mdx', links)).toBe('shared/deep/b.mdx')
    expect(throughLinks('guide/new.mdx', links)).toBe('shared/new.mdx')
    expect(throughLinks('b.mdx', links)).toBe('shared/deep/b.mdx')
    expect(throughLinks('guides/deep', links)).toBe('guides/deep')
    expect([...new LinkedPlaces(links).of('shared/deep/b.mdx')].sort()).toEqual(['b.mdx', 'guide/deep/b.mdx'])
  })

  it('stay when files are sent that have at their paths what they lead to, and only then', () => {
    const links = new Map([
      ['guide', 'shared'],
      ['b.mdx', 'guide/b.mdx'],
    ])
    const keep = (sent: Readonly<Record<string, string>>) => {
      const { files: own, links: kept } = wholly(keepLinks(new Map(Object.entries(sent)), links))
      return { own: [...own.keys()], kept: [...kept.keys()] }
    }
    const shared = { 'shared/b.mdx': '1', 'shared/c.mdx': '2' }
    expect(keep({ ...shared, 'guide/b.mdx': '1', 'guide/c.mdx': '2', 'b.mdx': '1' })).toEqual({
      own: ['shared/b.mdx', 'shared/c.mdx'],
      kept: ['guide', 'b.mdx'],
    })
    expect(keep({ ...shared, 'guide/b.mdx': '1', 'guide/c.mdx': 'other', 'b.mdx': '1' }).kept).toEqual(['b.mdx'])
    expect(keep({ ...shared, 'guide/b.mdx': '1', 'b.mdx': '1' }).kept).toEqual(['b.mdx'])
    expect(keep({ ...shared, 'guide/b.mdx': '1', 'guide/c.mdx': '2', 'b.mdx': 'other' }).kept).toEqual(['guide'])
    expect(keep(shared).kept).toEqual([])
  })
})
