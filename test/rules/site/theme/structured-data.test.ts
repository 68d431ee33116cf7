import { describe, expect, it } from 'vitest'
import { createComposer } from '#site/theme/composer.tsx'
import { atOnce } from '#test/support/at-once.ts'
import { bytes, sampleArtifact, sampleOptions, sampleShell } from '#test/support/site/theme/sample.ts'

const scripts = /<script type="application\/ld\+json">(.*?)<\/script>/gs

function compose(path: string, shell = sampleShell(), artifact = sampleArtifact(), context = {}): string {
  return atOnce(createComposer(sampleOptions).open(bytes(shell))).page(bytes(artifact), path, context).html
}

/** What a document says in the words of schema.org. */
function said(html: string): readonly Record<string, unknown>[] {
  return [...html.matchAll(scripts)].map(([, json = '']) => JSON.parse(json) as Record<string, unknown>)
}

describe('structured data', () => {
  it('says of a page what it is, when it was changed, and the way to it', () => {
    const places = {
      '/guide/deep': {
        section: 0,
        trail: ['Group', { title: 'Guide', href: '/guide' }],
      },
    }
    const [data] = said(compose('/guide/deep', sampleShell({ places }), sampleArtifact(), { updated: 1_700_000_000 }))
    const site = { '@type': 'WebSite', name: 'Quire', url: 'https://docs.example.com/' }
    expect(data).toEqual({
      '@context': 'https://schema.org',
      '@graph': [
        {
          '@type': 'TechArticle',
          headline: 'Quickstart',
          description: 'From a folder to a live site.',
          url: 'https://docs.example.com/guide/deep',
          dateModified: '2023-11-14T22:13:20.000Z',
          inLanguage: 'en',
          isPartOf: site,
        },
        {
          '@type': 'BreadcrumbList',
          itemListElement: [
            { '@type': 'ListItem', position: 1, name: 'Quire', item: 'https://docs.example.com/' },
            { '@type': 'ListItem', position: 2, name: 'Guide', item: 'https://docs.example.com/guide' },
            { '@type': 'ListItem', position: 3, name: 'Quickstart', item: 'https://docs.example.com/guide/deep' },
          ],
        },
      ],
    })
  })

  it('says of the first page what the site is', () => {
    expect(said(compose('/'))).toMatchObject([{ '@type': 'WebSite', name: 'Quire', url: 'https://docs.example.com/' }])
  })

  it('has nothing that ends its element or opens another one, whatever a title says', () => {
    const title = '</script><script>alert(1)</script><!-- <script> & \u2028'
    const html = compose('/quickstart', sampleShell(), sampleArtifact({ title }))
    expect(said(html)).toMatchObject([{ '@graph': [{ headline: title }, {}] }])
    expect(html.match(scripts)?.[0].slice(30, -9)).not.toContain('<')
  })

  it('is not there where a page is not to be found, nor on a preview', () => {
    expect(said(compose('/quickstart', sampleShell(), sampleArtifact({ noindex: true })))).toEqual([])
    expect(said(compose('/quickstart', sampleShell({ noindex: true })))).toEqual([])
    expect(said(compose('/quickstart', sampleShell(), sampleArtifact(), { preview: 'r1' }))).toEqual([])
    expect(said(compose('/quickstart', sampleShell({ url: '' })))).toEqual([])
    const missing = atOnce(createComposer(sampleOptions).open(bytes(sampleShell()))).notFound('/nothing')
    expect(said(missing.html)).toEqual([])
  })
})
