/** Lets scripts of pages on any origin read an answer (CORS), which has the same for everybody: never with a credential. */
export const anyOrigin = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'etag, retry-after',
} as const

/** Of the answer to a preflight. A script may also ask whether its copy is still right; a day is long enough. */
export const anyOriginPreflight = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, HEAD',
  'access-control-allow-headers': 'if-none-match, if-modified-since',
  'access-control-max-age': '86400',
} as const
