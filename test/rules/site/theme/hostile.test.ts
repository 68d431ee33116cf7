import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hostile } from '#test/support/shared.ts'
import type { PageArtifact } from '#site/page.ts'
import type { Shell } from '#site/shell.ts'
import { atOnce } from '#test/support/at-once.ts'
import { createComposer } from '#site/theme/composer.tsx'
import { bytes, sampleArtifact, sampleOptions, sampleShell } from '#test/support/site/theme/sample.ts'

const own = [
  '<img src=x onerror=alert(1)>',
  '</script><script>alert(1)</script>',
  '</title></style><svg onload=alert(1)>',
  '" onmouseover="alert(1)',
  "' onfocus='alert(1)' autofocus='",
  '\u0001javascript:alert(1)',
  'javascript:alert(1)',
  '\ud800 lone',
]

const sample = join(hostile, 'config/80-docs-json-xss.json')

const handler = /^on|^autofocus$|^style$/
const address = /^(?:href|src)$/
const scriptPattern = /^\P{L}*(?:javascript|data|vbscript):/iu

/** Every string inside a JSON value. */
function strings(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(strings) : []
}

/** A shell and a page in which every plain text and every href is the same hostile string. */
function poisoned(text: string): { shell: Shell; artifact: PageArtifact } {
  const link = { label: text, href: text }
  const choice = (kind: Shell['sections'][number]['switches'][number]['kind']) => ({ kind, label: text })
  const kinds = ['tab', 'anchor', 'dropdown', 'version', 'language', 'product'] as const
  const items: Shell['sections'][number]['items'] = [
    { kind: 'page', title: text, href: text, tag: text },
    {
      kind: 'group',
      title: text,
      tag: text,
      href: text,
      items: [{ kind: 'group', title: text, href: text, items: [{ kind: 'page', title: text, href: text }] }],
    },
  ]
  const shell = sampleShell({
    name: text,
    description: text,
    url: text,
    colors: { primary: text, light: text, dark: text, background: { light: text, dark: text } },
    logo: { light: text, dark: `${text} dark`, href: text },
    favicon: { light: text, dark: `${text} dark` },
    navbar: { links: [link], primary: link },
    footer: { socials: [link], columns: [{ header: text, links: [link] }] },
    banner: { text },
    anchors: [link],
    sections: kinds.flatMap((kind) => [
      { switches: [choice(kind)], href: text, items },
      { switches: [{ kind, label: `${text} other` }], href: text, items },
    ]),
    places: {
      '/page': { section: 0, trail: [text], previous: { title: text, href: text }, next: { title: text, href: text } },
    },
    assets: { css: text, script: text, features: { mermaid: text } },
  })
  const artifact = sampleArtifact({
    title: text,
    description: text,
    html: '',
    keywords: [text],
    headings: [
      { id: text, level: 2, text },
      { id: text, level: 3, text },
    ],
    features: ['mermaid'],
  })
  return { shell, artifact }
}

/** Tags with attributes as a browser reads them: quoted values hold no tags. */
function tags(html: string): { name: string; attributes: [string, string][] }[] {
  return [...html.matchAll(/<([a-z][a-z0-9-]*)((?:\s+[^\s=>"']+(?:="[^"]*")?)*)\s*\/?>/gi)].map(
    ([, name = '', inside = '']) => ({
      name: name.toLowerCase(),
      attributes: [...inside.matchAll(/([^\s=>"']+)(?:="([^"]*)")?/g)].map(([, key = '', value = '']) => [
        key.toLowerCase(),
        value,
      ]),
    }),
  )
}

/** What a browser would take for more than text in the documents of a poisoned site. */
function violations(text: string): string[] {
  const { shell, artifact } = poisoned(text)
  const opened = atOnce(createComposer(sampleOptions).open(bytes(shell)))
  const documents = [
    opened.page(bytes(artifact), '/page'),
    opened.page(bytes(artifact), `/${text}`),
    opened.notFound(`/${text}`),
  ]
  return documents.flatMap(({ html: document }) => {
    // Data, which is no script as long as it is whole.
    const html = document.replace(/<script type="application\/ld\+json">[^<]*<\/script>/, '')
    const rest = html.replace(/<script>[^<]*<\/script>/, '').replace(/<!doctype html>|<\/?[a-z][^<>]*>/g, '')
    return [
      ...(rest.includes('<') ? ['a bracket outside a tag'] : []),
      ...((html.match(/<script\b/g)?.length ?? 0) > 3 ? ['a script that is not ours'] : []),
      ...tags(html).flatMap(({ attributes }) =>
        attributes
          .filter(([key, value]) => handler.test(key) || (address.test(key) && scriptPattern.test(value)))
          .map(([key, value]) => `${key}=${value}`),
      ),
    ]
  })
}

describe('hostile text in every field of shell and page', () => {
  it.each(own)('stays text: %j', (text) => {
    expect(violations(text)).toEqual([])
  })

  it('stays text for every string of the sample', () => {
    const texts = strings(JSON.parse(readFileSync(sample, 'utf8')))
    expect(texts.length).toBeGreaterThan(10)
    expect(texts.flatMap(violations)).toEqual([])
  })

  it('is not looked up in prototypes', () => {
    const opened = atOnce(createComposer(sampleOptions).open(bytes(sampleShell())))
    const artifact = bytes({ ...sampleArtifact(), features: ['constructor' as 'code'] })
    for (const path of ['constructor', '__proto__', 'toString']) {
      const { html } = opened.page(artifact, path)
      expect(html).not.toContain('native code')
      expect(html).not.toContain('aria-current="page"')
    }
  })
})
