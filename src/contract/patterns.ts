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

/**
 * What is wrong with a slug for a project, undefined where nothing is: “has capital letters; use lower case”. It becomes
 * a host name (RFC 1035, 2.3.1 with RFC 1123's leading digits); `--` parts slug and branch in the host of a preview, and
 * makes `xn--` names impossible. Whether it is free only the service knows.
 */
export function slugFault(text: string): string | undefined {
  if (text.length === 0) return 'is empty'
  if (text.length > 63) return `has ${text.length} characters; a host name’s part has at most 63`
  if (/[A-Z]/.test(text)) return 'has capital letters; use lower case'
  if (!/^[a-z0-9-]+$/.test(text)) return 'may have lower-case letters, digits and hyphens only'
  if (text.startsWith('-') || text.endsWith('-')) return 'begins or ends with a hyphen'
  if (text.includes('--')) return 'has two hyphens in a row, which part a project from its branch in preview addresses'
  return undefined
}
