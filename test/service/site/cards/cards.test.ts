import { createServer } from 'node:http'
import imageSize from 'image-size'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Card } from '#contract/release.ts'
import { CardPainter } from '#site/cards/painter.ts'
import { CardPress } from '#site/cards/draw.ts'
import { createComposer } from '#site/theme/composer.tsx'
import { cardColors } from '#site/theme/document/colors.ts'
import { openHosting, listen, send } from '#test/support/hosting/support.ts'
import { makeRelease } from '#test/support/hosting/support-release.ts'
import { inDepth } from '#test/support/depth.ts'
import { atOnce } from '#test/support/at-once.ts'
import { bytes, sampleArtifact, sampleOptions, sampleShell } from '#test/support/site/theme/sample.ts'

const card: Card = {
  name: 'n',
  title: 'Getting started',
  description: 'From a folder to a live site.',
  section: 'Guides',
  site: 'Acme Docs',
  colors: cardColors({ primary: '#facc15' }, 'light'),
}

const opened = (shell = sampleShell({ cards: 'light' })) => atOnce(createComposer(sampleOptions).open(bytes(shell)))
const page = (shell = sampleShell({ cards: 'light' }), artifact = sampleArtifact(), context = {}) =>
  opened(shell).page(bytes(artifact), '/guide/a b', { source: 'guide/a b.mdx', ...context }).html
const picture = /<meta property="og:image" content="([^"]*)">/

describe('what a card shows', () => {
  let press: CardPress
  beforeAll(async () => {
    press = await CardPress.open()
  })
  const texts = (shown: Partial<Card>): string[] =>
    [...press.svg({ ...card, ...shown }).matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, text = '']) => text)

  it('is the site, the section, the title and what the page is about', () => {
    expect(texts({})).toEqual(['Acme Docs', 'Guides', 'Getting started', 'From a folder to a live site.'])
    expect(texts({ title: 'Début — Łódź, Ελλάδα, Начало, Việt' }).join(' ')).toContain('Łódź, Ελλάδα, Начало, Việt')
  })

  it('is text, whatever stands in it', () => {
    const title = '`a` <b> & "c"</text><script>\u0000\u202e'
    expect(texts({ title }).join(' ')).toContain('a &lt;b&gt; &amp; &quot;c&quot;&lt;/text&gt;&lt;script&gt;')
  })

  it('is cut where there is no more room, also within a word', () => {
    const many = texts({ title: 'words and more '.repeat(40), description: 'x'.repeat(1000) })
    expect(many).toHaveLength(7)
    expect(many[4]).toMatch(/…$/)
    expect(many[6]).toMatch(/^x+…$/)
  })

  it('has no boxes: pictograms are left out, and of a title in another script there is the site alone', () => {
    expect(texts({ title: '🚀 Launch 👩🏽‍💻 day 1️⃣' })).toContain('Launch day 1')
    expect(texts({ title: '快速入门' })).toEqual(['Acme Docs'])
    expect(texts({ title: 'البدء', site: '文档' })).toEqual([])
    expect(texts({ section: '指南', description: '安装' })).toEqual(['Acme Docs', 'Getting started'])
  })

  it('can be read on its ground, however pale the colour of the site is', () => {
    for (const primary of ['#facc15', '#ffffff', '#000000', '#0f766e'])
      for (const scheme of ['light', 'dark'] as const) {
        const { ground, ink, muted, accent } = cardColors({ primary }, scheme)
        for (const color of [ink, muted, accent]) expect(contrast(color, ground)).toBeGreaterThanOrEqual(4.5)
      }
  })
})

describe('the card of a page', () => {
  it('is named by its document, with its size and what it says', () => {
    const html = page()
    const [, url = ''] = picture.exec(html) ?? []
    expect(url).toMatch(/^https:\/\/docs\.example\.com\/_quire\/og\/[0-9a-f]{32}\/guide\/a%20b\.png$/)
    expect(html).toContain('<meta property="og:image:width" content="1200">')
    expect(html).toContain('<meta property="og:image:height" content="630">')
    expect(html).toContain('<meta property="og:image:alt" content="Quickstart">')
    expect(html).toContain('<meta name="twitter:card" content="summary_large_image">')
    const changed = picture.exec(page(undefined, sampleArtifact({ title: 'Another' })))
    expect(changed?.[1]).not.toBe(url)
  })

  it('is not there where its author chose a picture, or none, nor where few may see the page', () => {
    const own = sampleArtifact({ metatags: [['og:image', '/own.png']] })
    expect(picture.exec(page(undefined, own))?.[1]).toBe('https://docs.example.com/own.png')
    expect(opened().card(bytes(own), '/guide/a b')).toBeNull()
    for (const html of [
      page(sampleShell()),
      page(undefined, sampleArtifact({ noindex: true })),
      page(undefined, undefined, { preview: 'r1' }),
      page(undefined, undefined, { source: undefined }),
    ])
      expect(html).not.toMatch(picture)
    expect(page(sampleShell({ cards: 'light', metatags: [['og:image', '/site.png']] }))).not.toContain('/_quire/og/')
  })

  it('is drawn when it is asked for by its name, once, and nothing else is', async () => {
    const drawn: Card[] = []
    const { hosting } = await openHosting({
      composer: createComposer(sampleOptions),
      drawCard: async (_project, asked) => {
        drawn.push(asked)
        return Buffer.from('a picture')
      },
    })
    const shell = JSON.stringify(sampleShell({ cards: 'dark' }))
    const artifact = JSON.stringify(sampleArtifact())
    const { release, blobs } = makeRelease({ shell, pages: { '/': artifact, '/guide/a b': artifact } })
    await (await hosting.open('docs')).publish(release, blobs)
    const site = { project: 'docs', release: release.id, preview: false }
    const port = await listen(createServer((req, res) => hosting.respond(req, res, site)))
    const get = (path: string, headers = {}) => send(port, { path, headers, method: 'GET' })
    const [, url = ''] = picture.exec((await get('/guide/a%20b')).text) ?? []
    const { pathname } = new URL(url)
    const answers = await Promise.all([get(pathname), get(pathname)])
    for (const answer of answers)
      expect(answer).toMatchObject({
        status: 200,
        text: 'a picture',
        headers: { 'content-type': 'image/png', 'cache-control': 'public, max-age=31536000, immutable' },
      })
    expect((await get(pathname, { 'if-none-match': String(answers[0]?.headers['etag']) })).status).toBe(304)
    const [, , , name = ''] = pathname.split('/')
    for (const other of [
      pathname.replace(name, '0'.repeat(32)),
      pathname.replace('a%20b', 'none'),
      `/_quire/og/${name}.png`,
      `/_quire/og/${name}/.png`,
      `/_quire/og/${name}/guide/a%20b.md`,
    ])
      expect([other, (await get(other)).status]).toEqual([other, 404])
    expect(drawn.map(({ title }) => title)).toEqual(['Quickstart'])
    const [, home = ''] = picture.exec((await get('/')).text) ?? []
    expect((await get(new URL(home).pathname)).status).toBe(200)
  })
})

describe('what draws', () => {
  inDepth('ends a child that takes too long', async () => {
    const painter = new CardPainter({ ownerOf: (project) => project, patienceMs: 1 })
    onTestFinished(() => painter.close())
    await expect(painter.draw('docs', card)).rejects.toThrow('took too long')
    await expect(painter.draw('docs', card)).rejects.toThrow('took too long')
  })

  inDepth('refuses an owner of whom many wait', async () => {
    const painter = new CardPainter({ ownerOf: (project) => project })
    onTestFinished(() => painter.close())
    const waiting = Array.from({ length: 30 }, () => painter.draw('docs', card))
    const others = painter.draw('other', card)
    const settled = await Promise.allSettled(waiting)
    const refused = settled.filter(({ status }) => status === 'rejected')
    expect(refused.length).toBeGreaterThan(0)
    for (const { reason } of refused as PromiseRejectedResult[]) expect(reason).toMatchObject({ code: 'unavailable' })
    expect((await others).length).toBeGreaterThan(1000)
  })

  it('goes on after a child that ended, with a picture of the size that pages say', async () => {
    const painter = new CardPainter({ ownerOf: (project) => project })
    onTestFinished(() => painter.close())
    const broken = painter.draw('docs', { ...card, title: 7 as unknown as string })
    await expect(broken).rejects.toThrow('could not be drawn')
    const png = await painter.draw('docs', card)
    expect(imageSize(png)).toMatchObject({ width: 1200, height: 630, type: 'png' })
  })
})

function contrast(one: string, other: string): number {
  const light = (color: string): number => {
    const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
      const share = Number.parseInt(color.slice(at, at + 2), 16) / 255
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const [high = 0, low = 0] = [light(one), light(other)].sort((a, b) => b - a)
  return (high + 0.05) / (low + 0.05)
}
