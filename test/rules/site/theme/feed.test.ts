import { describe, expect, it } from 'vitest'
import { interfaceLanguage } from '#site/languages.ts'
import { createComposer } from '#site/theme/composer.tsx'
import { writtenDate } from '#site/theme/document/written-date.ts'
import { atOnce } from '#test/support/at-once.ts'
import { render } from '#test/support/site/mdx/render-text.ts'
import { bytes, sampleOptions, sampleShell } from '#test/support/site/theme/sample.ts'

const shell = atOnce(createComposer(sampleOptions).open(bytes(sampleShell())))

async function feed(source: string, about: { tags?: readonly string[]; updated?: number } = {}): Promise<string> {
  const { artifact } = await render(`---\ntitle: What is new\n---\n\n${source}`)
  return shell.feed(bytes(artifact), '/what is/new', { tags: [], ...about })
}

/** What stands in the elements of a name. */
const all = (xml: string, name: string): readonly string[] =>
  [...xml.matchAll(new RegExp(`<${name}(?: [^>]*)?>([^<]*)</${name}>`, 'g'))].map(([, text = '']) => text)

const updates = `<Update label="5 November 2026" description="v2.1.0" tags={["API", "CLI"]}>
  ## Faster builds

  See [here](#other) and [there](/guide "x"). <img src="/a b.png" alt="A" />

  <Tabs><Tab title="One">1</Tab><Tab title="Two">2</Tab></Tabs>
</Update>

<Update label="October" tags={["API"]} rss={{ title: "Own <title>", description: "Own & words" }}>
  <Card title="a" />
</Update>

<Update label="Other">Text</Update>`

describe('the feed of a page', () => {
  it('has an entry for each update: title, place, day, tags, content that stands by itself', async () => {
    const xml = await feed(updates, { updated: 1_793_000_000 })
    expect(all(xml, 'title')).toEqual(['What is new - Quire', '5 November 2026 (v2.1.0)', 'Own &#x3C;title>', 'Other'])
    const place = 'https://docs.example.com/what%20is/new'
    expect(all(xml, 'link')).toEqual([place, ...['5-november-2026', 'october', 'other'].map((id) => `${place}#${id}`)])
    expect(xml).toContain(`rel="self" type="application/rss+xml" href="${place}/rss.xml"`)
    expect(all(xml, 'guid')).toEqual(all(xml, 'link').slice(1))
    expect(all(xml, 'pubDate')).toEqual(['Thu, 05 Nov 2026 00:00:00 GMT'])
    expect(all(xml, 'category')).toEqual(['API', 'CLI', 'API'])
    expect(all(xml, 'lastBuildDate')).toEqual([new Date(1_793_000_000_000).toUTCString()])
    const [first = '', second, third] = all(xml, 'content:encoded')
    for (const part of [
      `href="${place}#other"`,
      'href="https://docs.example.com/guide"',
      'src="https://docs.example.com/a%20b.png"',
    ])
      expect(first).toContain(part)
    for (const part of ['Faster builds', '>1&#x3C;', '>2&#x3C;']) expect(first).toContain(part)
    expect(first).not.toContain('q-heading-anchor')
    expect(second).toContain('q-card')
    expect(third).toBe('Text')
    expect(all(xml, 'description').slice(2)).toEqual(['Own &#x26;amp; words', 'Text'])
  })

  it('has those of all wanted tags alone', async () => {
    const titles = async (...tags: string[]) => all(await feed(updates, { tags }), 'title').slice(1)
    expect(await titles('API')).toHaveLength(2)
    expect(await titles('API', 'CLI')).toHaveLength(1)
    expect(await titles('none')).toEqual([])
  })

  it('knows an update of a label that others have by itself, also when one is added before it', async () => {
    const entry = (text: string) => `<Update label="May" description="${text}">${text}</Update>\n\n`
    const ids = async (...texts: string[]) => all(await feed(texts.map(entry).join('')), 'guid')
    const before = await ids('b', 'a', 'a')
    expect(new Set(before).size).toBe(3)
    expect(await ids('a', 'b', 'a', 'a')).toEqual([expect.stringMatching(/^urn:sha256:/), ...before])
  })

  it('leaves out what is not shown, and tells of fifty at most', async () => {
    expect(
      all(
        await feed(
          '<Visibility for="agents"><Update label="A">a</Update></Visibility>\n\n<Update label="B">b</Update>',
        ),
        'title',
      ),
    ).toEqual(['What is new - Quire', 'B'])
    expect(
      all(await feed(Array.from({ length: 60 }, (_, n) => `<Update label="u${n}">x</Update>`).join('\n\n')), 'guid'),
    ).toHaveLength(50)
  })

  it('takes no section of the author for an update, and is soon done with many', async () => {
    const forged = '<section className="q-update" id="a">forged</section>\n\n'
    const xml = await feed(`${forged.repeat(2_000)}<Update label="A">real</Update>\n\n${forged}`)
    expect(all(xml, 'content:encoded')).toEqual(['real'])
  })

  it('is well-formed whatever an update says', async () => {
    const hostile = `<Update label={"]]> <b>&\\u0007"} description="</title>" tags={["<x>"]} rss={{ title: 7, description: ["x"] }}>\n{"]]>"} <section>a</section>\n</Update>`
    const xml = await feed(hostile)
    expect(all(xml, 'category')).toEqual(['&#x3C;x>'])
    expect(xml).not.toContain(']]>')
    expect(all(xml, 'content:encoded')[0]).toContain('&#x3C;section>a&#x3C;/section>')
  })
})

describe('a page with updates', () => {
  it('leads to its feed: programs always, readers where its front matter says so', async () => {
    const page = async (front: string) => {
      const { artifact, summary } = await render(`---\ntitle: New\n${front}---\n\n${updates}`)
      return { html: shell.page(bytes(artifact), '/new').html, summary }
    }
    const { html, summary } = await page('')
    expect(summary.updates).toBe(true)
    expect(html).toContain('<link rel="alternate" type="application/rss+xml" title="New" href="/new/rss.xml">')
    expect(html).not.toContain('class="q-feed"')
    expect((await page('rss: true\n')).html).toContain(
      '<a class="q-feed" href="/new/rss.xml" type="application/rss+xml">',
    )
  })

  it('needs some', async () => {
    const { artifact, summary } = await render('---\nrss: true\n---\n\nNothing')
    expect([artifact.rss, artifact.updates, summary.updates]).toEqual([undefined, undefined, undefined])
    expect(shell.page(bytes(artifact), '/new').html).not.toContain('rss')
  })
})

describe('a day in a label', () => {
  it.each([
    ['2026-11-05', '2026-11-05'],
    ['v2.0 (2026/1/9)', '2026-01-09'],
    ['2026-11', '2026-11-01'],
    ['November 5th, 2026', '2026-11-05'],
    ['Week of Nov 3, 2026', '2026-11-03'],
    ['5 Nov. 2026', '2026-11-05'],
    ['3rd of March 2026', '2026-03-03'],
    ['March 2026', '2026-03-01'],
    ['2026年11月5日', '2026-11-05', 'ja'],
    ['5 de marzo de 2026', '2026-03-05', 'es'],
    ['1. März 2026', '2026-03-01', 'de'],
    ['5 марта 2026 г.', '2026-03-05', 'ru'],
    ['March 2026', '2026-03-01', 'de'],
  ])('%s is %s', (text, day, lang = 'en') => {
    expect(writtenDate(text, interfaceLanguage(lang))?.toISOString().slice(0, 10)).toBe(day)
  })

  it.each(['v2.1.0', 'March', 'Q1 2026', '2026', '2026-13-01', 'February 30, 2026', 'May 1850', '12345-11-05', ''])(
    '%j is none',
    (text) => {
      expect(writtenDate(text, 'en')).toBeUndefined()
    },
  )
})
