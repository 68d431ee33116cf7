import { describe, expect, it } from 'vitest'
import { checkPlan } from '#cli/generate/plan-check.ts'
import { pagesOf } from '#cli/generate/plan.ts'

const bounds = {
  files: new Set(['README.md', 'src/a.ts', 'src/b.ts', 'lib/c.ts']),
  exporting: ['src/a.ts', 'src/b.ts', 'lib/c.ts'],
  taken: new Set(['own']),
  maxPages: 3,
}
const page = (path: string, ...sources: string[]): object => ({
  path,
  title: path,
  description: 'D.',
  purpose: 'P.',
  sources: sources.length === 0 ? ['src/', 'lib/c.ts'] : sources,
})
const check = (pages: unknown[], more: object = {}, within = bounds) =>
  checkPlan(JSON.stringify({ name: 'kettle', groups: [{ group: 'G', pages }], ...more }), within)

describe('a plan that a model made', () => {
  it('is taken from among words, with folders as all their files', () => {
    const { plan, problems } = checkPlan(
      `Here it is:\n\`\`\`json\n${JSON.stringify({ name: 'k', groups: [{ group: 'G', pages: [page('index')] }] })}\n\`\`\``,
      bounds,
    )
    expect(problems).toEqual([])
    expect(plan === undefined ? [] : pagesOf(plan)).toMatchObject([
      { path: 'index', groups: ['G'], sources: ['src/a.ts', 'src/b.ts', 'lib/c.ts'] },
    ])
  })

  it.each([
    '../up',
    '/etc/passwd/../x',
    'a b',
    'UPPER_case',
    'a//b',
    '.hidden',
    'a/.git/b',
    'con',
    'a/index',
    'snippets/a',
    'own',
    'a/b/c/d/e',
    'x\u202ey',
    'docs.json',
  ])('has no page at %s', (path) => {
    const { plan, problems } = check([page('index'), page(path)])
    expect(problems).toHaveLength(1)
    expect(plan === undefined ? [] : pagesOf(plan).map((entry) => entry.path)).toEqual(['index'])
  })

  it('has an index, no page twice, no file that there is not, and no more pages than it may', () => {
    expect(check([page('a')])).toMatchObject({ problems: [expect.stringContaining('"index"')] })
    expect(check([page('index'), page('index')]).problems).toEqual([expect.stringContaining('twice')])
    expect(check([page('index'), page('a', '../secret.ts')]).problems).toHaveLength(2)
    expect(check(['index', 'a', 'b', 'c'].map((path) => page(path))).problems).toEqual([
      expect.stringContaining('at most 3'),
    ])
  })

  it('describes every file that exports something, or leaves it out', () => {
    const forgotten = check([page('index', 'src/')])
    expect(forgotten.problems).toEqual([expect.stringContaining('lib/c.ts exports something')])
    expect(forgotten.plan?.leftOut).toEqual([{ source: 'lib/c.ts', reason: 'not planned' }])
    const leftOut = [{ source: 'lib/', reason: 'internal' }]
    expect(check([page('index', 'src/')], { leftOut })).toMatchObject({
      problems: [],
      plan: { leftOut: [{ source: 'lib/c.ts' }] },
    })
  })

  it('is refused where it is none', () => {
    for (const answer of ['', 'no', '{"name": 1}', '{"name": "x", "groups": []}', '{'])
      expect(checkPlan(answer, bounds).plan).toBeUndefined()
  })
})
