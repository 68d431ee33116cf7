import { MemoryRecords } from '#test/support/memory-records.ts'
import { FileRecords } from '#storage/records/file-records.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'
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
  let records = new MemoryRecords()
  return { records, reopen: async () => (records = records.afterDeath()), close: () => records.close() }
})
