import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { utilityLimits, utilityStyles } from '#site/mdx/utility-classes.ts'
import { render } from '#test/support/site/mdx/render-text.ts'

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
const stylesOf = async (names: string): Promise<string> =>
  (await utilityStyles(`<div class="${escaped(names)}">a</div>`, [])) ?? ''

describe('utility classes of a page', () => {
  it('become rules below its body, with what they declare', async () => {
    const { artifact } = await render('<div className="bg-sky-500 px-7 md:w-1/2 hover:underline">a</div>')
    expect(artifact.styles).toContain(':is(.q-prose,.q-head) .px-7{padding-left:1.75rem;padding-right:1.75rem}')
    expect(artifact.styles).toMatch(
      /@media \(min-width: 768px\)\{:is\(\.q-prose,\.q-head\) \.md\\:w-1\\\/2\{width:50%\}\}$/,
    )
    expect(artifact.styles).toContain('.hover\\:underline:hover{text-decoration-line:underline}')
  })

  it('are dark by the choice of the reader, and without scripts by that of the browser', async () => {
    const styles = await stylesOf('dark:p-7')
    expect(styles).toBe(
      ':root[data-theme=dark] :is(.q-prose,.q-head) .dark\\:p-7{padding:1.75rem}' +
        '@media (prefers-color-scheme:dark){:root:not([data-theme]) :is(.q-prose,.q-head) .dark\\:p-7{padding:1.75rem}}',
    )
  })

  it('add nothing where the theme has all of them, or where names are an author’s own', async () => {
    for (const names of ['flex gap-4 md:grid-cols-2 dark:hidden', 'hero my_card q-card language-js', 'a {} </style>'])
      expect(await stylesOf(names)).toBe('')
    expect((await render('# A\n\n`class="p-7"` and text')).artifact).not.toHaveProperty('styles')
  })

  it('of the theme are those of its sheet', async () => {
    const sheet = readFileSync('src/site/theme/css/utilities.css', 'utf8').replaceAll(/\/\*[^]*?\*\//g, '')
    const names = [...sheet.matchAll(/\.((?:\\.|[-\w])+)/g)]
      .map(([, name = '']) => name.replaceAll('\\', ''))
      .filter((name) => /^[a-z]/.test(name) && !/^q-|^\d|rem$/.test(name))
    expect(names.length).toBeGreaterThan(80)
    for (const name of names) expect([name, await stylesOf(name)]).toEqual([name, ''])
  })

  it('come in one order, whatever was asked before and in which order they stand', async () => {
    const one = await stylesOf('p-7 md:p-9 sm:p-8 pt-1 bg-red-500 lg:p-2')
    await stylesOf('2xl:m-7 lg:w-7 sm:w-9')
    expect(await stylesOf('lg:p-2 bg-red-500 pt-1 sm:p-8 md:p-9 p-7')).toBe(one)
    expect(one.indexOf('pt-1')).toBeGreaterThan(one.indexOf('.p-7'))
    expect(one.indexOf('lg\\:p-2')).toBeGreaterThan(one.indexOf('md\\:p-9'))
  })

  it('of components with JavaScript are found in their texts', async () => {
    const { artifact } = await render('import { Box } from "/snippets/box.jsx"\n\n<Box />', {
      'snippets/box.jsx':
        'import { useState } from "react"\nexport const Box = () => {\n  const [wide] = useState(false)\n' +
        '  return <div className={wide ? "max-w-7xl" : "p-9"} />\n}\n',
    })
    expect(artifact.styles).toContain('.max-w-7xl{max-width:80rem}')
    expect(artifact.styles).toContain('.p-9{')
  })
})

describe('utility classes of an attacker', () => {
  it.each([
    'fixed p-7',
    'sticky p-7',
    '[position:fixed] p-7',
    'bg-[url(https://evil.example/a)] p-7',
    'bg-[red;}body{display:none}] p-7',
    '[&,.q-sidebar]:hidden p-7',
    '[&:is(]:m-7 p-7',
    'm-[1px)] p-7',
    'text-[var(--q-accent)] p-7',
    'layer-x:m-7 p-7',
    '[@import_"x"]:m-7 p-7',
    '</style><script> p-7',
    'content-["x"] p-7',
    'quire-dark:m-7 p-7',
    `w-[${'9'.repeat(200)}px] p-7`,
  ])('%s', async (names) => {
    const styles = await stylesOf(names)
    expect(styles).toContain('.p-7{padding:1.75rem}')
    expect(styles).not.toMatch(/position|url\(|body|\.q-sidebar|@layer|@import|<|var\(--q-|script|\.m-7|99999/)
  })

  it('are all below the body', async () => {
    const styles = await stylesOf(
      'p-7 [.q-sidebar_&]:p-1 [&~*]:m-7 [html_&]:m-2 group-hover:p-9 *:p-3 peer-checked:mt-9',
    )
    for (const rule of styles.split('}').filter((text) => text !== ''))
      expect(rule).toMatch(/^:(?:is|where)\(\.q-prose,\.q-head\) /)
  })

  it('are bounded in number and in bytes', async () => {
    const many = await stylesOf(Array.from({ length: 5_000 }, (_, index) => `p-[${index}px]`).join(' '))
    expect(many.match(/\{/g)).toHaveLength(utilityLimits.names)
    const long = Array.from({ length: 400 }, (_, index) => `dark:shadow-[0_0_${index}px_red] rotate-[${index}deg]`)
    expect((await stylesOf(long.join(' '))).length).toBeLessThan(utilityLimits.bytes + 3_000)
  })
})
