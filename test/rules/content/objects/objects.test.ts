import { describe, expect, it } from 'vitest'
import { parseCommit } from '#content/objects/objects.ts'

const oid = 'c'.repeat(40)
const tree = 'a'.repeat(40)

function commitOf(
  { headers = [] as readonly string[], author = 'Ada <ada@example.com>', seconds = '1700000000', message = 'Write\n' },
  encoding: BufferEncoding = 'utf8',
) {
  const lines = [
    `tree ${tree}`,
    `author ${author} 1 +0000`,
    `committer Bo <bo@example.com> ${seconds} +0200`,
    ...headers,
  ]
  return parseCommit(oid, Buffer.from(`${lines.join('\n')}\n\n${message}`, encoding))
}

describe('a commit', () => {
  it('is read with its author, its message and the time in UTC', () => {
    expect(commitOf({ author: 'Zoë <zoe@example.com>', message: 'Über\n\nMore.\n' })).toEqual({
      oid,
      tree,
      parents: [],
      author: { name: 'Zoë', email: 'zoe@example.com' },
      message: 'Über\n\nMore.\n',
      committedAt: '2023-11-14T22:13:20.000Z',
    })
  })

  it.each(['253402300800', '9999999999999', '18446744073709551614'])(
    'of second %s, which no timestamp can say, is of the last one that a timestamp can',
    (seconds) => {
      expect(commitOf({ seconds }).committedAt).toBe('9999-12-31T23:59:59.000Z')
    },
  )

  it('is read in the encoding that it names', () => {
    const headers = ['encoding ISO-8859-1']
    const { author, message } = commitOf({ headers, author: 'Zoë <zoe@example.com>', message: 'Café\n' }, 'latin1')
    expect([author.name, message]).toEqual(['Zoë', 'Café\n'])
  })

  it('is read as UTF-8 where nobody knows the encoding that it names', () => {
    expect(commitOf({ headers: ['encoding klingon'], message: 'Café\n' }).message).toBe('Café\n')
  })

  it('does not take a line of a signature for a header', () => {
    expect(commitOf({ headers: ['gpgsig -----BEGIN', ' encoding ISO-8859-1', ' tree nothing'] })).toMatchObject({
      tree,
    })
  })

  it('with a huge message is read as far as people will', () => {
    const { message } = commitOf({ message: 'é'.repeat(3_000_000) })
    expect(message).toBe('é'.repeat(32 * 1024))
  })
})
