import { writeSync } from 'node:fs'
import { lockDirectory } from '#storage/lock.ts'
import { openStore } from '#storage/documents/document-files.ts'

/** A process that takes the directory given, then changes documents until it is killed, and says each acknowledgement. */
interface Counted {
  count: number
  history: number[]
}

const [directory = ''] = process.argv.slice(2)
const store = await openStore(await lockDirectory(directory))
writeSync(1, 'ready\n')

async function count(document: string): Promise<never> {
  for (;;) {
    const acknowledged = await store.mutate<Counted, number>(document, (draft) => {
      const counted = draft ?? { count: 0, history: [] }
      counted.count += 1
      counted.history = [...counted.history, counted.count].slice(-500)
      return { document: counted, result: counted.count }
    })
    writeSync(1, `${document} ${acknowledged}\n`)
  }
}

await Promise.all(['project/a', 'project/a', 'project/b', 'service'].map(count))
