import { statfs } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { FreeSpace } from '#storage/free-space.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

const gigabyte = 2 ** 30

/** All but so many bytes of what is free now have to stay so. */
async function openBut(bytes: number) {
  const directory = await temporaryDirectory()
  const { bavail, bsize } = await statfs(directory)
  const told: number[] = []
  const onLow = (freeBytes: number): void => void told.push(freeBytes)
  return { space: new FreeSpace({ directory, least: bavail * bsize - bytes, onLow }), told }
}

test('what would leave too little is refused, with what goes on, and the operator is told once', async () => {
  const { space, told } = await openBut(4 * gigabyte)
  const large = await refusalOf(space.admit(5 * gigabyte))
  expect(large).toMatchObject({ code: 'unavailable', retryAfter: 60 })
  expect(large.hint).toContain('deletions go on')
  await refusalOf(space.admit(5 * gigabyte))
  expect(told).toHaveLength(1)
  await space.admit(1024)
})

test('what one request says that it brings takes no room from another', async () => {
  const { space } = await openBut(5 * gigabyte)
  for (let times = 0; times < 6; times++) await space.admit(2 * gigabyte)
  await refusalOf(space.admit(5 * gigabyte))
  await expect(space.admit(gigabyte)).resolves.toBeUndefined()
})

test('without a setting a disk with room for it takes content', async () => {
  const space = new FreeSpace({ directory: await temporaryDirectory(), least: undefined, onLow: () => undefined })
  await expect(space.admit(1024)).resolves.toBeUndefined()
})

test('a reserve of nothing refuses nothing', async () => {
  const space = new FreeSpace({ directory: await temporaryDirectory(), least: 0, onLow: () => undefined })
  await expect(space.admit(Number.MAX_SAFE_INTEGER / 4)).resolves.toBeUndefined()
})
