import { writeSync } from 'node:fs'
import { openJournal } from '../../src/storage/journal.ts'

/** A process that appends to the journal given until it is killed, and says each number that was acknowledged. */
const [directory = '', first = '0'] = process.argv.slice(2)
const journal = await openJournal<{ n: number; text: string }>(directory, {
  maxSegmentBytes: 20_000,
  maxSegments: 1000,
})
let next = Number(first)

async function append(): Promise<never> {
  for (;;) {
    const n = next++
    await journal.append({ n, text: 'é'.repeat(n % 300) })
    writeSync(1, `${n}\n`)
  }
}

await Promise.all(Array.from({ length: 8 }, append))
