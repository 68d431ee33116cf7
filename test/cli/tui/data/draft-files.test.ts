import { basename } from 'node:path'
import { expect, test } from 'vitest'
import { DraftFiles, type DraftHeader } from '../../../../cli/tui/data/drafts/draft-files.ts'
import { memoryDisk } from './memory-disk.ts'

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
