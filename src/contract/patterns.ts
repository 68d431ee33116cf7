/** Rules for texts as regular expressions, and in the words in which people are told of them. */
export const patterns = {
  slug: {
    pattern: '^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$',
    says: 'must be lower-case letters, digits and hyphens between them, at most 63 characters',
  },
  oid: { pattern: '^[0-9a-f]{40}$', says: 'must be the id of a Git object: 40 hex digits' },
  /** Git and JSON documents can hold it. */
  text: {
    pattern: '^[^\\u0000\\uD800-\\uDFFF]*$',
    says: 'must be text without NUL characters and halves of surrogate pairs',
  },
  /** Shows something. */
  written: {
    pattern: '^(?=\\s*\\S)[^\\u0000\\uD800-\\uDFFF]*$',
    says: 'must be text that is not empty, without NUL characters and halves of surrogate pairs',
  },
  /** Shows something, in one line. */
  line: {
    pattern: '^(?=.*\\S)[^\\u0000-\\u001F\\u007F-\\u009F\\u2028\\u2029\\uD800-\\uDFFF]*$',
    says: 'must be one line of text that is not empty, without control characters',
  },
  model: { pattern: '^[\\w.:/-]+$', says: 'must be the id of a model: letters, digits and . : / - _' },
  generation: {
    pattern: '^[\\w-]{8,64}$',
    says: 'must be an id of 8 to 64 letters, digits, hyphens and underscores',
  },
} as const

const slug = new RegExp(patterns.slug.pattern)

export function isSlug(text: string): boolean {
  return slug.test(text)
}
