import { basename } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { DraftFiles, type DraftHeader } from '#cli/tui/data/drafts/draft-files.ts'
import { memoryDisk } from '#test/support/cli/tui/data/disk/memory-disk.ts'
import { bringFromGone } from '#cli/tui/data/drafts/found-drafts.ts'

const header: DraftHeader = {
  quire: 'draft',
  version: 1,
  service: 'http://localhost',
  slug: 'docs',
  branchId: 'b1',
  branch: 'edits',
  path: 'index.mdx',
  baseOid: null,
  cursor: 0,
  waiting: true,
  sent: [],
  changedAt: '2026-03-01T10:00:00.000Z',
}
const log = (): void => undefined

/** A disk with one draft of an instance that has ended, and what happens just before it is read. */
async function open(meanwhile: (mine: DraftFiles) => Promise<void>) {
  const disk = memoryDisk()
  await new DraftFiles(disk, { directory: '/state', instance: 'ended', log }).write(header, 'typed')
  let isDone = false
  const mine = new DraftFiles(
    {
      ...disk,
      read: async (path, length) => {
        if (!isDone && basename(path) === 'ended.draft') {
          isDone = true
          await meanwhile(mine)
        }
        return disk.read(path, length)
      },
    },
    { directory: '/state', instance: 'mine', log },
  )
  return mine
}

test('a draft that is taken while drafts are listed is listed', async () => {
  const files = await open(async (mine) => {
    await mine.claim({ header, instance: 'ended', elsewhere: false })
  })
  expect((await files.all()).map(({ instance }) => instance)).toEqual(['mine'])
})

test('a draft that is given to another file while drafts are listed is listed', async () => {
  const files = await open(async (mine) => {
    await mine.relocate({ header, instance: 'ended', elsewhere: false }, { ...header, path: 'moved.mdx' })
  })
  expect((await files.all()).map(({ header: { path } }) => path)).toEqual(['moved.mdx'])
})

test('a thousand drafts are read some at once, and never more', async () => {
  const disk = memoryDisk()
  const paths = Array.from({ length: 1000 }, (_, at) => `page-${at}.mdx`)
  const ended = new DraftFiles(disk, { directory: '/state', instance: 'ended', log })
  for (const path of paths) await ended.write({ ...header, path }, 'typed')
  let reading = 0
  let most = 0
  const read: typeof disk.read = async (...of) => {
    most = Math.max(most, ++reading)
    await nextTurn()
    reading--
    return disk.read(...of)
  }
  const files = new DraftFiles({ ...disk, read }, { directory: '/state', instance: 'mine', log })
  expect(new Set((await files.all()).map((found) => found.header.path))).toEqual(new Set(paths))
  expect(most).toBeGreaterThan(4)
  expect(most).toBeLessThanOrEqual(16)
})

test('several who ask for all drafts at once do not have them read again for each', async () => {
  const disk = memoryDisk()
  await new DraftFiles(disk, { directory: '/state', instance: 'ended', log }).write(header, 'typed')
  let reads = 0
  const read: typeof disk.read = (...of) => {
    reads++
    return disk.read(...of)
  }
  const files = new DraftFiles({ ...disk, read }, { directory: '/state', instance: 'mine', log })
  const first = files.all()
  await files.write({ ...header, path: 'new.mdx' }, 'typed')
  const later = await Promise.all([files.all(), files.all(), files.all()])
  await first
  expect(reads).toBeLessThanOrEqual(4)
  // Whoever asks after a draft was written has it.
  for (const found of later) expect(found.map((one) => one.header.path).toSorted()).toEqual(['index.mdx', 'new.mdx'])
})

test('what is kept of a branch that is gone is found among many drafts without reading them all', async () => {
  const disk = memoryDisk()
  const ended = new DraftFiles(disk, { directory: '/state', instance: 'ended', log })
  for (let at = 0; at < 100; at++) await ended.write({ ...header, path: `page-${at}.mdx` }, 'typed')
  let reads = 0
  const read: typeof disk.read = (...of) => {
    reads++
    return disk.read(...of)
  }
  const files = new DraftFiles({ ...disk, read }, { directory: '/state', instance: 'mine', log })
  await files.all()
  // Since then, by another terminal.
  await ended.write({ ...header, path: 'late.mdx' }, 'typed late')
  reads = 0
  const isOpen = (): boolean => false
  for (const path of ['page-7.mdx', 'late.mdx'])
    await bringFromGone(files, { slug: 'docs', branch: 'edits', branchId: 'b2', path }, isOpen)
  expect(reads).toBeLessThan(20)
  for (const path of ['page-7.mdx', 'late.mdx']) expect(await files.of({ branchId: 'b2', path })).toHaveLength(1)
})
