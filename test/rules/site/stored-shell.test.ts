import { describe, expect, it } from 'vitest'
import { wholly } from '#lib/slices.ts'
import type { NavItem, Shell } from '#site/shell.ts'
import { decodeShell, encodeShell } from '#site/stored-shell.ts'
import { placePages } from '#site/places.ts'
import { createComposer } from '#site/theme/composer.tsx'
import { inDepth } from '#test/support/depth.ts'
import { TestProject } from '#test/support/site/support/project.ts'
import { bytes, sampleArtifact, sampleShell } from '#test/support/site/theme/sample.ts'

const encoded = (shell: Shell): Buffer => wholly(encodeShell(shell, Infinity)) ?? Buffer.alloc(0)

function shellOf(items: readonly NavItem[]): Shell {
  const sections = [{ switches: [], href: '/', items }]
  return sampleShell({ sections, places: wholly(placePages(sections)) })
}

describe('a shell that is stored', () => {
  const icon = '<svg><path d="M12 3v18"/></svg>'
  const shell = shellOf([
    { kind: 'page', title: 'Home', href: '/', icon },
    {
      kind: 'group',
      title: 'Guides',
      icon: '<svg>2</svg>',
      href: '/guides',
      items: [
        { kind: 'page', title: 'Set up a pool', href: '/guides/pool', icon },
        { kind: 'page', title: 'Ä b', href: '/guides/%C3%A4%20b' },
      ],
    },
  ])

  it('is the same when it is read', () => {
    const read = wholly(decodeShell(encoded(shell)))
    expect(read).toEqual(shell)
    expect(read.places['/guides/ä b']).toMatchObject({ section: 0, previous: { href: '/guides/pool' } })
  })

  it('has each title and each icon once', () => {
    const text = encoded(shell).toString()
    expect(text.split('Set up a pool')).toHaveLength(2)
    expect(text.split('/guides/pool')).toHaveLength(2)
    expect(text.split('M12 3v18')).toHaveLength(2)
  })

  it('is read as it is when it comes from before, with places and icons of its own', () => {
    const places = { '/elsewhere': { section: 0, trail: ['Guides'] } }
    expect(wholly(decodeShell(Buffer.from(bytes({ ...shell, places }))))).toEqual({ ...shell, places })
  })

  it('takes less than half of what a site may have for 30,000 pages with titles and paths of 70 letters', () => {
    const items = Array.from({ length: 30_000 }, (_, number): NavItem => ({
      kind: 'page',
      title: `How to configure the connection pool number ${number} for large clusters`,
      href: `/products/database/v2/guides/section-${number % 50}/configure-connection-pool-${number}`,
    }))
    expect(encoded(shellOf(items)).length).toBeLessThan(8 << 20)
  })
})

describe('navigation and titles of a site', () => {
  const pages = (count: number, letters: number): Record<string, string> =>
    Object.fromEntries(
      Array.from({ length: count }, (_, number) => [
        `guide/page-${number}.md`,
        `---\ntitle: ${number} ${'Long title '.repeat(letters / 11)}\n---\n`,
      ]),
    )

  inDepth('may be large: its pages are served with their neighbours', async () => {
    const project = new TestProject()
    const { site } = await project.build(pages(300, 50_000))
    const stored = project.blobs.get(site?.shell ?? '') ?? Buffer.alloc(0)
    expect(stored.length).toBeGreaterThan(14 << 20)
    const composer = createComposer({
      dashboard: 'https://quire.example',
      hasCards: false,
      assets: sampleShell().assets,
    })
    const { html } = wholly(composer.open(stored)).page(bytes(sampleArtifact()), '/guide/page-150')
    expect(html).toMatch(/<a aria-current="page"[^>]*href="\/guide\/page-150"/)
    expect(html).toContain('href="/guide/page-149"')
  })

  it('are refused beyond what a site may have, and the error says how to go on', async () => {
    const { site, errors } = await new TestProject().build(pages(300, 60_000))
    expect(site).toBeUndefined()
    expect(errors).toMatchObject([
      { rule: 'settings-limit', message: expect.stringMatching(/more than 16 MB\. Shorten the longest titles/) },
    ])
  })
})
