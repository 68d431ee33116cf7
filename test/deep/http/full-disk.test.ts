import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { useProblems } from '#http/api/problems.ts'
import { diskRefusal } from '#lib/disk.ts'

const of = (code: string): Error => Object.assign(new Error(`${code}: of the system`), { code })

it.each([
  [of('ENOSPC'), 'the disk is full'],
  [of('EROFS'), 'takes no writes'],
  [new Error('git hash-object failed', { cause: of('EDQUOT') }), 'quota'],
  [new Error('fatal: write error: No space left on device'), 'the disk is full'],
  [new Error("fatal: Unable to create 'x.lock': Read-only file system"), 'takes no writes'],
  [new Error("fatal: prepare: couldn't write '/data/docs.git/refs/heads/draft.lock'"), 'the disk takes no more'],
])('a disk that refuses is told as such: %s', async (error, reason) => {
  const app = Fastify()
  useProblems(app, () => [])
  app.get('/', () => {
    throw error
  })
  const answer = await app.inject('/')
  expect(answer.statusCode).toBe(503)
  expect(answer.json()).toMatchObject({ code: 'unavailable', detail: expect.stringContaining(reason) as string })
  expect(answer.headers['retry-after']).toBe('60')
})

it('a bug stays one', () => {
  expect(diskRefusal(new Error('x is undefined'))).toBeNull()
})
