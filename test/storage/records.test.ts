import { MemoryRecords } from '../support/memory-records.ts'
import { FileRecords } from '../../src/storage/records/file-records.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { describeRecords } from './records-contract.ts'

describeRecords('files', async () => {
  const directory = await temporaryDirectory()
  const open = (): FileRecords =>
    new FileRecords({
      directory,
      onError: (_project, error) => {
        throw error
      },
    })
  let records = open()
  return {
    records,
    reopen: async () => {
      await records.close()
      records = open()
      return records
    },
    close: () => records.close(),
  }
})

describeRecords('memory', async () => {
  const kept: ConstructorParameters<typeof MemoryRecords>[0] = new Map()
  const records = new MemoryRecords(kept)
  return { records, reopen: async () => new MemoryRecords(kept), close: () => records.close() }
})
