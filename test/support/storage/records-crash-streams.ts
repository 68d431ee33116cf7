import type { RecordLog, RecordTable, StreamSpec } from '#storage/records.ts'

/** Streams that a process writes to and another one looks into. */
export const crashLog: StreamSpec<RecordLog<{ readonly n: number; readonly text: string }>> = {
  name: 'audit',
  open: ({ log }) => log({ maxBytes: 1 << 30 }),
}

export const crashTable: StreamSpec<RecordTable<{ readonly step: number }, { readonly text: string }>> = {
  name: 'changelog',
  open: ({ table }) => table({ erases: true }),
}
