import { entryLimits } from '../contract/changelog.ts'
import { Failure } from '../contract/failure.ts'
import type { TextRenderer } from '../site/text.ts'
import type { EntryTexts } from './record.ts'

/** What a client wrote of an entry. */
export type Written = Omit<EntryTexts, 'html' | 'renderer'>

const named = 3

/**
 * The texts of an entry with their HTML.
 * Throws Failure `request_too_large`, or `invalid_content` with every place that is wrong.
 */
export async function render(renderer: TextRenderer, project: string, written: Written): Promise<EntryTexts> {
  const { title, content } = written
  const bytes = Buffer.byteLength(content, 'utf8')
  if (bytes > entryLimits.contentBytes) {
    const message = `has ${bytes} bytes; at most ${entryLimits.contentBytes} are allowed`
    throw new Failure('request_too_large', `The content of the entry ${message}.`, {
      hint: 'Put the long part on a page of the documentation and link to it.',
      errors: [{ pointer: '/content', message }],
    })
  }
  const outcome = await renderer.render({ project, title, text: content })
  if (outcome.ok) return { ...written, html: outcome.html, renderer: renderer.fingerprint }
  const errors = outcome.errors.map((error) => ({ ...error, pointer: '/content' }))
  const places = errors.slice(0, named).map(({ line, column, message }) => {
    const place = line === undefined ? '' : `line ${line}${column === undefined ? '' : `, column ${column}`}: `
    return place + message
  })
  throw new Failure('invalid_content', `The content of the entry cannot be shown. ${places.join(' ')}`, {
    hint: outcome.isMdx
      ? 'It uses a component, so it must be valid MDX. Without components any Markdown is.'
      : 'Make it shorter or simpler, or put it on a page of the documentation and link to it.',
    errors,
  })
}
