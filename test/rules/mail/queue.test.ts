import { describe, expect, test, vi } from 'vitest'
import type { Letter } from '#mail/mailer.ts'
import { MailQueue } from '#mail/queue.ts'
import type { Deliver } from '#mail/smtp.ts'

const letterTo = (to: string): Letter => ({ to, subject: 'Hello', text: 'Hello', html: '<p>Hello</p>' })

function queueOf(deliver: Deliver, waits: readonly number[] = [0, 1, 1]) {
  const warn = vi.fn<(facts: object, message: string) => void>()
  return { queue: new MailQueue({ deliver, waits, log: { warn } }), warn }
}

describe('letters that wait', () => {
  test('are sent again when the server cannot take them yet, written once', async () => {
    let attempts = 0
    const sent: string[] = []
    const { queue, warn } = queueOf(async ({ to }) => {
      attempts += 1
      if (attempts < 3) throw Object.assign(new Error('busy'), { responseCode: 451 })
      sent.push(to)
    })
    const write = vi.fn<() => Promise<Letter>>(async () => letterTo('ada@example.com'))
    queue.post('a', write)
    await vi.waitFor(() => expect(sent).toEqual(['ada@example.com']))
    expect(write).toHaveBeenCalledOnce()
    expect(warn).toHaveBeenCalledTimes(2)
  })

  test('are not sent again when the server refuses them for good, nor for ever', async () => {
    let [refused, failed] = [0, 0]
    const { queue, warn } = queueOf(async ({ to }) => {
      if (to === 'refused@example.com') {
        refused += 1
        throw Object.assign(new Error('550 secret words'), { responseCode: 550 })
      }
      failed += 1
      throw Object.assign(new Error('connect'), { code: 'ECONNECTION' })
    })
    queue.post('a', async () => letterTo('refused@example.com'))
    queue.post('b', async () => letterTo('failed@example.com'))
    await vi.waitFor(() => expect(warn).toHaveBeenCalledWith(expect.anything(), 'a letter was not sent'))
    expect([refused, failed]).toEqual([1, 3])
    expect(JSON.stringify(warn.mock.calls)).not.toContain('example.com')
  })

  test('are no more than fifty of one party, and others are let in', async () => {
    let release = (): void => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    const sent: string[] = []
    const { queue } = queueOf(async ({ to }) => {
      await held
      sent.push(to)
    })
    for (let count = 0; count < 50; count++) queue.post('a', async () => letterTo(`${count}@example.com`))
    expect(() => queue.post('a', async () => letterTo('last@example.com'))).toThrow('Too many letters wait')
    queue.post('b', async () => letterTo('b@example.com'))
    release()
    await vi.waitFor(() => expect(sent).toHaveLength(51))
    // Its turn came before most of the fifty.
    expect(sent.indexOf('b@example.com')).toBeLessThan(10)
    queue.post('a', async () => letterTo('last@example.com'))
    await vi.waitFor(() => expect(sent).toContain('last@example.com'))
  })

  test('that cannot be written are told of, and stop nobody', async () => {
    const sent: string[] = []
    const { queue, warn } = queueOf(async ({ to }) => void sent.push(to))
    queue.post('a', () => Promise.reject(new Error('the disk is full')))
    queue.post('a', async () => null)
    queue.post('a', async () => letterTo('ada@example.com'))
    await vi.waitFor(() => expect(sent).toEqual(['ada@example.com']))
    expect(warn).toHaveBeenCalledWith(expect.objectContaining({ reason: 'the disk is full' }), 'a letter was not sent')
  })

  test('do not hold the end: who waits is dropped, what is under way is cut off', async () => {
    const started = vi.fn<() => void>()
    const { queue } = queueOf(() => {
      started()
      return new Promise<void>(() => undefined)
    })
    for (let count = 0; count < 10; count++) queue.post('a', async () => letterTo(`${count}@example.com`))
    await vi.waitFor(() => expect(started).toHaveBeenCalled())
    const before = started.mock.calls.length
    await queue.close(10)
    expect(started).toHaveBeenCalledTimes(before)
  })
})
