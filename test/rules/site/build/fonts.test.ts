import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { brotliCompressSync, constants, deflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { fallbackOf, readMetrics } from '#site/build/font-metrics.ts'
import { TestProject } from '#test/support/site/support/project.ts'

const inter = readFileSync(
  createRequire(import.meta.url).resolve('@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf'),
)

/** Tables of a TrueType font. */
function tablesOf(font: Buffer): [tag: string, bytes: Buffer][] {
  return Array.from({ length: font.readUInt16BE(4) }, (_, index) => {
    const at = 12 + index * 16
    const start = font.readUInt32BE(at + 8)
    return [font.toString('latin1', at, at + 4), font.subarray(start, start + font.readUInt32BE(at + 12))]
  })
}

const base128 = (value: number): number[] =>
  [28, 21, 14, 7, 0]
    .map((shift) => (value >>> shift) & 0x7f)
    .filter((_, index, all) => index === 4 || all.slice(0, index + 1).some((digit) => digit > 0))
    .map((digit, index, all) => (index === all.length - 1 ? digit : digit | 0x80))

/** The same font as WOFF2, nothing of it transformed. */
function asWoff2(font: Buffer): Buffer {
  const tables = tablesOf(font)
  const directory = tables.flatMap(([tag, { length }]) => [
    0x3f | (tag === 'glyf' || tag === 'loca' ? 0xc0 : 0),
    ...Buffer.from(tag, 'latin1'),
    ...base128(length),
  ])
  const params = { [constants.BROTLI_PARAM_QUALITY]: 1 }
  const packed = brotliCompressSync(Buffer.concat(tables.map(([, bytes]) => bytes)), { params })
  const header = Buffer.alloc(48)
  header.write('wOF2', 'latin1')
  header.writeUInt16BE(tables.length, 12)
  header.writeUInt32BE(packed.length, 20)
  return Buffer.concat([header, Buffer.from(directory), packed])
}

/** What packing makes larger stays as it is. */
const smaller = (one: Buffer, other: Buffer): Buffer => (other.length < one.length ? other : one)

/** The same font as WOFF. */
function asWoff(font: Buffer): Buffer {
  const tables = tablesOf(font).map(([tag, bytes]) => ({ tag, bytes, packed: smaller(bytes, deflateSync(bytes)) }))
  const header = Buffer.alloc(44 + tables.length * 20)
  header.write('wOFF', 'latin1')
  header.writeUInt16BE(tables.length, 12)
  let start = header.length
  for (const [index, { tag, bytes, packed }] of tables.entries()) {
    const at = 44 + index * 20
    header.write(tag, at, 'latin1')
    header.writeUInt32BE(start, at + 4)
    header.writeUInt32BE(packed.length, at + 8)
    header.writeUInt32BE(bytes.length, at + 12)
    start += packed.length
  }
  return Buffer.concat([header, ...tables.map(({ packed }) => packed)])
}

const docs = (fonts: unknown) => ({ 'docs.json': JSON.stringify({ fonts }), 'index.mdx': 'text' })
const sheetUrl = (weights: string): string =>
  `https://fonts.googleapis.com/css2?family=Open+Sans:wght@${weights}&display=swap`
const face = (alphabet: string, file: string, weight: string): string =>
  `/* ${alphabet} */\n@font-face {\n  font-family: 'Open Sans';\n  font-style: normal;\n  font-weight: ${weight};\n  src: url(https://fonts.gstatic.com/s/${file}) format('woff2');\n  unicode-range: U+0000-00FF, U+0131;\n}\n`

describe('the metrics of a font', () => {
  it('are the same in each of the forms that a file can have', async () => {
    const metrics = await readMetrics(inter)
    expect(metrics).toMatchObject({ ascent: 0.96875, lineGap: 0, varies: false })
    expect(await readMetrics(asWoff(inter))).toEqual(metrics)
    expect(await readMetrics(asWoff2(inter))).toEqual(metrics)
  })

  it('make a fallback that is as wide and as high', async () => {
    const metrics = await readMetrics(inter)
    if (metrics === undefined) throw new Error('Inter has metrics')
    const adjust = Number(/size-adjust:([\d.]+)%/.exec(fallbackOf(metrics))?.[1])
    expect(adjust).toBeGreaterThan(104)
    expect(adjust).toBeLessThan(112)
  })

  it('are none of what is broken, however it is', async () => {
    for (const bytes of [asWoff2(inter), asWoff(inter), inter]) {
      for (const length of [4, 20, 60, 300]) expect(await readMetrics(bytes.subarray(0, length))).toBeUndefined()
      const wrong = Buffer.from(bytes)
      wrong.fill(0xff, 12, 200)
      expect(await readMetrics(wrong)).toBeUndefined()
    }
  })
})

describe('fonts of a site', () => {
  it('cost nothing where docs.json names none', async () => {
    const project = new TestProject()
    await project.build(docs(undefined))
    expect(project.shell().look).toBeUndefined()
    expect(project.fetched).toEqual([])
  })

  it('are files of the project, at addresses of their content', async () => {
    const project = new TestProject()
    const fonts = { family: 'Kettle', source: '/fonts/kettle.ttf', heading: { family: 'Kettle', weight: 700 } }
    const { warnings } = await project.build({ ...docs(fonts), 'fonts/kettle.ttf': inter })
    const { look } = project.shell()
    expect(warnings.filter(({ rule }) => rule === 'font-missing')).toEqual([])
    expect(look?.fonts).toMatchObject({
      faces: [{ family: 'Kettle', src: expect.stringMatching(/^\/_quire\/fonts\/[\da-f]{20}\.ttf$/), weight: '400' }],
      body: { family: 'Kettle' },
    })
    const route = project.last?.routes[look?.fonts?.faces[0]?.src ?? '']
    expect(route).toMatchObject({ kind: 'file', size: inter.length, type: 'font/ttf', hashed: true })
  })

  it('are copied from where docs.json says, once', async () => {
    const project = new TestProject()
    const source = 'https://cdn.example/kettle.woff2'
    project.remote.set(source, asWoff2(inter))
    await project.build(docs({ family: 'Kettle', source }))
    project.remote.clear()
    project.newBuilder()
    const { warnings } = await project.build({ ...docs({ family: 'Kettle', source }), 'two.mdx': 'more' })
    expect(project.fetched).toEqual([source])
    expect(project.shell().look?.fonts?.faces).toHaveLength(1)
    expect(warnings.filter(({ rule }) => rule === 'font-missing')).toEqual([])
  })

  it('are the same for checks, in which everything seems to be stored and nothing is', async () => {
    const project = new TestProject()
    const source = 'https://cdn.example/kettle.woff2'
    project.remote.set(source, asWoff2(inter))
    const fonts = { body: { family: 'Kettle', source }, heading: { family: 'Pot', source: '/pot.ttf' } }
    for (let check = 0; check < 2; check++) {
      const changes = { trial: true, has: () => true } as const
      const { warnings } = await project.build({ ...docs(fonts), 'pot.ttf': inter }, changes)
      expect(warnings.filter(({ rule }) => rule === 'font-missing')).toEqual([])
    }
  })

  it('are families of Google by their name: all of their alphabets, and readers ask nobody else', async () => {
    const project = new TestProject()
    const sheet = face('cyrillic', 'opensans/c.woff2', '400 700') + face('latin', 'opensans/l.woff2', '400 700')
    project.remote.set(sheetUrl('400..700'), Buffer.from(sheet))
    for (const file of ['c', 'l'])
      project.remote.set(
        `https://fonts.gstatic.com/s/opensans/${file}.woff2`,
        Buffer.concat([asWoff2(inter), Buffer.from(file)]),
      )
    await project.build(docs({ family: 'Open Sans' }))
    const fonts = project.shell().look?.fonts
    expect(fonts?.faces).toMatchObject([
      { family: 'Open Sans', weight: '400 700', range: 'U+0000-00FF, U+0131', format: 'woff2' },
      { family: 'Open Sans', weight: '400 700' },
    ])
    // What most pages are written with comes first, and is asked for before the style is read.
    expect(fonts?.preload).toEqual([fonts?.faces[0]?.src])
    expect(project.fetched[1]).toContain('/l.woff2')
    expect(JSON.stringify(project.shell())).not.toContain('gstatic')
  })

  it('of a family that does not vary are its single weights', async () => {
    const project = new TestProject()
    project.remote.set(
      sheetUrl('400;700'),
      Buffer.from(face('latin', 'a.woff2', '400') + face('latin', 'b.woff2', '700')),
    )
    project.remote.set('https://fonts.gstatic.com/s/a.woff2', asWoff2(inter))
    project.remote.set('https://fonts.gstatic.com/s/b.woff2', Buffer.concat([asWoff2(inter), Buffer.from('b')]))
    await project.build(docs({ family: 'Open Sans' }))
    expect(project.fetched.slice(0, 3)).toEqual(['400..700', '400;500;600;700', '400;700'].map(sheetUrl))
    expect(project.shell().look?.fonts?.faces.map(({ weight }) => weight)).toEqual(['400', '700'])
  })

  it('that cannot be had are a warning with its place, and pages have those of the system', async () => {
    const project = new TestProject()
    const fonts = {
      family: 'None',
      body: { family: 'Page', source: '/index.mdx' },
      heading: { family: 'Gone', source: '/gone.woff2' },
    }
    const { warnings, errors } = await project.build(docs(fonts))
    expect(errors).toEqual([])
    expect(warnings.filter(({ rule }) => rule === 'font-missing')).toMatchObject([
      { pointer: '/fonts/body/source', message: expect.stringContaining('has no file "index.mdx"') },
      { pointer: '/fonts/heading/source', message: expect.stringContaining('has no file "gone.woff2"') },
    ])
    expect(project.shell().look).toBeUndefined()
  })

  it('that are none are not published as such', async () => {
    const project = new TestProject()
    project.remote.set('https://cdn.example/x.woff2', Buffer.from('<script>alert(1)</script>'))
    const { warnings } = await project.build(docs({ family: 'X', source: 'https://cdn.example/x.woff2' }))
    expect(warnings).toMatchObject([
      { rule: 'font-missing', message: expect.stringContaining('no font that browsers read') },
    ])
    expect(Object.keys(project.last?.routes ?? {}).filter((path) => path.includes('fonts'))).toEqual([])
  })

  it('have names that no style can be broken with', async () => {
    const project = new TestProject()
    const { errors } = await project.build(docs({ family: 'a"}body{display:none' }))
    expect(errors).toMatchObject([{ rule: 'setting-invalid', pointer: '/fonts/family' }])
  })
})
