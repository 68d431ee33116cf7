import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Redirect } from '#contract/release.ts'
import { RedirectTable } from '#lib/redirect-table.ts'
import { atOnce } from '#test/support/at-once.ts'

const to = (from: string, index: number): Redirect => ({ from, to: `/to-${index}`, status: 308 })

/** What a table means: an exact source wins; of the others the first that takes the path. */
function linear(redirects: readonly Redirect[], path: string): Redirect | undefined {
  const isPattern = ({ from }: Redirect): boolean => /[:*]/.test(from)
  const takes = ({ from }: Redirect): boolean => {
    const parts = from.slice(1).split('/')
    const hasRest = parts.at(-1)?.endsWith('*') === true
    if (hasRest) parts.pop()
    const segments = path.slice(1).split('/')
    if (hasRest ? segments.length < parts.length : segments.length !== parts.length) return false
    return parts.every((part, index) => (part.startsWith(':') ? segments[index] !== '' : part === segments[index]))
  }
  const exact = redirects.find((redirect) => !isPattern(redirect) && redirect.from === path)
  return exact ?? redirects.find((redirect) => isPattern(redirect) && takes(redirect))
}

describe('the table of redirects', () => {
  it('finds the redirect that a look at one after the other finds, also where patterns overlap', () => {
    const part = fc.constantFrom('a', 'b', ':x', ':y')
    const source = fc
      .tuple(fc.array(part, { minLength: 1, maxLength: 4 }), fc.constantFrom('', '', '/*', '/:rest*'))
      .map(([parts, rest]) => `/${parts.join('/')}${rest}`)
    const sources = fc.array(fc.oneof(source, fc.constant('/*')), { maxLength: 12 })
    const path = fc
      .array(fc.constantFrom('a', 'b', 'c', ''), { minLength: 1, maxLength: 5 })
      .map((parts) => `/${parts.join('/')}`)
    let found = 0
    let tried = 0
    fc.assert(
      fc.property(sources, path, (froms, asked) => {
        const redirects = froms.map(to)
        const match = atOnce(RedirectTable.from(redirects)).match(asked)
        tried += 1
        if (match !== null) found += 1
        expect(match?.redirect).toBe(linear(redirects, asked))
      }),
    )
    expect(found).toBeGreaterThan(tried / 10)
  })

  it('binds what a pattern stands for', () => {
    const table = atOnce(RedirectTable.from([{ from: '/a/:x/b/:rest*', to: '/:rest*/:x', status: 308 }]))
    expect(table.match('/a/1/b/2/3')?.parameters).toEqual(
      new Map([
        ['x', ['1']],
        ['rest', ['2', '3']],
      ]),
    )
    expect(table.match('/a/1/b')?.parameters.get('rest')).toEqual([])
    expect(table.match('/a//b/c')).toBeNull()
  })
})
