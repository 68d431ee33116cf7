import type { DatedEntry, FeedSource } from '#lib/feeds.ts'

export const source: FeedSource = {
  title: 'Leaves & <Co>',
  name: 'Leaves & <Co> changelog',
  description: 'What is new in the documentation of Leaves & <Co>',
  pageUrl: 'https://quire.example.com/dashboard/leaves/changelog',
  id: 'https://quire.example.com/api/projects/leaves/changelog/atom',
  rssUrl: 'https://quire.example.com/api/projects/leaves/changelog/rss',
  atomUrl: 'https://quire.example.com/api/projects/leaves/changelog/atom',
  jsonUrl: 'https://quire.example.com/api/projects/leaves/changelog/feed.json',
  updatedAt: new Date('2026-11-21T00:30:00Z'),
}

const minute = 60_000

/** An entry; the number makes its id, and the larger it is the newer. */
export function feedEntry(number: number, given: Partial<DatedEntry> = {}): DatedEntry {
  const id = `6f1c0c52-8f0a-4c7e-9a57-${String(number).padStart(12, '0')}`
  const publishedAt = new Date(Date.UTC(2026, 10, 20) + number * minute)
  return {
    id: `urn:uuid:${id}`,
    title: `Entry ${number}`,
    tags: [],
    html: `<p>Text ${number}</p>`,
    text: `Text ${number}`,
    publishedAt,
    updatedAt: publishedAt,
    url: `${source.pageUrl}#${id}`,
    ...given,
  }
}

/** Everything that breaks feeds, newest first. */
export function nastyEntries(): DatedEntry[] {
  const sameSecond = new Date('2026-11-20T23:59:59Z')
  return [
    feedEntry(9, {
      title: 'Null \u0000, bell \u0007, escape \u001B, half \uD83D, \uFFFE',
      text: 'a\u0000b\u000Bc\uDC00d',
    }),
    feedEntry(8, { title: 'Ends ]]> and ]]> again', html: '<p>]]> <code>]]>]]></code></p>', text: ']]> ]]>]]>' }),
    feedEntry(7, { title: '👩‍👩‍👧‍👦 für 漢字', html: '<p>👩‍👩‍👧‍👦</p>', text: '👩‍👩‍👧‍👦 '.repeat(200) }),
    feedEntry(6, { title: 'שלום \u202Eabc\u202C', html: '<p dir="auto">مرحبا</p>', text: 'مرحبا بالعالم' }),
    feedEntry(5, { title: '<script>alert(1)</script> & "quotes" &amp;', text: '<script>alert(1)</script> & &amp;' }),
    feedEntry(4, {
      html: '<p><a href="https://leaves.example.net/guide?a=1&amp;b=2">guide</a> <img src="https://leaves.example.net/a.png" alt=""></p>',
    }),
    feedEntry(3, { html: `<p>${'word '.repeat(200_000)}</p>`, text: 'word '.repeat(200_000) }),
    feedEntry(2, {
      version: '2.0.0-rc.1+build <5>',
      tags: ['API & more', '<new>'],
      publishedAt: sameSecond,
      updatedAt: sameSecond,
    }),
    feedEntry(1, { publishedAt: sameSecond, updatedAt: sameSecond }),
  ]
}
