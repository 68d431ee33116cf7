import { expect, it } from 'vitest'
import { freedText } from '#cli/commands/admin.ts'
import { bytesText } from '#cli/output.ts'

it.each([
  [0, '0 bytes'],
  [1023, '1023 bytes'],
  [1024, '1.0 KB'],
  [102_000, '99.6 KB'],
  [102_400, '100 KB'],
  [1_048_000, '1023 KB'],
  [1_048_400, '1.0 MB'],
  [30_744_576, '29.3 MB'],
  [-1536, '-1.5 KB'],
  [8e15, '7276 TB'],
])('%i bytes are told as %s', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text)
})

it('garbage that was collected is told by what is free now, and by what a repository takes more', () => {
  const project = { releases: 0, releaseBytes: 0 }
  const smaller = { ...project, project: 'docs', repositoryBytes: 3 << 20, releases: 2, releaseBytes: 1 << 20 }
  const larger = { ...project, project: 'manual', repositoryBytes: -2663 }
  const untouched = { ...project, project: 'empty', repositoryBytes: 0 }
  expect(freedText([smaller, untouched])).toEqual(['docs: repository 3.0 MB, 2 releases 1.0 MB', 'Freed 4.0 MB.'])
  expect(freedText([untouched])).toEqual(['Freed nothing.'])
  expect(freedText([larger])).toEqual([
    'manual: repository 2.6 KB more',
    'Freed nothing: packed anew, with what finds objects in them faster, repositories take 2.6 KB more.',
  ])
  expect(freedText([smaller, larger])).toEqual([
    'docs: repository 3.0 MB, 2 releases 1.0 MB',
    'manual: repository 2.6 KB more',
    'Freed 4.0 MB.',
  ])
})
