import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { Keyring, UnreadableSecret } from '#webhooks/keyring.ts'

const secret = 'whsec_c2VjcmV0'
const key = (): Buffer => randomBytes(32)

describe('a sealed secret', () => {
  it('is opened for its webhook only', () => {
    const keyring = new Keyring([key()])
    const sealed = keyring.seal(secret, 'wh_a')
    expect(sealed).toMatch(/^enc:v1:[0-9a-f]{12}:[\w-]+$/)
    expect(keyring.open(sealed, 'wh_a')).toBe(secret)
    expect(() => keyring.open(sealed, 'wh_b')).toThrow(UnreadableSecret)
  })

  it('is another text each time', () => {
    const keyring = new Keyring([key()])
    expect(keyring.seal(secret, 'wh_a')).not.toBe(keyring.seal(secret, 'wh_a'))
  })

  it('that was changed or cut anywhere is not opened', () => {
    const keyring = new Keyring([key()])
    const sealed = keyring.seal(secret, 'wh_a')
    const [, , , text = ''] = sealed.split(':')
    const start = sealed.length - text.length
    for (let at = start; at < sealed.length - 1; at++) {
      const flipped = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1)
      expect(() => keyring.open(flipped, 'wh_a'), `at ${at}`).toThrow(UnreadableSecret)
      expect(() => keyring.open(sealed.slice(0, at + 1), 'wh_a'), `cut at ${at}`).toThrow(UnreadableSecret)
    }
  })

  it('is opened by the keys of before, and current only by the first', () => {
    const [first, second] = [key(), key()]
    const sealed = new Keyring([first]).seal(secret, 'wh_a')
    const rotated = new Keyring([second, first])
    expect(rotated.open(sealed, 'wh_a')).toBe(secret)
    expect(rotated.isCurrent(sealed)).toBe(false)
    expect(rotated.isCurrent(rotated.seal(secret, 'wh_a'))).toBe(true)
    expect(() => new Keyring([second]).open(sealed, 'wh_a')).toThrow(/not among the keys/)
  })

  it('is never made without a key', () => {
    expect(() => new Keyring([]).seal(secret, 'wh_a')).toThrow(/cannot store signing secrets/)
  })
})
