// Types into a draft until it is killed, and says what it typed, and when the disk was at work:
// `typist.mjs <url> <token> <state folder> <branch id> <path>`.
import { setTimeout as sleep } from 'node:timers/promises'
import { nodeDisk, type Disk } from '#cli/tui/data/disk/disk.ts'
import { openWorkspace } from '#cli/tui/data/service/open-workspace.ts'
import type { Branch } from '#cli/tui/data/workspace.ts'

const [url = '', token = '', stateDirectory = '', id = '', path = ''] = process.argv.slice(2)
const timed = async <T>(work: Promise<T>): Promise<T> => {
  process.stdout.write(`disk-begins ${Date.now()}\n`)
  return work.finally(() => process.stdout.write(`disk-ends ${Date.now()}\n`))
}
const disk: Disk = {
  ...nodeDisk,
  list: (directory) => timed(nodeDisk.list(directory)),
  replace: (...file) => timed(nodeDisk.replace(...file)),
}
const workspace = await openWorkspace({
  environment: { stateDirectory },
  disk,
  url,
  credential: { kind: 'session', token, email: 'docs@example.com', location: { kind: 'file', path: '' } },
})
const draft = await workspace
  .project('docs')
  .files({ id, name: 'edits' } as Branch)
  .edit(path)
process.stdout.write(`found ${/\d+$/.exec(draft.text)?.[0] ?? '-1'}\n`)
for (let count = Number(/\d+$/.exec(draft.text)?.[0] ?? 0) + 1; ; count++) {
  draft.changed(
    () => `${'words '.repeat(5_000)}${count}`,
    () => count,
  )
  process.stdout.write(`typed ${count} ${Date.now()}\n`)
  await sleep(Math.random() * 20)
}
