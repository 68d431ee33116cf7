import { describe, expect, it } from 'vitest'
import { quire } from '../support/command-line.ts'
import { temporaryDirectory, writeFiles } from '../support/temporary.ts'

const files = {
  'docs/docs.json': JSON.stringify({ name: 'Docs', navigation: { pages: ['index'] } }),
  'docs/index.mdx': '---\ntitle: Home\n---\n\n[nowhere](/nowhere) ![](/shot.png)\n',
  'docs/shot.png': 'x',
  'docs/lost.mdx': '# Lost\n',
}

describe('quire check', { timeout: 60_000 }, () => {
  it('says what is wrong with a folder, without a service and without an account', async () => {
    const directory = await temporaryDirectory()
    await writeFiles(directory, files)
    const run = (words: readonly string[]) => quire(['check', 'docs', ...words], { HOME: directory }, directory)

    const text = await run([])
    expect([text.code, text.stderr]).toEqual([0, ''])
    expect(text.stdout).toContain('warning index.mdx:5:1  The link /nowhere leads nowhere')
    expect(text.stdout).toMatch(/^link-broken 1 time: Correct the path/m)
    expect(text.stdout).toMatch(/docs can go live: 2 pages .*3 warnings\.\n$/)

    expect((await run(['--max-warnings', '3'])).code).toBe(0)
    const strict = await run(['--strict'])
    expect([strict.code, strict.stderr]).toEqual([3, expect.stringContaining('docs has warnings: 3 warnings.')])
    expect((await run(['--max-warnings', 'few'])).code).toBe(2)

    const json = await run(['--format', 'json', '--strict'])
    expect(json.code).toBe(3)
    expect(JSON.parse(json.stdout)).toMatchObject({
      errors: [],
      counts: { errors: 0, warnings: 3 },
      warnings: [
        { path: 'index.mdx', line: 5, rule: 'link-broken', hint: expect.stringMatching(/\.$/) },
        { path: 'index.mdx', line: 5, rule: 'alt-missing' },
        { path: 'lost.mdx', rule: 'page-orphan' },
      ],
    })

    const sarif = JSON.parse((await run(['--format', 'sarif'])).stdout) as { runs: [{ results: { ruleId: string }[] }] }
    expect(sarif.runs[0].results.map(({ ruleId }) => ruleId)).toEqual(['link-broken', 'alt-missing', 'page-orphan'])

    const github = await run(['--format', 'github'])
    expect(github.stdout.split('\n')[0]).toMatch(
      /^::warning file=docs\/index\.mdx,line=5,col=1,title=link-broken::The link \/nowhere leads nowhere/,
    )
  })

  it('ends with 3 for a page that is broken, and shows the lines around the place', async () => {
    const directory = await temporaryDirectory()
    await writeFiles(directory, { ...files, 'docs/lost.mdx': '# Lost\n\n<Card\n' })
    const { code, stdout, stderr } = await quire(['check', 'docs'], { HOME: directory }, directory)
    expect([code, stderr]).toEqual([3, expect.stringContaining('docs does not build: 1 error')])
    expect(stdout).toMatch(/^error lost\.mdx:4:1 .* page-syntax\n {6}2 \|\n {6}3 \| <Card/m)
  })
})
