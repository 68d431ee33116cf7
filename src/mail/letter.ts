import { escapeHtml } from '../lib/html.ts'
import type { Letter } from './mailer.ts'

/** What a letter says, without its form. */
export interface LetterText {
  readonly to: string
  readonly subject: string
  /** Paragraphs of plain text. */
  readonly opening: readonly string[]
  readonly link?: { readonly label: string; readonly url: string }
  readonly closing?: readonly string[]
}

/** A letter as plain text and as simple HTML that says the same: no pictures, nothing that is fetched. */
export function letterOf({ to, subject, opening, link, closing = [] }: LetterText): Letter {
  const paragraphs = (texts: readonly string[]): string[] => texts.map((text) => `<p>${escapeHtml(text)}</p>`)
  const html = [
    '<!doctype html>',
    `<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(subject)}</title></head>`,
    '<body style="font-family: sans-serif; line-height: 1.5; max-width: 36em">',
    ...paragraphs(opening),
    ...(link === undefined
      ? []
      : [
          `<p><a href="${escapeHtml(link.url)}">${escapeHtml(link.label)}</a></p>`,
          `<p>Or copy this address into your browser:<br>${escapeHtml(link.url)}</p>`,
        ]),
    ...paragraphs(closing),
    '</body></html>',
    '',
  ]
  const text = [...opening, ...(link === undefined ? [] : [`${link.label}:\n${link.url}`]), ...closing]
  return { to, subject, text: `${text.join('\n\n')}\n`, html: html.join('\n') }
}
