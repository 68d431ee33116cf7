import { openDocuments } from '#storage/documents/document-store.ts'
import { MemoryDocuments } from '#test/support/memory-documents.ts'
import { describeStore } from '#test/support/storage/store-contract.ts'

describeStore('memory', async () => {
  let documents = new MemoryDocuments()
  const store = await openDocuments(documents)
  let last = store
  return {
    store,
    reopen: async () => {
      documents = documents.afterDeath()
      return (last = await openDocuments(documents))
    },
    close: () => last.close(),
  }
})
