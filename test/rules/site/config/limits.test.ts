import { describe, expect, test } from 'vitest'
import { limits } from '#contract/limits.ts'
import { TestProject } from '#test/support/site/support/project.ts'
import { configOf } from '#test/rules/site/support/config.ts'

const range = (length: number): number[] => Array.from({ length }, (_, index) => index)
const pages = { pages: ['index'] }

/** Builds a site of one page with a docs.json. */
function build(config: unknown) {
  const text = typeof config === 'string' ? config : JSON.stringify(config, null, 1)
  return new TestProject().build({ 'docs.json': text, 'index.md': '# Home' })
}

const redirects = (count: number, source: (index: number) => string, destination = '/') =>
  range(count).map((index) => ({ source: source(index), destination }))

describe('what is at the limit is built', () => {
  test.each<[string, unknown]>([
    ['redirects', { navigation: pages, redirects: redirects(limits.redirects, (index) => `/old/${index}`) }],
    [
      'redirects with parameters',
      { navigation: pages, redirects: redirects(limits.redirectPatterns, (index) => `/old-${index}/:rest*`) },
    ],
    ['tabs', { navigation: { tabs: range(1000).map((index) => ({ tab: `T ${index}`, ...pages })) } }],
    ['characters', `${JSON.stringify({ navigation: pages })}${' '.repeat(limits.configBytes - 100)}`],
  ])('%s', async (_, config) => {
    const { errors, site } = await build(config)
    expect(errors).toEqual([])
    expect(site).toBeDefined()
  })
})

describe('what is over a limit is refused with what, how many, where, and what to do', () => {
  test.each<[string, unknown, RegExp, object]>([
    [
      'redirects',
      { navigation: pages, redirects: redirects(limits.redirects + 1, (index) => `/old/${index}`) },
      /5001 entries; at most 5000 are allowed\. Remove/,
      { path: 'docs.json', pointer: '/redirects', line: 7 },
    ],
    [
      'redirects with parameters',
      { navigation: pages, redirects: redirects(limits.redirectPatterns + 1, (index) => `/old-${index}/:rest*`) },
      /More than 500 redirects have parameters .*Join/,
      { pointer: `/redirects/${limits.redirectPatterns}` },
    ],
    [
      'parts of a source',
      { navigation: pages, redirects: [{ source: '/a'.repeat(33), destination: '/' }] },
      /has more than 32 parts/,
      { pointer: '/redirects/0/source' },
    ],
    [
      'parameters of a destination',
      { navigation: pages, redirects: [{ source: '/a/:x*', destination: '/:x*'.repeat(33) }] },
      /more than 32 parameters/,
      { pointer: '/redirects/0/destination' },
    ],
    ['characters', ' '.repeat(limits.configBytes + 1), /longer than 4194304 characters\. Shorten/, { line: 1 }],
    ['values', `[${'1,'.repeat(limits.configValues)}1]`, /more than 100000 values\. Remove/, { path: 'docs.json' }],
    [
      'tabs',
      { navigation: { tabs: range(1001).map((index) => ({ tab: `T ${index}`, ...pages })) } },
      /more than 1000 tabs, versions, languages .*Make groups/,
      { pointer: '/navigation/tabs' },
    ],
    [
      'values of the settings',
      { navigation: pages, footer: { links: [{ items: range(1500).map((index) => ({ href: `/${index}` })) }] } },
      /more than 2000 values; footer is too long\. Shorten/,
      { pointer: '/footer' },
    ],
    [
      'the title of a group',
      { navigation: { groups: [{ group: 'g'.repeat(201), ...pages }] } },
      /at most 200 characters; it has 201/,
      { pointer: '/navigation/groups/0' },
    ],
    [
      'the name of a page',
      { navigation: { pages: ['index', 'x'.repeat(1025)] } },
      /longer than 1024 characters/,
      { pointer: '/navigation/pages/1' },
    ],
  ])('%s', async (_, config, message, place) => {
    const { errors, warnings } = await build(config)
    const found = [...errors, ...warnings].filter((finding) => message.test(finding.message))
    expect(found).toMatchObject([place])
  })
})

describe('of thousands of problems', () => {
  test('the first are placed, the others counted', async () => {
    const { errors } = await build({
      navigation: pages,
      redirects: redirects(4000, (index) => `/${index}`, 'javascript:x'),
    })
    expect(errors).toHaveLength(1001)
    expect(errors.every(({ line, message }) => line !== undefined || message === '… and 3000 more.')).toBe(true)
    expect(errors.find(({ pointer }) => pointer === '/redirects/7/destination')).toMatchObject({ line: 38, column: 19 })
  })

  test('an error after a thousand warnings is still one', async () => {
    const text = `{${'"a":1,'.repeat(3000)}"__proto__":1}`
    const { errors, warnings } = await build(text)
    expect(errors).toMatchObject([{ message: 'The key "__proto__" is not allowed.', pointer: '/__proto__' }])
    expect(warnings.at(-1)?.message).toMatch(/^… and \d+ more\.$/)
  })

  test('none is as long as what its author wrote', async () => {
    const key = 'k'.repeat(100_000)
    const { warnings } = await configOf({ [key]: 1, navigation: pages })
    const { errors } = await configOf({ navigation: pages, footer: { socials: { [key]: 'javascript:x' } }, name: key })
    for (const { message, pointer = '' } of [...warnings, ...errors]) {
      expect(message.length).toBeLessThanOrEqual(2000)
      expect(pointer.length).toBeLessThanOrEqual(1000)
    }
  })
})

describe('redirects that grow', () => {
  test.each([
    ['twofold with each hop', '/a/:x*', '/a/:x*/:x*'],
    ['by all parameters', '/a/:x*', `/a${'/:x*'.repeat(32)}`],
  ])('%s never arrive', async (_, source, destination) => {
    const { errors } = await build({ navigation: pages, redirects: [{ source, destination }] })
    expect(errors[0]?.message).toMatch(/never arrives/)
    expect(errors[0]?.message.length).toBeLessThan(2000)
  })
})

test('where more is wrong than a build reports, a common mistake hides no rare one', async () => {
  const missing = range(1500).map((index) => `none-${index}`)
  const { warnings } = await new TestProject().build({
    'docs.json': JSON.stringify({ navigation: { pages: ['index', ...missing] } }),
    'index.md': '# Home\n\n[nowhere](/nowhere) [nothing](#nothing)',
  })
  expect(warnings.map(({ rule }) => rule)).toEqual(
    expect.arrayContaining(['navigation-missing', 'link-broken', 'anchor-broken']),
  )
  expect(warnings.at(-1)?.message).toBe('… and 502 more.')
})
