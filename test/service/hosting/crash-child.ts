import { createHosting } from '#hosting/hosting.ts'
import { FileBlobs } from '#storage/blobs/file-blobs.ts'
import { common, composer, makeRelease } from '#test/support/hosting/support-release.ts'

/**
 * Publishes `second` over `first` and then collects, and kills itself before the step that it is told.
 * Arguments: directory, step, how many times the step has to come first.
 */
const [directory = '', step = '', count = '1'] = process.argv.slice(2)
let left = Number(count)
const blobs = new FileBlobs(directory, console.warn, { common })
const hosting = createHosting({
  blobs,
  composer,
  log: { error: console.error },
  step: (name) => {
    if (name !== step) return
    left -= 1
    if (left === 0) process.kill(process.pid, 'SIGKILL')
  },
})
const releases = await hosting.open('docs')
const second = makeRelease({
  id: 'second',
  pages: { '/': 'Welcome again', '/new': 'A new page' },
  files: { '/_quire/theme.222.css': { content: 'b{}', type: 'text/css', immutable: true } },
})
await releases.publish(second.release, second.blobs)
await releases.collect(new Set(['second']), new Date(Date.now() + 24 * 60 * 60 * 1000))
