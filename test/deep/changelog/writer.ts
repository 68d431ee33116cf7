import { writeSync } from 'node:fs'
import { projectDocument, projectPrefix } from '#projects/document.ts'
import { Changelog } from '#changelog/changelog.ts'
import type { ChangelogDocument } from '#changelog/ports.ts'
import { lockDirectory } from '#storage/lock.ts'
import { openStore } from '#storage/documents/document-files.ts'
import { FileRecords } from '#storage/records/file-records.ts'

/**
 * A process that writes entries until it is killed and says each acknowledgement: `put <id> <revision> <fate>`, `gone <id>`. What is
 * announced is kept in the project's document, as the outbox is.
 */
interface Told extends ChangelogDocument {
  told?: string[]
}

const [directory = ''] = process.argv.slice(2)
const store = await openStore(await lockDirectory(directory))
await store.mutate<Told, void>(projectDocument('docs'), (draft) => ({
  document: draft ?? { slug: 'docs', title: 'Docs' },
  result: undefined,
}))
const changelog = new Changelog({
  store,
  now: () => new Date(),
  records: new FileRecords({ directory, onError: (_slug, error) => writeSync(2, `${String(error)}\n`) }),
  documentOf: projectDocument,
  documentPrefix: projectPrefix,
  renderer: { fingerprint: '1', render: ({ text }) => Promise.resolve({ ok: true, html: text }) },
  siteUrl: () => 'https://docs.example.net',
  pageUrl: () => 'https://app.example.com/changelog',
  announcer: {
    record: (document, { data }) => {
      const told = document as Told
      told.told = [...(told.told ?? []), data.entry.id]
    },
    wake: () => undefined,
  },
  log: { error: ({ err }) => writeSync(2, `${String(err)}\n`) },
})
await changelog.load()
writeSync(1, 'ready\n')

async function write(worker: number): Promise<never> {
  for (let turn = 0; ; turn++) {
    const text = { title: `Entry of ${worker}`, content: `${turn} ${'x'.repeat(20_000)}` }
    const { id } = await changelog.create('docs', { ...text, is_draft: turn % 2 === 1 })
    const fate = turn % 3 === 0 ? 'doomed' : 'kept'
    writeSync(1, `put ${id} 0 ${fate}\n`)
    await changelog.update('docs', { id, is_draft: false, content: `changed ${turn}` })
    writeSync(1, `put ${id} 1 ${fate}\n`)
    if (fate === 'kept') continue
    await changelog.remove('docs', id)
    writeSync(1, `gone ${id}\n`)
  }
}

await Promise.all([0, 1, 2, 3].map(write))
