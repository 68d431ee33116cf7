import { describe, expect, it } from 'vitest'
import { TestProject } from '../support/project.ts'

const docs = JSON.stringify({ name: 'Docs', navigation: { pages: ['index'] } })
const page = { 'docs.json': docs, 'index.mdx': '# Home\n\nWords.\n' }

describe('style sheets and scripts of a site', () => {
  it('are on each page, by names of their content and in the order of their paths', async () => {
    const project = new TestProject()
    const { warnings } = await project.build({
      ...page,
      'style.css': 'a { color: red }',
      'css/a.css': '@import "./b.css"; b { background: url(../img/x.png) } c { src: url("/f.woff2") }',
      'img/x.png': 'x',
      'z.js': 'window.z = 1',
      'a.js': 'window.a = 1',
    })
    expect(warnings).toEqual([])
    const { own } = project.shell()
    expect(own?.styles.map((href) => project.text(href))).toEqual([
      '@import "/css/b.css"; b { background: url(/img/x.png) } c { src: url("/f.woff2") }',
      'a { color: red }',
    ])
    expect(own?.scripts.map((href) => project.text(href))).toEqual(['window.a = 1', 'window.z = 1'])
    expect(own?.scripts[0]).toMatch(/^\/_quire\/own\/[\da-f]{20}\.js$/)
    expect(project.last?.routes[own?.styles[0] ?? '']).toMatchObject({
      type: 'text/css; charset=utf-8',
      immutable: true,
    })
  })

  it('are none of a site without them, nor of a folder without docs.json', async () => {
    const project = new TestProject()
    await project.build(page)
    expect(project.shell().own).toBeUndefined()
    await project.build({ 'index.md': '# Home', 'src/main.js': 'process.exit()', 'src/a.css': 'a{}' })
    expect(project.shell().own).toBeUndefined()
  })

  it('are neither code of components nor settings of tools', async () => {
    const project = new TestProject()
    await project.build({
      ...page,
      'snippets/x.js': 'window.x = 1',
      'lib/y.js': 'export const y = 1',
      'tailwind.config.js': 'module.exports = {}',
      'node_modules/p/i.js': 'window.i = 1',
      'lib/Card.jsx': 'export const Card = () => null',
    })
    expect(project.shell().own).toBeUndefined()
  })

  it('change the document, and no page', async () => {
    const project = new TestProject()
    await project.build({ ...page, 'style.css': 'a { color: red }' })
    const before = project.shell().own
    const { pages } = await project.build({ ...page, 'style.css': 'a { color: blue }' })
    expect(pages).toMatchObject({ built: 0, reused: 1 })
    expect(project.shell().own?.styles).not.toEqual(before?.styles)
    expect(project.text(project.shell().own?.styles[0] ?? '')).toBe('a { color: blue }')
    await project.build({ ...page, 'style.css': 'a { color: blue }' })
    expect(project.reads).toEqual([])
    await project.build(page)
    expect(project.shell().own).toBeUndefined()
  })

  it('are told of what browsers will refuse, with the line, as often as they are built', async () => {
    const project = new TestProject()
    const files = {
      ...page,
      'a.css': '\n@import url("https://fonts.example/css");\n@font-face { src: url(https://cdn.example/f.woff2) }',
      'a.js': 'const s = document.createElement("script")\ns.src = "https://widget.example/w.js"\nnew Function("1")()',
      'b.js': 'const s = document.createElement("script")\ns.src = "/mine.js"',
    }
    for (const _ of [1, 2]) {
      const { warnings } = await project.build(files)
      expect(warnings.map(({ path, line, rule }) => [path, line, rule])).toEqual([
        ['a.css', 2, 'script-remote'],
        ['a.css', 3, 'script-remote'],
        ['a.js', 1, 'script-remote'],
        ['a.js', 3, 'script-remote'],
      ])
    }
  })

  it('are left out where they are too large or too many, and told', async () => {
    const project = new TestProject()
    const many = Object.fromEntries(
      Array.from({ length: 45 }, (_, index) => [`s/${String(index).padStart(2, '0')}.css`, `a${index}{}`]),
    )
    const { warnings } = await project.build({ ...page, ...many, 'a.js': 'x'.repeat(600 * 1024) })
    expect(project.shell().own).toMatchObject({ styles: { length: 39 }, scripts: [] })
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^Pages have at most 40 .*; 6 more are left out: s\/39\.css/),
      expect.stringMatching(/^The file has 600 kB/),
    ])
  })

  it('may hold any text', async () => {
    const project = new TestProject()
    const hard = [
      'url('.repeat(100_000),
      '@import '.repeat(50_000),
      '@font-face {'.repeat(40_000),
      'url(a)'.repeat(80_000),
      'createElement('.repeat(30_000),
    ]
    const files = Object.fromEntries(
      hard.flatMap((text, index) => [
        [`h${index}.css`, text],
        [`h${index}.js`, text],
      ]),
    )
    expect((await project.build({ ...page, ...files })).errors).toEqual([])
  })
})
