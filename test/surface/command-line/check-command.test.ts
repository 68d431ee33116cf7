import { describeInDepth, isDeep } from '#test/support/depth.ts'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Check } from '#contract/checks.ts'
import type { ErrorDetail } from '#contract/common.ts'
import { quire } from '#test/support/command-line.ts'
import { hasCorpora, unpackCorpus } from '#test/support/shared.ts'
import { temporaryDirectory, writeFiles } from '#test/support/temporary.ts'

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
    // What there is of each kind comes before the single places.
    expect(text.stdout).toMatch(/^link-broken 1 time: Correct the path[^]*^warning/m)
    expect(text.stdout).toMatch(/docs can go live: 2 pages .*3 warnings\.\n$/)

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

    if (!isDeep) return
    expect((await run(['--max-warnings', '3'])).code).toBe(0)
    const strict = await run(['--strict'])
    expect([strict.code, strict.stderr]).toEqual([3, expect.stringContaining('docs has warnings: 3 warnings.')])
    expect((await run(['--max-warnings', 'few'])).code).toBe(2)

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

/** Findings of each rule in real documentation, all of which are true: each was looked up in its source. */
const corpora: readonly (readonly [name: string, findings: Readonly<Record<string, number>>])[] = [
  [
    'turso-docs',
    {
      'anchor-broken': 11,
      'file-missing': 3,
      'file-unpublished': 1,
      'link-broken': 8,
      'page-orphan': 8,
      'redirect-broken': 1,
      'redirect-chain': 4,
      'redirect-ignored': 4,
      'setting-ignored': 1,
      'setting-limited': 1,
    },
  ],
  [
    'mem0-docs',
    {
      'anchor-broken': 3,
      'component-property': 2,
      'file-missing': 1,
      'setting-ignored': 2,
    },
  ],
  [
    'mcp-docs',
    {
      'alt-missing': 108,
      'anchor-broken': 12,
      'file-missing': 174,
      'file-unpublished': 1,
      'page-orphan': 1,
      'setting-ignored': 1,
    },
  ],
  ['bench-500', { 'title-repeated': 1 }],
]

/** Whether a finding says what is so, as far as its source shows it by itself. */
async function isTrue(
  { rule, path = '', line = 1, column = 1, message }: ErrorDetail,
  folder: string,
): Promise<boolean> {
  const lines = path === '' ? [] : (await readFile(join(folder, path), 'utf8')).split('\n')
  const source = lines
    .slice(line - 1, line + 20)
    .join('\n')
    .slice(column - 1)
  if (rule === 'alt-missing') return source.startsWith('![](') || /^<img\b(?![^>]*\balt\b)[^>]*>/.test(source)
  if (rule === 'file-missing') return !existsSync(join(folder, /file for (.*?)\.(?: Did|$)/.exec(message)?.[1] ?? '.'))
  if (rule === 'component-property')
    return new RegExp(`^${/<\w+/.exec(message)?.[0]}\\b[^>]*${/`(\w+)`:/.exec(message)?.[1]}=`).test(source)
  if (rule !== 'page-orphan') return true
  const url = /leads to (\S+):/.exec(message)?.[1] ?? ''
  const texts = await Promise.all(
    (await readdir(folder, { recursive: true }))
      .filter((name) => /\.(?:mdx?|json)$/.test(name))
      .map((name) => readFile(join(folder, name), 'utf8')),
  )
  return !texts.some((text) => new RegExp(`${url.replaceAll(/[-.]/g, '\\$&')}(?:["')#?\\s]|\\.mdx?)`).test(text))
}

describeInDepth.skipIf(!hasCorpora)('quire check of real documentation', { timeout: 300_000 }, () => {
  it.each(corpora)('finds nothing in %s that is not so', async (name, expected) => {
    const directory = await temporaryDirectory()
    const folder = await unpackCorpus(name, directory)
    const { code, stdout } = await quire(['check', folder, '--format', 'json'], { HOME: directory })
    expect(code).toBe(0)
    const { warnings } = JSON.parse(stdout) as Check
    const counts: Record<string, number> = {}
    for (const { rule = '' } of warnings) counts[rule] = (counts[rule] ?? 0) + 1
    expect(counts).toEqual(expected)
    const doubtful = []
    for (const warning of warnings) if (!(await isTrue(warning, folder))) doubtful.push(warning)
    expect(doubtful).toEqual([])
  })
})
