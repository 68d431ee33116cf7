import { expect, it, onTestFinished } from 'vitest'
import { PreviewRecorder } from '../../src/branching/previews.ts'
import type { BranchRecord } from '../../src/branching/registry.ts'

const entryOf = (name: string): BranchRecord => ({
  slug: 'docs',
  id: `br_${name}`,
  name,
  label: `docs--${name}`,
  createdAt: '2026-11-21T12:00:00.000Z',
  gone: false,
  served: undefined,
  build: undefined,
})

/** A recorder over a place that refuses until it is opened. */
function recorderOf(): { recorder: PreviewRecorder; saved: string[]; warnings: unknown[]; open: () => void } {
  const saved: string[] = []
  const warnings: unknown[] = []
  let isOpen = false
  const recorder = new PreviewRecorder({
    registry: {
      savePreview: ({ name }) => {
        if (!isOpen) return Promise.reject(new Error('there is no room'))
        saved.push(name)
        return Promise.resolve()
      },
    },
    log: { warn: (details) => void warnings.push(details['branch']) },
    againMs: 5,
  })
  onTestFinished(() => recorder.close())
  return { recorder, saved, warnings, open: () => (isOpen = true) }
}

it('what is refused is recorded when there is room, once', async () => {
  const { recorder, saved, warnings, open } = recorderOf()
  await recorder.save(entryOf('one'))
  const two = entryOf('two')
  await recorder.save(two)
  await recorder.save(two)
  await expect.poll(() => warnings.length).toBeGreaterThan(4)
  expect(saved).toEqual([])
  open()
  await expect.poll(() => [...saved].sort()).toEqual(['one', 'two'])
  await recorder.save(entryOf('three'))
  expect(saved).toHaveLength(3)
})

it('a branch that is gone is not recorded any more', async () => {
  const { recorder, saved, open } = recorderOf()
  const gone = entryOf('gone')
  await recorder.save(gone)
  await recorder.save(entryOf('kept'))
  gone.gone = true
  open()
  await expect.poll(() => saved).toEqual(['kept'])
})
