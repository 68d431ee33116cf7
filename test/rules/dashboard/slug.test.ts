import { expect, it } from 'vitest'
import { isSlug } from '#contract/patterns.ts'
import { slugOf } from '#dashboard/pages/onboarding/slug.ts'

it.each([
  ['Acme Docs', 'acme-docs'],
  ['  Über Café — Handbook!  ', 'uber-cafe-handbook'],
  ['Ada’s Guide to C++ & Rust', 'adas-guide-to-c-rust'],
  ['Straße 7', 'strasse-7'],
  [`${'long '.repeat(12)}longer title`, `${'long-'.repeat(12)}lon`],
  [`${'x'.repeat(62)} y`, 'x'.repeat(62)],
])('the slug of %j is %s', (title, slug) => {
  expect(slugOf(title)).toBe(slug)
  expect(isSlug(slug)).toBe(true)
})

it.each(['', '手册', '—'])('of %j nothing is left', (title) => expect(slugOf(title)).toBe(''))
