import { createHash, randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { serveGit } from '#test/support/git-service.ts'
import { deltaBomb, line, options, packOf, zero } from '#test/support/pack.ts'
import { expectUntouched, post } from '#test/support/raw-push.ts'

describe('a push that git would not send', () => {
  const oid = 'a'.repeat(40)

  it.each<[string, string | Buffer]>([
    ['nothing', ''],
    ['no length', 'hello'],
    ['a delimiter of protocol 2', '0001'],
    ['a line that is cut short', '0040abc'],
    ['a length beyond the limit', 'fff5' + 'x'.repeat(100)],
    ['commands without an end', line(`${zero} ${oid} refs/heads/x${options}`)],
    ['a short oid', line(`${zero} abc refs/heads/x${options}`) + '0000'],
    ['no ref', line(`${zero} ${oid} ${options}`) + '0000'],
    ['a line feed in a ref', line(`${zero} ${oid} refs/heads/x\nok refs/heads/y${options}`) + '0000'],
    ['a ref that is not UTF-8', Buffer.concat([Buffer.from(`0036${zero.slice(1)}`), Buffer.from([0xff])])],
    ['SHA-256', line(`${zero} ${oid} refs/heads/x\0object-format=sha256`) + '0000'],
    ['push options, which were not offered', line(`${zero} ${oid} refs/heads/x\0report-status push-options`) + '0000'],
    ['a signed push', line('push-cert\0report-status') + '0000'],
    [
      'capabilities twice',
      line(`${zero} ${oid} refs/heads/x${options}`) + line(`${zero} ${oid} refs/heads/y${options}`) + '0000',
    ],
    [
      'more refs than anybody has',
      Array.from({ length: 1002 }, (_, i) => line(`${zero} ${oid} refs/heads/b${i}${i === 0 ? options : ''}`)).join(
        '',
      ) + '0000',
    ],
  ])('is no push: %s', async (_name, payload) => {
    const service = await serveGit()
    const answer = await post(service, payload)
    expect(answer.statusCode).toBe(400)
    expect(answer.payload).toContain('This is not a push in Git’s protocol')
    await expectUntouched(service)
  })

  it('asks first whether it may, with a flush', async () => {
    const service = await serveGit()
    const answer = await post(service, '0000')
    expect([answer.statusCode, answer.payload]).toEqual([200, ''])
    expect(answer.headers['content-type']).toBe('application/x-git-receive-pack-result')
  })

  it.each<[string, Buffer, string]>([
    ['no pack at all', Buffer.alloc(0), 'it ends too early'],
    ['something else', Buffer.from('<html>it is not a pack</html>'), 'does not start with PACK'],
    ['a pack that is cut short', packOf([{ type: 3, body: Buffer.from('x') }]).subarray(0, 20), 'early EOF'],
    [
      'a wrong checksum',
      Buffer.concat([packOf([{ type: 3, body: Buffer.from('x') }]).subarray(0, -1), Buffer.from([0])]),
      'pack is corrupted',
    ],
    ['random bytes', Buffer.concat([packOf([]).subarray(0, 8), Buffer.from([0, 0, 0, 9]), randomBytes(500)]), 'unpack'],
    [
      'a commit with a forged header',
      packOf([{ type: 1, body: Buffer.from(`tree ${oid}\nauthor nobody\n\n`) }]),
      'is not sound',
    ],
    [
      'a tree out of order',
      packOf([{ type: 2, body: Buffer.from(`100644 b\0${'x'.repeat(20)}100644 a\0${'x'.repeat(20)}`) }]),
      'is not sound',
    ],
  ])('is refused: %s', async (_name, pack, sentence) => {
    const service = await serveGit()
    const answer = await post(
      service,
      Buffer.concat([Buffer.from(line(`${zero} ${oid} refs/heads/x${options}`) + '0000'), pack]),
    )
    expect(answer.statusCode).toBe(200)
    expect(answer.payload).toContain('ng refs/heads/x')
    expect(answer.payload).toContain(sentence)
    await expectUntouched(service)
  })

  it('is refused for an object that no ref reaches', async () => {
    const service = await serveGit()
    const id = (type: string, body: Buffer) =>
      createHash('sha1').update(`${type} ${body.length}\0`).update(body).digest()
    const blob = Buffer.from('/etc/passwd')
    const tree = (mode: string) => Buffer.concat([Buffer.from(`${mode} a\0`), id('blob', blob)])
    const person = 'Eve <eve@example.com> 1700000000 +0000'
    const head = `tree ${id('tree', tree('100644')).toString('hex')}\nauthor ${person}\ncommitter ${person}\n\nx\n`
    const commit = Buffer.from(head)
    const good = [
      { type: 1, body: commit },
      { type: 2, body: tree('100644') },
      { type: 3, body: blob },
    ] as const
    const push = (objects: Parameters<typeof packOf>[0]) => {
      const command = line(`${zero} ${id('commit', commit).toString('hex')} refs/heads/x${options}`)
      return post(service, Buffer.concat([Buffer.from(command + '0000'), packOf(objects)]))
    }
    const refused = await push([...good, { type: 2, body: tree('160000') }])
    expect(refused.payload).toContain('submodule')
    await expectUntouched(service)
    expect((await push(good)).payload).toContain('ok refs/heads/x')
  })

  it('is refused for a few kilobytes of deltas that stand for gigabytes, before they are all unpacked', async () => {
    const service = await serveGit()
    const pack = deltaBomb()
    expect(pack.length).toBeLessThan(4096)
    const command = line(`${zero} ${'a'.repeat(40)} refs/heads/x${options}`)
    const answer = await post(service, Buffer.concat([Buffer.from(`${command}0000`), pack]))
    expect(answer.payload).toContain('more than 5 s of processor time')
    expect(answer.payload).toContain('hint: Pack anew')
    await expectUntouched(service)
  })

  it('is refused for objects that are too large together, each within the limit', async () => {
    const service = await serveGit({ freelyExpanded: 1024 * 1024 })
    const zeros = Array.from({ length: 4 }, (_, i) => ({ type: 3 as const, body: Buffer.alloc(5_000_000, i) }))
    const command = line(`${zero} ${'a'.repeat(40)} refs/heads/x${options}`)
    const pack = packOf(zeros)
    const answer = await post(service, Buffer.concat([Buffer.from(`${command}0000`), pack]))
    expect(answer.payload).toMatch(/more than \d+ MB when unpacked/)
    await expectUntouched(service)
  })

  it('names a commit that is not there, or is none', async () => {
    const service = await serveGit()
    const blob = Buffer.from('x')
    const blobId = createHash('sha1').update('blob 1\0x').digest('hex')
    const body = (value: string) =>
      Buffer.concat([
        Buffer.from(line(`${zero} ${value} refs/heads/x${options}`) + '0000'),
        packOf([{ type: 3, body: blob }]),
      ])
    expect((await post(service, body(oid))).payload).toContain('lacks objects')
    expect((await post(service, body(blobId))).payload).toContain('a branch points at a commit, not a blob')
    await expectUntouched(service)
  })

  it('is refused when one ref is given twice, and when there is nothing to delete', async () => {
    const service = await serveGit()
    const payload = line(`${zero} ${zero} refs/heads/x${options}`) + line(`${zero} ${zero} refs/heads/x`) + '0000'
    const answer = await post(service, payload)
    expect(answer.payload).toContain('There is no refs/heads/x to delete')
    expect(answer.payload).toContain('is given twice')
  })

  it('reports without bands and without a report as the client can take it', async () => {
    const service = await serveGit()
    const plain = await post(service, line(`${oid} ${zero} refs/heads/main\0report-status`) + '0000')
    const report =
      line('unpack ok\n') + line('ng refs/heads/main main cannot be deleted: it is what is live\n') + '0000'
    expect(plain.payload).toBe(report)
    expect((await post(service, line(`${oid} ${zero} refs/heads/main`) + '0000')).payload).toBe('')
  })

  it('may be compressed, and a broken compression is said', async () => {
    const service = await serveGit()
    const payload = line(`${oid} ${zero} refs/heads/main\0report-status`) + '0000'
    expect((await post(service, gzipSync(payload), { 'content-encoding': 'gzip' })).payload).toContain(
      'cannot be deleted',
    )
    expect((await post(service, Buffer.from('no gzip'), { 'content-encoding': 'gzip' })).payload).toContain(
      'gzip encoding is broken',
    )
    expect((await post(service, payload, { 'content-encoding': 'br' })).statusCode).toBe(415)
    expect((await post(service, payload, { 'content-type': 'text/plain' })).statusCode).toBe(415)
  })
})
