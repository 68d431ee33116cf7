import { FileBlobs } from '#storage/blobs/file-blobs.ts'
import { MemoryBlobs } from '#test/support/memory-blobs.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'
import { common, describeBlobs } from './blobs-contract.ts'

describeBlobs('files', async () => {
  const directory = await temporaryDirectory()
  const warn = (message: string): never => {
    throw new Error(message)
  }
  const open = (): FileBlobs => new FileBlobs(directory, warn, { common })
  return { blobs: open(), reopen: async () => open(), close: () => Promise.resolve() }
})

describeBlobs('memory', async () => {
  const kept: ConstructorParameters<typeof MemoryBlobs>[0] = new Map()
  return {
    blobs: new MemoryBlobs(kept),
    reopen: async () => new MemoryBlobs(kept),
    close: () => Promise.resolve(),
  }
})
