/** @jsxImportSource #html */
import type { Html } from '#lib/html.ts'
import type { Newer, Translation } from '../../counterparts.ts'
import type { Section } from '../../shell.ts'
import type { PageWords } from '../words/page.ts'
import { fill, fillText } from '../words/words.ts'
import { icons, Link } from './link.tsx'

/** Over a page of an old version: which one it is, and the way to the same page of the default one. */
export function renderVersionNotice({ version, current, href }: Newer, words: PageWords): Html {
  const link = <Link href={href}>{current}</Link>
  return (
    <p class="q-notice" role="note">
      {fill(words.oldVersion, { version: <strong>{version}</strong>, current: link })}
    </p>
  )
}

/** On the 404 page of a language: the same page in another one, the default one if that has it. */
export function renderTranslationOffer(
  section: Section,
  translations: readonly Translation[],
  words: PageWords,
): Html | undefined {
  const own = section.switches.find(({ kind }) => kind === 'language')?.label
  const first = translations.find(({ label }) => label !== own)
  if (own === undefined || first === undefined) return undefined
  return (
    <p class="q-notice" role="note">
      {fill(words.untranslated, { language: own })}{' '}
      <a href={first.href} hreflang={first.lang}>
        {fill(words.readIn, { language: <span lang={first.lang}>{first.label}</span> })}
      </a>
    </p>
  )
}

/** On a preview, so that nobody takes it for the live site. @param live URL of the same page there, where it has one */
export function renderPreviewMark(branch: string, live: string | undefined, words: PageWords): Html {
  return (
    <aside class="q-preview-mark" aria-label={fillText(words.preview, { branch })}>
      <p>{fill(words.preview, { branch: <strong dir="auto">{branch}</strong> })}</p>
      {live !== undefined && (
        <Link href={live}>
          {words.liveSite}
          {icons.external}
        </Link>
      )}
    </aside>
  )
}
