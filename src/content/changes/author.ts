import { Failure } from '../../contract/failure.ts'
import type { Author } from '../repository.ts'

/** Who commits; the author is the person or key that asked for it. */
export const service: Author = { name: 'Quire', email: 'quire@localhost' }

const maxLength = 256

/**
 * Checks an author before it becomes a line of a commit object, where a line feed or `<` would forge other headers.
 *
 * @throws Failure `invalid_author`
 */
export function checkAuthor(author: Author): Author {
  checkPart('name', author.name)
  checkPart('email', author.email)
  if (/\s/.test(author.email)) throw refused('email', 'contains white space')
  return author
}

function checkPart(part: 'name' | 'email', text: string): void {
  if (text.trim() === '') throw refused(part, 'is empty')
  if (text.length > maxLength) throw refused(part, `is longer than ${maxLength} characters`)
  if (/\p{Cc}|[\u2028\u2029]/u.test(text)) throw refused(part, 'contains a line break or control character')
  if (/[<>]/.test(text)) throw refused(part, 'contains < or >')
  if (/\p{Surrogate}/u.test(text)) throw refused(part, 'is not valid Unicode')
}

function refused(part: string, why: string): Failure {
  return new Failure('invalid_author', `The author’s ${part} ${why}.`, {
    hint: 'Give a name and an email address on one line, without angle brackets.',
  })
}
