import { describe, expect, it } from 'vitest'
import { interfaceLanguage, languageTag } from '#site/languages.ts'
import { createComposer } from '#site/theme/composer.tsx'
import { askWords } from '#site/theme/words/ask.ts'
import { changelogWords } from '#site/theme/words/changelog.ts'
import { diagramWords } from '#site/theme/words/diagram.ts'
import { searchWords } from '#site/theme/words/search.ts'
import { pageWords } from '#site/theme/words/page.ts'
import { inLanguage, partWords } from '#site/theme/words/parts.ts'
import { wordsIn, type Word } from '#site/theme/words/words.ts'
import { atOnce } from '#test/support/at-once.ts'
import { bytes, sampleArtifact, sampleOptions, sampleShell } from '#test/support/site/theme/sample.ts'

/** The languages that docs.json of other services names. */
const wanted =
  'ar ca cn cs de en es fi fr fr-CA he hi hu id it ja jp ko lv nl no pl pt pt-BR ro ru sv tr uk uz vi zh-Hans zh-Hant'

const holes = (text: string): string[] => [...text.matchAll(/\{\w+\}/g)].map(([hole]) => hole).sort()

describe('the words of the interface', () => {
  it('have the same holes in every language, and none is empty', () => {
    for (const [name, word] of Object.entries<Word>({
      ...pageWords,
      ...partWords,
      ...askWords,
      ...searchWords,
      ...changelogWords,
      ...diagramWords,
    })) {
      for (const [language, text] of Object.entries(word)) {
        expect(text.trim(), `${name} in ${language}`).not.toBe('')
        expect(holes(text), `${name} in ${language}`).toEqual(holes(word.en))
      }
    }
  })

  it('are there for every language that docs.json names', () => {
    for (const code of wanted.split(' ')) {
      const language = interfaceLanguage(languageTag(code) ?? '')
      expect(language === 'en', code).toBe(code === 'en')
    }
  })

  it('are those of the nearest language, else English', () => {
    const previous = (lang: string) => wordsIn(pageWords, lang).previous
    expect(previous('fr-CA')).toBe('Précédent')
    expect(previous('zh-Hant-HK')).toBe('上一頁')
    expect(previous('tlh')).toBe('Previous')
  })
})

describe('a page in another language', () => {
  const shell = sampleShell({ lang: 'de', ask: { dailyLimit: 1, pages: 'all' } })
  const html =
    '<div data-word="note" aria-label="Note"><p>required</p></div><span class="q-field-required" data-word="required">required</span>'
  const opened = atOnce(createComposer(sampleOptions).open(bytes(shell)))

  it('says everything in that language, also what its parts and scripts say', () => {
    const page = opened.page(bytes(sampleArtifact({ html })), '/quickstart').html
    expect(page).toContain('data-words="Code kopieren|Kopiert|Beispiel|Schließen"')
    for (const word of ['Zum Inhalt springen', 'Auf dieser Seite', 'Weiter', 'aria-label="Hinweis"', '>erforderlich<'])
      expect(page).toContain(word)
    // The author’s own words stay.
    expect(page).toContain('<p>required</p>')
    for (const word of ['Skip to', 'On this page', '>Next<', 'Powered']) expect(page).not.toContain(word)
  })

  it('has a 404 page in that language', () => {
    const page = opened.notFound('/gone').html
    expect(page).toContain('<title>Seite nicht gefunden - Quire</title>')
    expect(page).toContain('Unter <code>/gone</code> gibt es nichts.')
  })
})

describe('words within a body', () => {
  const words = wordsIn(partWords, 'fr')

  it('are exchanged where they are marked, with their number', () => {
    expect(inLanguage('<span data-word="showAll:40">Show all lines (40)</span>', words)).toBe(
      '<span data-word="showAll:40">Afficher toutes les lignes (40)</span>',
    )
  })

  it('are put around the author’s, colons and marks among them', () => {
    const german = wordsIn(partWords, 'de')
    const summary = (text: string) => `<summary data-word="show:a:&quot;b&quot; &lt;c">${text}</summary>`
    expect(inLanguage(summary('Show a:&quot;b&quot; &lt;c'), german)).toBe(summary('a:&quot;b&quot; &lt;c zeigen'))
    expect(inLanguage('<a href="/" data-word="openIn:Cursor">Open in Cursor</a>', german)).toBe(
      '<a href="/" data-word="openIn:Cursor">In Cursor öffnen</a>',
    )
  })

  it('keep what a label says of the page', () => {
    const anchor = (label: string) => `<a href="#a" data-word="linkTo" aria-label="${label}"></a>`
    expect(inLanguage(anchor('Link to “A &quot;B&quot;”'), words)).toBe(anchor('Lien vers « A &quot;B&quot; »'))
  })

  it('stay where only the text looks like a mark', () => {
    for (const text of [
      '<p>write data-word="note" aria-label="Note"</p>',
      '<p data-word="constructor">x</p>',
      '<p data-word="note" class="a">x</p>',
      ' data-word="note',
    ])
      expect(inLanguage(text, words)).toBe(text)
  })
})
