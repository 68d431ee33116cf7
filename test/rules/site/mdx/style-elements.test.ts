import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { styleLimits, styleRules } from '#site/mdx/style-elements.ts'
import { render } from '#test/support/site/mdx/render-text.ts'

const below = ':is(.q-prose,.q-head)'
const page = (css: string): string => `<div className="card">a</div>\n\n<style>{\`${css}\`}</style>\n`

describe('<style> in a page', () => {
  it('gives rules below its body, also those of media, states and dark pages', async () => {
    const { artifact, summary } = await render(
      page(`
        /* of cards */
        .card:hover, .card > b { --lift: 4px; filter: drop-shadow(0 8px 12px #222a350d); color: red !important }
        @media (hover: hover) and (pointer: fine) { .card::after { content: "→" } }
        .dark .card { color: white }
        :root { --ink: blue }
      `),
    )
    expect(summary.warnings).toEqual([])
    expect(artifact.html).not.toContain('style')
    expect(artifact.styles).toBe(
      `${below} .card:hover{--lift:4px;filter:drop-shadow(0 8px 12px #222a350d);color:red !important}` +
        `${below} .card > b{--lift:4px;filter:drop-shadow(0 8px 12px #222a350d);color:red !important}` +
        `@media (hover: hover) and (pointer: fine){${below} .card::after{content:"→"}}` +
        `:root[data-theme=dark] ${below} .card{color:white}` +
        `@media (prefers-color-scheme:dark){:root:not([data-theme]) ${below} .card{color:white}}` +
        `${below}{--ink:blue}`,
    )
  })

  it('stands after utility classes, once however often a component has it', async () => {
    const { artifact } = await render(
      'export const Card = () => <div className="px-7"><style>{`.a { color: red }`}</style></div>\n\n<Card />\n\n<Card />\n',
    )
    expect(artifact.styles).toMatch(/\.px-7\{[^}]*\}:is\(\.q-prose,\.q-head\) \.a\{color:red\}$/)
  })

  it('is told of what may not be in pages, and where that has its place', async () => {
    const { summary, artifact } = await render(
      page(
        '@keyframes spin { to { rotate: 1turn } } .a { animation: spin 1s; top: 0; position: fixed } + nav { top: 0 }',
      ),
    )
    expect(artifact.styles).toBe(`${below} .a{top:0}`)
    expect(summary.warnings).toEqual([
      {
        path: 'guide/page.mdx',
        line: 3,
        column: 1,
        rule: 'element-refused',
        message:
          'Of <style>, `@keyframes`, `animation`, `position` may not be in pages; put it into a style sheet of the project, such as style.css.',
      },
    ])
  })

  it('keeps so much of a page, and tells of the rest', async () => {
    const long = Array.from({ length: 900 }, (_, index) => `.a${index} { color: red }`).join('\n')
    const { artifact, summary } = await render(`${page('.b { color: red }')}\n${page(long)}`)
    expect(artifact.styles).toBe(`${below} .b{color:red}`)
    expect(summary.warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining(`more than ${styleLimits.kept} characters`),
    ])
  })

  it.each([
    '.a { background: url(https://elsewhere.example/x.png) }',
    '.a { position: fixed }',
    '@import "x.css";',
    '@font-face { font-family: x; src: url(y) }',
    'nav, + .q-side { color: red }',
    '.a { color: re\\64 } ',
    '.a</style><script>x</script> { color: red }',
    '@media (width < 600px) { .a { color: red } }',
    '.a { .b { color: red } }',
    '.a:is( { color: red }',
    '.a { color: "',
    '.a { --q-bg: red }',
  ])('lets nothing of %s out of the page', (css) => {
    const written = styleRules(css).css
    expect(written === '' || written === `${below} .a{color:red}`).toBe(true)
    expect(styleRules(css).dropped.size).toBeGreaterThan(0)
  })

  it('writes only rules that begin below the body, whatever it reads', () => {
    const text = `.a { } ; : color red " ' ( ) [ ] , + > * \\ /* */ @media (x) < url( .dark :root @ & |`
    const word = fc.constantFrom(' ', '\n', ...text.split(' '))
    fc.assert(
      fc.property(fc.array(word, { maxLength: 40 }), (words) => {
        const { css } = styleRules(words.join(''))
        expect(css).not.toMatch(/[<\\]|url\(/)
        const rules = css.split('}').filter((rule) => rule !== '')
        for (const rule of rules)
          expect(rule).toMatch(
            /^(?:@(?:media|supports|container) [^{}]*\{)*(?::root(?:\[data-theme=dark\]|:not\(\[data-theme\]\)) )?:is\(\.q-prose,\.q-head\)(?: [^{}+>~][^{}]*)?\{[^{}]*$/,
          )
      }),
    )
  })

  it('takes time of its length', () => {
    for (const text of ['{', '}', '/*', '.a{', '@media x{', '(', '"', '.a,', 'a;', '.a{b:c;'])
      expect(styleRules(text.repeat(50_000)).css.length).toBeLessThan(100)
  })
})
