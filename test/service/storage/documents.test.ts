import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '#storage/documents/document-files.ts'
import { lockDirectory } from '#storage/lock.ts'
import { describeStore } from '#test/support/storage/store-contract.ts'

describeStore('files', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'quire-store-'))
  const lock = await lockDirectory(directory)
  const store = await openStore(lock)
  let last = store
  return {
    store,
    // The directory stays locked: no other process comes between.
    reopen: async () => (last = await openStore(lock)),
    close: async () => {
      await last.close()
      await lock.release()
      await rm(directory, { recursive: true, force: true })
    },
  }
})
