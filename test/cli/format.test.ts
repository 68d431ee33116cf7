import { expect, it } from 'vitest'
import { bytesText } from '../../cli/output.ts'

it.each([
  [0, '0 bytes'],
  [999, '999 bytes'],
  [1000, '1.0 kB'],
  [99_940, '99.9 kB'],
  [99_960, '100 kB'],
  [999_600, '1.0 MB'],
  [-1500, '-1.5 kB'],
  [7.3e15, '7300 TB'],
])('%i bytes are told as %s', (bytes, text) => {
  expect(bytesText(bytes)).toBe(text)
})
