import { describe, expect, it } from 'vitest'
import { TestProject } from '#test/support/site/support/project.ts'

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
      'a.js': 'const s = document.createElement("script")\ns.src = "https://widget.example/w.js"\nnew Function("1")()',
      'b.js': 'const s = document.createElement("script")\ns.src = "/mine.js"',
    }
    for (const _ of [1, 2]) {
      const { warnings } = await project.build(files)
      expect(warnings.map(({ path, line, rule }) => [path, line, rule])).toEqual([
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

  it('do not become many times as large by addresses of a file deep in folders', async () => {
    const project = new TestProject()
    const folder = Array.from({ length: 5 }, () => 'ä'.repeat(100)).join('/')
    const text = 'a{b:url(c)}\n'.repeat(40_000)
    const { warnings } = await project.build({ ...page, [`${folder}/a.css`]: text })
    const css = project.text(project.shell().own?.styles[0] ?? '') ?? ''
    expect(css.length).toBeLessThan(1024 * 1024 + 10_000)
    expect(css).toMatch(/^a\{b:url\(\/%C3%A4.*a\{b:url\(c\)\}\n$/s)
    expect(warnings).toEqual([
      expect.objectContaining({ rule: 'file-unpublished', message: expect.stringContaining('more than 1024 kB') }),
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

const font = (name: string): Buffer => Buffer.from(`wOF2 ${name}`)
const at = (project: TestProject, href: string | undefined): string => project.text(href ?? '') ?? ''
const urlIn = (text: string): string => /url\("?([^")]*)/.exec(text)?.[1] ?? ''

describe('style sheets and fonts of other hosts, in style sheets of a site', () => {
  const sheet = 'https://fonts.example/css2?family=Kettle:wght@400;700&display=swap'
  const files = { ...page, 'css/a.css': `@import url("${sheet}") screen;\nbody { font-family: Kettle }` }

  it('are copied: readers ask the site alone', async () => {
    const project = new TestProject()
    project.remote.set(
      sheet,
      Buffer.from('@font-face { src: url(//cdn.example/k.woff2) format("woff2") } i { background: url(../dots.png) }'),
    )
    project.remote.set('https://cdn.example/k.woff2', font('k'))
    const { warnings } = await project.build(files)
    expect(warnings).toEqual([])
    const own = at(project, project.shell().own?.styles[0])
    expect(own).toMatch(/^@import url\("\/_quire\/own\/[\da-f]{20}\.css"\) screen;\nbody \{ font-family: Kettle \}$/)
    const imported = at(project, urlIn(own))
    expect(imported).toMatch(
      /^@font-face \{ src: url\(\/_quire\/fonts\/[\da-f]{20}\.woff2\) format\("woff2"\) \} i \{ background: url\(https:\/\/fonts\.example\/dots\.png\) \}$/,
    )
    expect(project.last?.routes[urlIn(imported)]).toMatchObject({ type: 'font/woff2', hashed: true })
    expect(at(project, urlIn(imported))).toBe('wOF2 k')
    expect(project.shell().own?.styles).toHaveLength(1)
  })

  it('are copied once, also after a restart, and stay with what names them', async () => {
    const project = new TestProject()
    project.remote.set('https://cdn.example/k.woff2', font('k'))
    const own = { ...page, 'a.css': '@font-face { src: url("https://cdn.example/k.woff2") }' }
    await project.build(own)
    const copy = urlIn(at(project, project.shell().own?.styles[0]))
    await project.build({ ...own, 'index.mdx': '# Other' })
    expect(project.last?.routes).toHaveProperty([copy])
    project.newBuilder()
    await project.build({ ...own, 'a.css': 'b {} @font-face { src: url("https://cdn.example/k.woff2") }' })
    expect(project.last?.routes).toHaveProperty([copy])
    expect(project.fetched).toEqual(['https://cdn.example/k.woff2'])
    await project.build(page)
    expect(project.last?.routes).not.toHaveProperty([copy])
    expect(Object.keys(project.last?.assets ?? {})).toEqual([])
  })

  it('are left out with a warning where they cannot be had, tried again, and hold nothing else up', async () => {
    const project = new TestProject()
    const text = `@import url("${sheet}");\n@font-face { src: url(https://cdn.example/k.eot), url(https://cdn.example/k.woff) }\nb {}`
    const told = async () =>
      (await project.build({ ...page, 'a.css': text })).warnings.map(({ path, line, rule, message }) => [
        [path, line, rule].join(' '),
        message,
      ])
    expect(await told()).toEqual([
      ['a.css 1 script-remote', expect.stringMatching(/^The style sheet .* is left out: fonts\.example answers/)],
      ['a.css 2 script-remote', expect.stringMatching(/^The font .* is left out: cdn\.example answers/)],
    ])
    expect(at(project, project.shell().own?.styles[0])).toBe(text)
    project.remote.set(sheet, Buffer.from('@import "more.css"; a {}'))
    project.remote.set('https://cdn.example/k.woff', Buffer.from('wOFF k'))
    expect(await told()).toEqual([
      [
        'a.css 1 script-remote',
        expect.stringMatching(/imports further ones: "https:\/\/fonts\.example\/more\.css" is left out/),
      ],
    ])
    expect(at(project, project.shell().own?.styles[0])).toMatch(
      /^@import url\("\/_quire\/own\/.*url\(https:\/\/cdn\.example\/k\.eot\), url\(\/_quire\/fonts\/[\da-f]{20}\.woff\)/s,
    )
  })

  it('are copied as far as there is room for them, Latin letters first', async () => {
    const project = new TestProject()
    const face = (index: number, alphabet: string) =>
      `/* ${alphabet} */\n@font-face { src: url(https://cdn.example/${index}.woff2) }\n`
    const faces = Array.from({ length: 130 }, (_, index) => face(index, `[${index}]`)).join('') + face(500, 'latin')
    for (const index of [...Array(130).keys(), 500])
      project.remote.set(`https://cdn.example/${index}.woff2`, font(`${index}`))
    const imports = Array.from({ length: 5000 }, (_, index) => `@import "https://cdn.example/${index}.css";`).join('')
    const { warnings } = await project.build({ ...page, 'a.css': faces, 'b.css': imports })
    expect(project.fetched.filter((url) => url.endsWith('.woff2'))).toHaveLength(120)
    expect(project.fetched[0]).toBe('https://cdn.example/500.woff2')
    expect(project.fetched).toHaveLength(128)
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining('120 files are copied; 11 more are left out'),
      expect.stringContaining('is left out'),
    ])
  })

  it('are below the base path of the site, as its own files are', async () => {
    const project = new TestProject()
    project.remote.set('https://cdn.example/k.woff2', font('k'))
    const own = {
      ...page,
      'a.css': 'b { background: url(x.png) } @font-face { src: url(https://cdn.example/k.woff2) }',
    }
    await project.build(own)
    await project.build({ ...own, 'docs.json': JSON.stringify({ ...JSON.parse(docs), basePath: '/docs' }) })
    expect(at(project, project.shell().own?.styles[0])).toMatch(
      /^b \{ background: url\(\/docs\/x\.png\) \} @font-face \{ src: url\(\/docs\/_quire\/fonts\//,
    )
  })
})
