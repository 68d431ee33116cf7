import type { Shell } from '../shell.ts'
import { link } from './link.ts'
import type { Problems } from './problems.ts'

type Banner = NonNullable<Shell['banner']>

const LINK = /!?\[([^\]\n]{0,500})\]\(\s*([^)\s]{0,2000})[^)\n]{0,500}\)/g

/** A banner is written in Markdown: of that, links stay; a refused one is an error at its pointer. */
export function readBanner(markdown: string, context: { readonly problems: Problems }): Banner {
  const parts: { text: string; href?: string }[] = []
  let end = 0
  for (const match of markdown.matchAll(LINK)) {
    const [whole, label = '', target = ''] = match
    parts.push({ text: plain(markdown.slice(end, match.index)) })
    const href = whole.startsWith('!') ? undefined : link(target, '/banner/content', context)
    parts.push({ text: plain(label), ...(href === undefined ? {} : { href }) })
    end = match.index + whole.length
  }
  parts.push({ text: plain(markdown.slice(end)) })
  const shown = parts.filter(({ text }) => text !== '')
  return {
    text: shown
      .map(({ text }) => text)
      .join('')
      .trim(),
    parts: shown,
  }
}

function plain(markdown: string): string {
  return markdown.replaceAll(/[*_`]{1,3}/g, '').replaceAll(/\s+/g, ' ')
}
