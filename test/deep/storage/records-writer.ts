import { writeSync } from 'node:fs'
import { FileRecords } from '#storage/records/file-records.ts'
import { crashLog, crashTable } from '#test/support/storage/records-crash-streams.ts'

/** A process that writes to streams below the directory given until it is killed, and says what was acknowledged. */
const [directory = '', first = '0'] = process.argv.slice(2)
const records = new FileRecords({
  directory,
  onError: (_project, error) => {
    throw error
  },
})
let next = Number(first)

async function append(): Promise<never> {
  for (;;) {
    const n = next++
    await records.use('leaves', crashLog, (log) => log.append({ n, text: 'é'.repeat(n % 300) }))
    writeSync(1, `log ${n}\n`)
  }
}

/** Puts a record, replaces its head, then its body, and deletes it unless its number says that it stays. */
async function change(): Promise<never> {
  for (;;) {
    const n = next++
    const key = `k${n}`
    const write = (changes: Parameters<Awaited<ReturnType<typeof open>>['write']>[0]) =>
      records.use('leaves', crashTable, (table) => table.write(changes))
    const text = `secret-${n}-`.repeat(100)
    await write([
      { put: key, head: { step: 1 }, body: { text } },
      { put: `${key}-twin`, head: { step: 1 } },
    ])
    await write([{ put: key, head: { step: 2 } }])
    if (n % 3 === 0) {
      await write([{ delete: key }, { delete: `${key}-twin` }])
      writeSync(1, `gone ${n}\n`)
    } else writeSync(1, `kept ${n}\n`)
  }
}

const open = () => records.use('leaves', crashTable, (table) => table)
await Promise.all([...Array.from({ length: 4 }, append), ...Array.from({ length: 4 }, change)])
