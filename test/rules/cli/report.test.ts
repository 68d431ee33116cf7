import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { annotation, appendSummary, kindsOf } from '#cli/deploying/progress.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

describe('annotations of GitHub Actions', () => {
  it('point at the file below the checkout, with line and column', () => {
    const detail = { path: 'guide/start.mdx', line: 3, column: 7, message: 'Expected a closing tag' }
    expect(annotation('error', detail, 'docs/')).toBe(
      '::error file=docs/guide/start.mdx,line=3,col=7,title=Quire::Expected a closing tag',
    )
  })

  it('escape what would end the command or a property', () => {
    const detail = { path: 'a,b:c.mdx', message: '100%\r\n::warning::fake' }
    expect(annotation('warning', detail, '')).toBe(
      '::warning file=a%2Cb%3Ac.mdx,title=Quire::100%25%0D%0A::warning::fake',
    )
  })

  it('are all in the summary, as a table that no message breaks', async () => {
    const file = join(await temporaryDirectory(), 'summary.md')
    await appendSummary(
      file,
      'Failed',
      [{ path: 'a.mdx', line: 1, column: 2, message: 'a | b\nc' }],
      [{ message: 'hm' }],
    )
    expect(await readFile(file, 'utf8')).toBe(
      '### Failed\n\n2 others\n\n| | place | message |\n| --- | --- | --- |\n| error | `a.mdx:1:2` | a \\| b c |\n| warning | `` | hm |\n',
    )
  })
})

describe('the summary before many findings', () => {
  it('counts them by kind, the most first, and those that are not listed', () => {
    const broken = { rule: 'link-broken', message: 'a' }
    expect(
      kindsOf([broken, { rule: 'anchor-broken', message: 'b' }, broken, { message: '… and 7 more.', more: 7 }]),
    ).toBe('7 others, 2 link-broken, 1 anchor-broken')
  })

  it('is none of a single one', () => {
    expect(kindsOf([{ rule: 'link-broken', message: 'a' }])).toBeUndefined()
    expect(kindsOf([])).toBeUndefined()
  })
})
