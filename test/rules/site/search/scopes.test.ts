import { expect, it } from 'vitest'
import { scopesOf } from '#site/search/scopes.ts'
import type { Section } from '#site/shell.ts'

it('the index of each version names all of them, so long names of very many cost little', () => {
  const sections = Array.from({ length: 500 }, (_, number) => ({
    switches: [
      { kind: 'version', label: `v${number} ${'x'.repeat(4000)}` },
      { kind: 'tab', label: 'y'.repeat(4000) },
    ],
  })) as unknown as Section[]
  const { scopes, tabs } = scopesOf(sections)
  expect(scopes).toHaveLength(200)
  expect(JSON.stringify([scopes, tabs]).length).toBeLessThan(50_000)
})
