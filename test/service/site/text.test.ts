import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { isDeep } from '#test/support/depth.ts'
import { hostile } from '#test/support/shared.ts'
import type { RenderPool } from '#site/page.ts'
import { sharedRenderPool } from '#test/support/render-pool.ts'
import { createTextRenderer, type TextOutcome, type TextRenderer } from '#site/text.ts'

const samples = join(hostile, 'mdx')
let pool: RenderPool
let renderer: TextRenderer

const render = (text: string, title = 'Title'): Promise<TextOutcome> =>
  renderer.render({ project: 'docs', title, text })
async function htmlOf(text: string, title?: string): Promise<string> {
  const outcome = await render(text, title)
  if (!outcome.ok) throw new Error(outcome.errors.map(({ message }) => message).join('\n'))
  return outcome.html
}

describe('texts that are no pages', () => {
  beforeAll(async () => {
    pool = await sharedRenderPool()
    renderer = createTextRenderer(pool)
  })

  it('plain Markdown takes what is no MDX', async () => {
    expect(await htmlOf('a < b, {x}, <br> and <!-- a comment -->\n\nVec<T>')).toContain('a &lt; b, {x}')
    expect(await htmlOf('import x from "y"')).toContain('import x from')
    expect(await htmlOf('{1 + 1}')).toContain('{1 + 1}')
  })

  it('components work where they are used', async () => {
    expect(await htmlOf('<Note>**Read** this</Note>')).toContain('<strong>Read</strong>')
  })

  it('addresses without a directory are those of the root', async () => {
    const html = await htmlOf('[a](guide) [b](/guide) [c](?q=1) <a href="">d</a> ![e](e.png)')
    expect(html.match(/(?:href|src)="[^"]*"/g)).toEqual([
      'href="/guide"',
      'href="/guide"',
      'href="/?q=1"',
      'href="/"',
      'src="/e.png"',
    ])
  })

  it('a line of hyphens at the beginning is no front matter', async () => {
    expect(await htmlOf('---\n\ntitle: x\n\n---\n')).toContain('title: x')
  })

  it('a heading that repeats the title is not shown again; every other one is', async () => {
    expect(await htmlOf('# Title\n\ntext')).not.toContain('<h1')
    expect(await htmlOf('# Other\n\ntext')).toContain('<h1')
  })

  it('errors are told at their place in the text', async () => {
    const outcome = await render('# Fine\n\n<Note>never closed\n')
    expect(outcome).toMatchObject({ ok: false, errors: [{ line: 3 }] })
    const early = await render('<Note>{nobody()}</Note>')
    expect(early).toMatchObject({ ok: false, errors: [{ line: 1 }] })
  })

  it('a place that an error tells in words is one of the text, too', async () => {
    const outcome = await render(`Fine.\n\n${'['.repeat(1000)}`)
    expect(outcome).toMatchObject({ ok: false, isMdx: false, errors: [{ line: 3 }] })
    expect(JSON.stringify(outcome)).toContain('in line 3,')
    const open = await render('<Note>never closed')
    expect(open).toMatchObject({ ok: false, isMdx: true })
    expect(JSON.stringify(open)).toContain('(1:1-1:7)')
  })

  it('what needs JavaScript is refused with its place', async () => {
    const outcome = await render('<Note>x</Note>\n\n<button onClick={() => alert(1)}>x</button>\n\n{document.title}')
    if (outcome.ok) expect(outcome.html).not.toMatch(/onclick|data-quire-island/i)
    else expect(outcome.errors.length).toBeGreaterThan(0)
  })

  it('titles of every kind cannot end the head', async () => {
    for (const title of ['a: "b" \\', '---', '{{x}}', '\u2028', '# x', "it's", 'مرحبا'])
      expect(await htmlOf('text', title)).toContain('<p>text</p>')
  })

  it.each(readdirSync(samples).filter((name) => isDeep || name.includes('-xss-')))(
    'the hostile sample %s runs nothing, as Markdown and as MDX',
    async (name) => {
      const source = readFileSync(join(samples, name), 'utf8').slice(0, 900_000)
      for (const text of [source, `<Note>x</Note>\n\n${source}`]) {
        const outcome = await render(text)
        if (!outcome.ok) continue
        const tags = outcome.html.match(/<[^>]*>/g) ?? []
        expect(
          tags.filter((tag) => /^<(?:script|style|base|meta|link|object|embed|form)[\s>]|\son\w+=|srcdoc=/i.test(tag)),
        ).toEqual([])
        expect(tags.filter((tag) => /(?:href|src|action)="\s*(?:javascript|vbscript|data:text)/i.test(tag))).toEqual([])
        expect(outcome.html).not.toContain('root:x:0:0')
      }
      expect(await htmlOf('still here')).toContain('still here')
    },
  )
})
