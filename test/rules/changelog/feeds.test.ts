import Parser from 'rss-parser'
import { SaxesParser } from 'saxes'
import { describe, expect, it } from 'vitest'
import { renderAtom, renderJsonFeed, renderRss } from '#lib/feeds.ts'
import { feedEntry, nastyEntries, source } from './feed-support.ts'

const written = '👩‍👩‍👧‍👦 für 漢字'

/** As a reader reads it, after a parser that forgives nothing has. */
function read(xml: string) {
  const strict = new SaxesParser({ xmlns: true })
  strict.on('error', (error) => {
    throw error
  })
  strict.write(xml).close()
  return new Parser().parseString(xml)
}

describe('the RSS feed', () => {
  it('is read by a reader with title, version, date, link, description and content', async () => {
    const entry = feedEntry(1, {
      version: '1.2',
      tags: ['API', 'Search'],
      text: 'a < b & c',
      html: '<p>a &lt; b &amp; c</p>',
    })
    const feed = await read(await renderRss(source, [entry]))
    expect(feed).toMatchObject({
      title: 'Leaves & <Co> changelog',
      link: source.pageUrl,
      feedUrl: source.rssUrl,
      ttl: '5',
    })
    expect(feed.items).toEqual([
      expect.objectContaining({
        title: 'Entry 1 (1.2)',
        link: entry.url,
        guid: entry.id,
        isoDate: '2026-11-20T00:01:00.000Z',
        pubDate: 'Fri, 20 Nov 2026 00:01:00 GMT',
        categories: ['API', 'Search'],
        content: 'a &lt; b &amp; c',
        'content:encoded': '<p>a &lt; b &amp; c</p>',
      }),
    ])
  })

  it('leaves out control characters and what is no character', async () => {
    const text = 'a\u0000\u001B\u007F\u0085\u009F\uFDD0\uFFFE\u{1FFFE}b\tc'
    const feed = await read(await renderRss(source, [feedEntry(1, { title: text, text, html: `<p>${text}</p>` })]))
    expect(feed.items[0]).toMatchObject({ title: 'ab\tc', content: 'ab c', 'content:encoded': '<p>ab\tc</p>' })
  })

  it('says that its ids are no addresses', async () => {
    expect(await renderRss(source, [feedEntry(1)])).toContain(`<guid isPermaLink="false">${feedEntry(1).id}</guid>`)
  })

  it('keeps an entry’s id when all else of it changes', async () => {
    const before = await read(await renderRss(source, [feedEntry(1)]))
    const edited = feedEntry(1, {
      title: 'New',
      version: '3',
      html: '<p>new</p>',
      text: 'new',
      publishedAt: new Date(),
    })
    const after = await read(await renderRss(source, [edited]))
    expect(after.items[0]?.['guid']).toBe(before.items[0]?.['guid'])
  })

  it('is well-formed whatever the entries hold', async () => {
    const feed = await read(await renderRss(source, nastyEntries()))
    expect(feed.items.map(({ title }) => title)).toEqual([
      'Null , bell , escape , half , ',
      'Ends ]]> and ]]> again',
      written,
      'שלום \u202Eabc\u202C',
      '<script>alert(1)</script> & "quotes" &amp;',
      'Entry 4',
      'Entry 3',
      'Entry 2 (2.0.0-rc.1+build <5>)',
      'Entry 1',
    ])
    expect(feed.items[1]?.['content:encoded']).toBe('<p>]]> <code>]]>]]></code></p>')
    expect(feed.items[6]?.['content:encoded']).toHaveLength('<p></p>'.length + 1_000_000)
    expect(feed.items[7]?.categories).toEqual(['API & more', '<new>'])
    for (const { content } of feed.items) expect(content?.length).toBeLessThanOrEqual(500)
  })

  it('has no room for fifty of the largest entries: the older ones have their excerpt only', async () => {
    const large = Array.from({ length: 50 }, (_, i) => feedEntry(50 - i, { html: `<p>${'x'.repeat(2 ** 20)}</p>` }))
    const xml = await renderRss(source, large)
    expect(xml.length).toBeLessThan(5 * 2 ** 20)
    const { items } = await read(xml)
    expect(items).toHaveLength(50)
    expect(items[0]?.['content:encoded']).toHaveLength(2 ** 20 + 7)
    expect(items[49]).toMatchObject({ content: 'Text 1' })
    expect(items[49]).not.toHaveProperty('content:encoded')
  })

  it('is a feed without entries, too', async () => {
    expect((await read(await renderRss(source, []))).items).toEqual([])
  })
})

describe('the Atom feed', () => {
  it('is read by a reader with the same ids as RSS', async () => {
    const entries = nastyEntries()
    const [rss, atom] = [await read(await renderRss(source, entries)), await read(await renderAtom(source, entries))]
    expect(atom.items.map((item) => item['id'] as string)).toEqual(rss.items.map(({ guid }) => guid))
    expect(atom.items[2]).toMatchObject({ title: written, link: entries[2]?.url, isoDate: '2026-11-20T00:07:00.000Z' })
    expect(atom.items[1]?.content).toBe('<p>]]> <code>]]>]]></code></p>')
  })
})

describe('the JSON feed', () => {
  it('says the same in JSON Feed 1.1', async () => {
    const entry = feedEntry(1, { version: '1.2', tags: ['API'], text: 'a < b', html: '<p>a &lt; b</p>' })
    expect(JSON.parse(await renderJsonFeed(source, [entry]))).toMatchObject({
      version: 'https://jsonfeed.org/version/1.1',
      home_page_url: source.pageUrl,
      feed_url: source.jsonUrl,
      items: [
        {
          id: entry.id,
          url: entry.url,
          title: 'Entry 1 (1.2)',
          content_html: '<p>a &lt; b</p>',
          summary: 'a < b',
          date_published: '2026-11-20T00:01:00.000Z',
          tags: ['API'],
        },
      ],
    })
  })
})
