import { describe, expect, it } from 'vitest'
import { Failure } from '#contract/failure.ts'
import { limits } from '#contract/limits.ts'
import { receiveFiles, receiveObjects, withCheckedPaths } from '#deploying/uploads.ts'

async function refusal(work: () => Promise<unknown>): Promise<Failure> {
  try {
    await work()
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  throw new Error('nothing was refused')
}

describe('files of a deploy request', () => {
  it('are decoded by their encoding and named by their Git blob id', async () => {
    const { oids, contents } = await receiveFiles([
      { path: 'a.md', content: 'hello\n' },
      { path: 'b.bin', content: Buffer.from([0, 255, 7]).toString('base64'), encoding: 'base64' },
    ])
    // `printf 'hello\n' | git hash-object --stdin`
    expect(oids.get('a.md')).toBe('ce013625030ba8dba906f756967f9e9ca394464a')
    expect([...(contents.get(oids.get('b.bin') ?? '') ?? [])]).toEqual([0, 255, 7])
  })

  it('may have exactly 5 MB, and not one byte more, in either encoding', async () => {
    const whole = Buffer.alloc(limits.fileBytes, 'a')
    const over = Buffer.alloc(limits.fileBytes + 1, 'a')
    expect((await receiveFiles([{ path: 'a', content: whole.toString() }])).files).toHaveLength(1)
    expect(
      (await receiveFiles([{ path: 'a', content: whole.toString('base64'), encoding: 'base64' }])).files,
    ).toHaveLength(1)
    for (const file of [
      { content: over.toString() },
      { content: over.toString('base64'), encoding: 'base64' as const },
    ]) {
      const failure = await refusal(() => receiveFiles([{ path: 'docs/big.bin', ...file }]))
      expect(failure.code).toBe('file_too_large')
      expect(failure.message).toContain('docs/big.bin')
    }
  })

  it('name both places when a path comes twice', async () => {
    const failure = await refusal(() =>
      receiveFiles([
        { path: 'a.md', content: '' },
        { path: 'b.md', content: '' },
        { path: 'a.md', content: '' },
      ]),
    )
    expect(failure.code).toBe('invalid_path')
    expect(failure.errors).toMatchObject([
      { pointer: '/files/2/path', path: 'a.md', message: expect.stringContaining('file 0') },
    ])
  })

  it('have content or an id, not both and not neither', async () => {
    const oid = '0'.repeat(40)
    const failure = await refusal(() =>
      receiveFiles([{ path: 'a' }, { path: 'b', content: '', oid }, { path: 'c', oid }]),
    )
    expect(failure.code).toBe('invalid_request')
    expect(failure.errors.map((error) => error.pointer)).toEqual(['/files/0', '/files/1'])
  })

  it('are refused when their Base64 or their text is damaged', async () => {
    for (const content of ['a', '&&&&', 'YWJj=YWJj', 'YWJjZ']) {
      expect((await refusal(() => receiveFiles([{ path: 'a', content, encoding: 'base64' }]))).code).toBe(
        'invalid_request',
      )
    }
    const failure = await refusal(() => receiveFiles([{ path: 'a', content: 'x\uD800y' }]))
    expect(failure.errors).toMatchObject([{ pointer: '/files/0/content' }])
    expect((await receiveFiles([{ path: 'a', content: 'a real \uFFFD is fine' }])).files).toHaveLength(1)
  })

  it('may have line breaks in their Base64, wherever a program puts them', async () => {
    const bytes = Buffer.from('Base64 with line breaks, as openssl, base64(1) and Python write it')
    const whole = bytes.toString('base64')
    for (const width of [4, 5, 76, 1]) {
      for (const end of ['\n', '\r\n']) {
        const content = whole.replace(new RegExp(`.{${width}}`, 'g'), (line) => line + end) + end
        const { contents } = await receiveFiles([{ path: 'a', content, encoding: 'base64' }])
        expect([...contents.values()]).toEqual([bytes])
      }
    }
    const padded = await receiveFiles([{ path: 'a', content: 'YQ=\n=\n', encoding: 'base64' }])
    expect([...padded.contents.values()].map(String)).toEqual(['a'])
  })

  it('are refused when there is something else in their Base64, line breaks or not', async () => {
    for (const content of ['YW\nJj&&&&', 'Y W\nJ j', 'YW\nJjZ', 'YQ=\n=\n=']) {
      const failure = await refusal(() => receiveFiles([{ path: 'a', content, encoding: 'base64' }]))
      expect([content, failure.code]).toEqual([content, 'invalid_request'])
    }
  })

  it('are refused for paths that no file system should hold', async () => {
    for (const path of ['../a', '/a', 'a\\b', '.git/config', 'a\0b', 'CON']) {
      const received = await receiveFiles([{ path, content: '' }])
      expect((await refusal(() => withCheckedPaths(received, null))).code).toBe('invalid_path')
    }
  })

  it('are taken as they are where main has all their paths', async () => {
    const received = await receiveFiles([{ path: 'cafe\u0301.md', content: 'x' }])
    expect([...(await withCheckedPaths(received, null)).oids.keys()]).toEqual(['caf\u00e9.md'])
    const tree = new Map([['cafe\u0301.md', { oid: '0'.repeat(40), mode: '100644' as const }]])
    expect(await withCheckedPaths(received, tree)).toBe(received)
  })

  it('list at most a hundred mistakes', async () => {
    const files = Array.from({ length: 500 }, (_, index) => ({ path: `f${index}` }))
    expect((await refusal(() => receiveFiles(files))).errors).toHaveLength(100)
  })
})

describe('content sent ahead', () => {
  it('is held to the same limits, by its place in the request', async () => {
    const failure = await refusal(() =>
      receiveObjects([{ content: '' }, { content: 'a'.repeat(limits.fileBytes + 1) }]),
    )
    expect(failure).toMatchObject({ code: 'file_too_large', errors: [{ pointer: '/objects/1/content' }] })
  })
})
