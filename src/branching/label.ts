import { createHash } from 'node:crypto'

/** RFC 1035, 2.3.4. */
const maxLabel = 63
/** 60 bits in base 36. */
const hashLength = 12
/** Of a long slug so much stays that a name still says something beside it. */
const nameReserve = 8

const hashed = /--[0-9a-z]{12}$/
const hostName = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/

/**
 * The first part of the host of a branch's preview: a pure function of slug and name, a valid DNS label of at most 63
 * characters, another one for every branch.
 *
 * `docs` and `new-intro` give `docs--new-intro`. Names that a host cannot have, or that are too long, give a readable
 * part and a hash: `docs--a-b--0f3k9x2m1q7z`. No name that is kept as it is looks like that, so the two never meet.
 */
export function previewLabel(slug: string, name: string): string {
  const plain = `${slug}--${name}`
  if (plain.length <= maxLabel && hostName.test(name) && !hashed.test(name) && slug !== 'xn') return plain
  // Readers' browsers take what begins with `xn--` for an encoded international name.
  const readableSlug = slug === 'xn' ? 'xn-x' : slug
  const room = maxLabel - hashLength - '--'.length * 2
  const readable = name.replace(/[^a-z0-9]+/g, '-').replace(/^-+|-+$/g, '') || 'branch'
  const first = trimEnd(readableSlug.slice(0, room - Math.min(readable.length, nameReserve)))
  const second = trimEnd(readable.slice(0, room - first.length))
  return `${first}--${second}--${hashOf(slug, name)}`
}

function trimEnd(text: string): string {
  return text.replace(/-+$/, '')
}

function hashOf(slug: string, name: string): string {
  const bytes = createHash('sha256').update(`${slug}\0${name}`).digest()
  return bytes.readBigUInt64BE(0).toString(36).padStart(13, '0').slice(-hashLength)
}
