import { FileRecords } from '#storage/records/file-records.ts'

/** The records of a data directory; what cannot be erased fails the test. */
export function openFileRecords(directory: string): FileRecords {
  return new FileRecords({
    directory,
    onError: (_project, error) => {
      throw error
    },
  })
}
