import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { writeFiles } from '#test/support/temporary.ts'
import { compareSites } from '#scripts/tools/moving/compare.ts'
import { readOriginal, type Original } from '#scripts/tools/moving/originals.ts'

const nav = (...urls: readonly string[]): string =>
  `<nav class="q-nav">${urls.map((url) => `<a href="${url}">x</a>`).join('')}</nav>`
const page = (prose: string): string => `${nav('/two', '/one', '/three')}<div class="q-prose">${prose}</div>`

describe('a comparison of an original with what readers get', async () => {
  const counts = { notes: 2, panels: 1 }
  const original: Original = {
    pages: [
      { source: 'one.md', url: '/one', counts, pictures: ['pot.png', 'tea cup.png'] },
      { source: 'two.md', url: '/two', counts: { notes: 0, panels: 0 }, pictures: [] },
      { source: 'gone.md', url: '/gone', counts, pictures: [] },
    ],
    sidebars: [['/one', '/two', '/three', '/four']],
  }
  const texts: Readonly<Record<string, string>> = {
    '/one': page(
      '<div class="q-callout q-callout-tip"></div><section class="q-tab"><img src="/img/pot.png"></section><p>tea cup.png</p>',
    ),
    '/two': page(''),
  }
  const moved = await compareSites(original, {
    folder: '',
    host: '',
    origin: '',
    deploy: undefined as never,
    get: async (path) => {
      const text = texts[path] ?? ''
      return { status: text === '' ? 404 : 200, headers: {}, body: Buffer.from(text), text }
    },
  })

  it('tells pages that do not answer', () => {
    expect(moved.pages).toEqual({ wanted: 3, missing: ['gone.md: /gone answers 404'] })
  })

  it('counts what pages have by its kind, and names the pages that have fewer', () => {
    expect(moved.kinds).toEqual({
      notes: { wanted: 2, shown: 1, fewer: ['one.md: 2 → 1'] },
      panels: { wanted: 1, shown: 1, fewer: [] },
    })
  })

  it('looks for pictures among pictures, and not in the words of a page', () => {
    expect(moved.pictures).toEqual({ wanted: 2, missing: ['one.md: tea cup.png'] })
  })

  it('tells entries of sidebars that are missing, and the fewest that stand elsewhere', () => {
    expect(moved.sidebars).toEqual({ wanted: 4, missing: ['/four'], moved: ['/two'] })
  })
})

it('reads an original by patterns: not in code and comments, and quotes and lists count', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quire-test-'))
  try {
    await writeFiles(folder, {
      'mkdocs.yml': 'nav:\n  - index.md\n  - Tea: guide/tea.md\n',
      'docs/index.md': '# Home\n\n!!! note\n    Text\n\n??? tip\n    Text\n\n```\n!!! note\n```\n\n<!-- !!! note -->\n',
      'docs/guide/tea.md': '=== "One"\n    ![Pot](../pot.png)\n\n=== "Two"\n    `![No](no.png)`\n',
    })
    expect(readOriginal(folder, 'mkdocs')).toEqual({
      pages: [
        {
          source: 'docs/guide/tea.md',
          url: '/guide/tea',
          counts: { notes: 0, folds: 0, panels: 2 },
          pictures: ['pot.png'],
        },
        { source: 'docs/index.md', url: '/', counts: { notes: 1, folds: 1, panels: 0 }, pictures: [] },
      ],
      sidebars: [['/', '/guide/tea']],
    })
  } finally {
    await rm(folder, { recursive: true })
  }
})
