import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { faultOf } from '#cli/webhook-receiver.ts'

const secret = `whsec_${Buffer.alloc(32, 'a').toString('base64')}`
const other = `whsec_${Buffer.alloc(32, 'b').toString('base64')}`
const now = new Date('2026-11-21T12:00:00Z')
const body = '{"event":"deploy.success"}'

const signed = (at = now, by = secret) => ({
  'webhook-id': 'evt_1',
  'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
  'webhook-signature': new Webhook(by).sign('evt_1', at, body),
})
const fault = (headers: Record<string, string>, text = body): string | null =>
  faultOf({ headers, body: Buffer.from(text) }, secret, now.getTime())

describe('a delivery', () => {
  it('is genuine when the reference implementation signed it', () => {
    expect(fault(signed())).toBeNull()
  })

  it('is genuine when one of its signatures is, as during a rotation', () => {
    const both = `${signed(now, other)['webhook-signature']} ${signed()['webhook-signature']}`
    expect(fault({ ...signed(), 'webhook-signature': both })).toBeNull()
  })

  it('is refused when it was signed with another secret, or changed on its way', () => {
    expect(fault(signed(now, other))).toContain('another secret')
    expect(fault(signed(), body.replace('success', 'failed'))).toContain('another secret')
    expect(fault({ ...signed(), 'webhook-id': 'evt_2' })).toContain('another secret')
  })

  it.each([-301, 301])('is refused %i seconds away from its time', (seconds) => {
    expect(fault(signed(new Date(now.getTime() + seconds * 1000)))).toContain('time')
    expect(fault(signed(new Date(now.getTime() + Math.sign(seconds) * 299_000)))).toBeNull()
  })

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('is refused without %s', (name) => {
    const { [name]: _left, ...others } = signed() as Record<string, string>
    expect(fault(others)).toBe('it has no signature')
  })

  it('is refused with a signature of another version or none that means anything', () => {
    const v1 = signed()['webhook-signature']
    expect(fault({ ...signed(), 'webhook-signature': v1.replace('v1,', 'v1a,') })).toContain('another secret')
    expect(fault({ ...signed(), 'webhook-signature': 'v1,' })).toContain('another secret')
  })
})
