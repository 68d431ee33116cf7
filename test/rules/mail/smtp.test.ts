import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { letterOf } from '#mail/letter.ts'
import { isRefusal, smtpDelivery } from '#mail/smtp.ts'
import { startSmtp } from '#test/support/smtp.ts'

const letter = letterOf({
  to: 'ada@example.com',
  subject: 'Hello <b>',
  opening: ['At <docs.example.com> & elsewhere — “here”.'],
  link: { label: 'Open', url: `https://docs.example.com/dashboard/auth/confirm-email#token=${'x'.repeat(43)}` },
})

describe('a letter', () => {
  test('arrives as text and as HTML that says the same, with nothing of the text in its markup', async () => {
    const smtp = await startSmtp()
    await smtpDelivery({ url: smtp.url, from: 'Quire <quire@example.com>' })(letter)
    const [arrived] = smtp.arrived
    expect(arrived).toMatchObject({ from: 'quire@example.com', to: ['ada@example.com'] })
    expect(arrived?.source).toMatch(/^From: Quire <quire@example\.com>\r$/m)
    expect(arrived?.source).toMatch(/^Auto-Submitted: auto-generated\r$/m)
    expect(arrived?.text).toContain('At <docs.example.com> & elsewhere — “here”.')
    expect(arrived?.text).toContain('<p>At &lt;docs.example.com&gt; &amp; elsewhere — “here”.</p>')
    expect(arrived?.text).toContain(`#token=${'x'.repeat(43)}\n`)
  })

  test('is handed over with user and password where the settings have them', async () => {
    const smtp = await startSmtp({ name: 'quire', password: 'secret' })
    await smtpDelivery({ url: smtp.url, from: 'quire@example.com' })(letter)
    expect(smtp.arrived).toHaveLength(1)
    const wrong = smtpDelivery({ url: smtp.url.replace('secret', 'wrong'), from: 'quire@example.com' })(letter)
    await expect(wrong).rejects.toMatchObject({ code: 'EAUTH' })
  })

  test('goes to the one whom it is for, whatever the address looks like', async () => {
    const smtp = await startSmtp()
    const deliver = smtpDelivery({ url: smtp.url, from: 'quire@example.com' })
    await deliver({ ...letter, to: "o'brien+a@example.com" })
    expect(smtp.arrived.map(({ to }) => to)).toEqual([["o'brien+a@example.com"]])
  })

  test('is refused for good or for now, as the server says', async () => {
    const smtp = await startSmtp()
    const deliver = smtpDelivery({ url: smtp.url, from: 'quire@example.com' })
    for (const [status, expected] of [
      [550, true],
      [451, false],
    ] as const) {
      smtp.status = status
      const error: unknown = await deliver(letter).catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(Error)
      expect(isRefusal(error)).toBe(expected)
    }
  })

  test('fails where nobody answers as a server of mail does', async () => {
    const server = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
    const { port } = server.address() as AddressInfo
    const sent = smtpDelivery({ url: `smtp://127.0.0.1:${port}`, from: 'quire@example.com' })(letter)
    await expect(sent).rejects.toThrow('Invalid greeting')
  })
})
