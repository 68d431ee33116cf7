import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Comments, type Commenter } from '#comments/comments.ts'
import { commentLimits, quoteOf } from '#contract/comments.ts'
import { openFileRecords } from '#test/support/file-records.ts'
import { MemoryRecords } from '#test/support/memory-records.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

const ada: Commenter = { kind: 'account', id: 'ada', name: 'ada', isOwner: false }
const project = 'docs'

function room(records: ConstructorParameters<typeof Comments>[0]['records'] = new MemoryRecords()) {
  const known = new Set(['next', 'other'])
  const comments = new Comments({
    branches: { require: async () => undefined, isKnown: (_project, id) => known.has(id) },
    records,
    nameOf: async (id) => id,
    now: () => new Date(),
    log: { warn: (details) => expect(details).toBeUndefined() },
  })
  const say = (text: string, branch = 'next') => comments.create(project, branch, { text }, ada)
  const countOf = async (branch: string) => (await comments.list(project, branch, { limit: 200 })).items.length
  return { comments, known, say, countOf }
}

it('a branch takes as many comments as it may have, and then says what makes room', async () => {
  const { comments, say } = room()
  const first = await say('first')
  for (let made = 1; made < commentLimits.ofBranch; made++) await say('x')
  expect(await refusalOf(say('too many'))).toMatchObject({
    code: 'invalid_request',
    message: 'The branch has 1000 comments, which is the most.',
  })
  await say('elsewhere', 'other')
  await comments.remove({ projectId: project, branch: 'next', comment: first.id }, ada)
  await say('one more')
})

it('comments of a branch that a crash left go with the next comment of the project', async () => {
  const { known, say, countOf } = room()
  await say('left', 'other')
  known.delete('other')
  await say('new')
  expect([await countOf('other'), await countOf('next')]).toEqual([0, 1])
})

it('a page of long comments ends early and goes on behind its last', async () => {
  const { comments, say } = room()
  const long = 'x'.repeat(commentLimits.text)
  for (let made = 0; made < 40; made++) await say(long)
  const seen = new Set<string>()
  let cursor: string | undefined
  let pages = 0
  do {
    const page = await comments.list(project, 'next', { limit: 200, ...(cursor === undefined ? {} : { cursor }) })
    expect(JSON.stringify(page).length).toBeLessThan(commentLimits.listBytes * 1.2)
    for (const { id } of page.items) seen.add(id)
    cursor = page.nextCursor
    pages += 1
  } while (cursor !== undefined)
  expect([seen.size, pages]).toEqual([40, 2])
})

it('what is said at once is all kept, whoever resolves meanwhile', async () => {
  const { comments, say, countOf } = room()
  const { id, thread } = await say('begin')
  const key = { projectId: project, branch: 'next', comment: id }
  await Promise.all([
    ...Array.from({ length: 10 }, (_, at) => comments.create(project, 'next', { text: `${at}`, thread }, ada)),
    comments.update(key, { resolved: true }, ada),
    comments.update(key, { text: 'edited' }, ada),
  ])
  expect(await countOf('next')).toBe(11)
  const { items, openThreads } = await comments.list(project, 'next', { limit: 200 })
  expect(items.find((each) => each.id === id)).toMatchObject({ text: 'edited', resolved: true })
  expect(openThreads).toBe(0)
})

it('a comment that is deleted while it is edited stays deleted', async () => {
  const { comments, say, countOf } = room()
  const { id } = await say('begin')
  const key = { projectId: project, branch: 'next', comment: id }
  const [, edited] = await Promise.allSettled([comments.remove(key, ada), comments.update(key, { text: 'no' }, ada)])
  expect(edited.status).toBe('rejected')
  expect(await countOf('next')).toBe(0)
})

it('deleted words are gone from the disk', async () => {
  const directory = await temporaryDirectory()
  const records = openFileRecords(directory)
  const { comments, say } = room(records)
  const { id } = await say('a secret that slipped')
  await comments.remove({ projectId: project, branch: 'next', comment: id }, ada)
  await say('harmless')
  await records.close()
  const names = await readdir(directory, { recursive: true, withFileTypes: true })
  const texts = await Promise.all(
    names.filter((entry) => entry.isFile()).map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8')),
  )
  expect(texts.join('')).toContain('harmless')
  expect(texts.join('')).not.toContain('slipped')
})

it.each([
  ['a long line', `${'é'.repeat(499)}😀 and more`],
  ['a line with what cannot be kept', 'a\0b\uD800c'],
  ['a line with spaces where it is cut', `${'x'.repeat(498)}   y`],
])('%s keeps the same quote', (_what, line) => {
  const quote = quoteOf(line)
  expect(quote.length).toBeLessThanOrEqual(commentLimits.quote)
  expect(quoteOf(quote)).toBe(quote)
  expect(quote).toMatch(/^[^\0\uD800-\uDFFF]*$/)
})
