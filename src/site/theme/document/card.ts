import type { Card } from '#contract/release.ts'
import { sha256 } from '#lib/digest.ts'
import { encodePath } from '#lib/url-path.ts'
import type { PageArtifact } from '../../page.ts'
import type { PagePosition, Shell } from '../../shell.ts'
import { firstWords } from './about.tsx'
import { cardColors } from './colors.ts'

/** Changes whenever cards of the same words and colours look different. */
const look = 1

/** Characters of a text: more than there is room for. */
const longest = 400

const beginning = (text: string): string => text.slice(0, longest).toWellFormed()

/** The card of a page; null where the site has none, nobody may find the page, or its author chose a picture. */
export function cardOf(shell: Shell, artifact: PageArtifact, position: PagePosition | undefined): Card | null {
  if (shell.cards === undefined || shell.noindex === true || artifact.noindex === true) return null
  if ([...(shell.metatags ?? []), ...(artifact.metatags ?? [])].some(([tag]) => tag === 'og:image')) return null
  const group = position?.trail.at(-1)
  const section = typeof group === 'string' ? group : group?.title
  const description = artifact.description ?? firstWords(artifact.html)
  const shown = {
    title: beginning(artifact.title === '' ? shell.name : artifact.title),
    ...(description === undefined ? {} : { description: beginning(description) }),
    ...(section === undefined ? {} : { section: beginning(section) }),
    site: beginning(shell.name),
    colors: cardColors(shell.colors, shell.cards),
  }
  return { name: sha256(JSON.stringify([look, shown])).slice(0, 32), ...shown }
}

/** URL path of a card: it names the page that says what may be drawn, and all that it shows. */
export function cardPath(card: Card, page: string): string {
  return `/_quire/og/${card.name}${encodePath(page === '/' ? '/index' : page)}.png`
}
