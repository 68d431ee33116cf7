import { createHash } from 'node:crypto'
import type { Sha256 } from '../contract/release.ts'
import type { Steps } from './slices.ts'

/** Bytes that are hashed without a pause: some three milliseconds. */
const stepBytes = 1 << 20

export function sha256(bytes: Uint8Array | string): Sha256 {
  return createHash('sha256').update(bytes).digest('hex')
}

/** The same in steps, for what may be large. */
export function* sha256Steps(bytes: Uint8Array): Steps<Sha256> {
  const hash = createHash('sha256')
  for (let at = 0; at < bytes.length; at += stepBytes) {
    hash.update(bytes.subarray(at, at + stepBytes))
    yield 'large'
  }
  return hash.digest('hex')
}
