import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { array, assert, constantFrom, property } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { brokenRule, checkPaths } from '#content/paths.ts'
import type { ErrorDetail } from '#contract/common.ts'
import { Failure } from '#contract/failure.ts'
import { limits } from '#contract/limits.ts'
import { hostile } from '#test/support/shared.ts'

async function errorsOf(paths: readonly string[]): Promise<readonly ErrorDetail[]> {
  try {
    await checkPaths(paths)
  } catch (error) {
    if (error instanceof Failure && error.code === 'invalid_path') return error.errors
    throw error
  }
  return []
}

const refused: readonly (readonly [path: string, rule: RegExp])[] = [
  ['', /empty path/],
  ['../etc/passwd', /\.\. are not/],
  ['docs/../../x.mdx', /\.\. are not/],
  ['.', /\. and/],
  ['docs/./x.mdx', /\. and/],
  ['/etc/passwd', /absolute/],
  ['//server/share/x', /absolute/],
  ['docs//x.mdx', /empty segment/],
  ['docs/', /empty segment/],
  ['docs\\x.mdx', /backslash/],
  ['C:x.mdx', /colon/],
  ['docs/x.mdx:ads', /colon/],
  ['docs/x.mdx\0.png', /control/],
  ['docs/a\nb.mdx', /control/],
  ['docs/a\u0085b.mdx', /control/],
  ['docs/\u202egnp.mdx', /reorders/],
  ['docs/\u2066x.mdx', /reorders/],
  ['\ud800.mdx', /surrogate/],
  ['x\udc00', /surrogate/],
  ['docs/%2e%2e/x.mdx', /percent/],
  ['docs/%2E/x.mdx', /percent/],
  ['docs/..%2f..%2Fx.mdx', /percent/],
  ['docs%5cx.mdx', /percent/],
  ['.git/config', /Git/],
  ['.GIT/config', /Git/],
  ['docs/.Git', /Git/],
  ['git~1/config', /Git/],
  ['GIT~2', /Git/],
  ['gitmod~1', /Git/],
  ['.g\u200cit/config', /Git/],
  ['.git /config', /Git/],
  ['.git./config', /Git/],
  ['.gitmodules', /dotfile not published/],
  ['.env', /dotfile not published/],
  ['docs/.hidden/x.mdx', /dotfile not published/],
  ['.well-known/acme-challenge/x', /dotfile not published/],
  ['_platform/x.mdx', /reserved/],
  ['_Quire/x', /reserved/],
  ['_platform', /reserved/],
  ['CON.mdx', /device/],
  ['aux/x.mdx', /device/],
  ['docs/nul', /device/],
  ['com1.txt', /device/],
  ['LPT9', /device/],
  ['prn.tar.gz', /device/],
  ['nul .txt', /device/],
  ['com\u00b9', /device/],
  ['docs/x.mdx.', /dot or space/],
  ['docs /x.mdx', /dot or space/],
  ['__proto__', /__proto__/],
  ['docs/__proto__/x.mdx', /__proto__/],
  ['a'.repeat(256), /255 bytes/],
  ['é'.repeat(128), /255 bytes/],
  [`${'a'.repeat(200)}/`.repeat(5) + 'a'.repeat(20), /1024 bytes/],
  ['d/'.repeat(32) + 'x', /32 levels/],
]

const accepted = [
  'index.mdx',
  'docs/README.mdx',
  'docs/café.mdx',
  '-rf.mdx',
  '--upload-pack=touch x.mdx',
  '~/x.mdx',
  '$HOME/x.mdx',
  'constructor/index.mdx',
  'docs/%252e%252e/x.mdx',
  '100%.mdx',
  'snippets/_platform/x.mdx',
  '_snippets/x.mdx',
  'concepts/console.mdx',
  'communication/com10.mdx',
  'auxiliary.mdx',
  'a..b/c.mdx',
  '日本語/ガイド.mdx',
  '👩‍💻.mdx',
  'a'.repeat(255),
  'd/'.repeat(31) + 'x',
]

describe('checkPaths', () => {
  it.each(refused)('refuses %j', async (path, rule) => {
    const errors = await errorsOf(['ok.mdx', path])
    expect(errors).toHaveLength(1)
    expect(errors[0]?.path).toBe(path)
    expect(errors[0]?.message).toMatch(rule)
  })

  it.each(accepted)('accepts %j', async (path) => {
    expect(await checkPaths([path])).toEqual([path])
  })

  it('reports every bad path at once', async () => {
    expect((await errorsOf(['.env', 'ok.mdx', '../x', 'CON'])).map((error) => error.path)).toEqual([
      '.env',
      '../x',
      'CON',
    ])
  })

  it('normalises decomposed characters', async () => {
    expect(await checkPaths(['docs/cafe\u0301.mdx'])).toEqual(['docs/café.mdx'])
  })

  it.each([
    ['docs/README.mdx', 'docs/readme.mdx'],
    ['docs/café.mdx', 'docs/CAFE\u0301.mdx'],
    ['docs/file.mdx', 'docs/\ufb01le.mdx'],
    ['strasse.mdx', 'straße.mdx'],
    ['Docs/a.mdx', 'docs/A.mdx'],
  ])('refuses %j beside %j and names both', async (first, second) => {
    const [error, ...more] = await errorsOf([first, second])
    expect(more).toEqual([])
    expect(error?.path).toBe(second.normalize('NFC'))
    expect(error?.message).toContain(first)
  })

  it('refuses a path that is given twice', async () => {
    expect((await errorsOf(['a.mdx', 'a.mdx']))[0]?.message).toContain('twice')
    expect((await errorsOf(['caf\u00e9.mdx', 'cafe\u0301.mdx']))[0]?.message).toContain('twice')
  })

  it.each([[['docs', 'docs/index.mdx']], [['docs/index.mdx', 'docs']], [['Guide', 'guide/a/b.mdx']]])(
    'refuses a file where a directory is needed: %j',
    async (paths) => {
      const [error] = await errorsOf(paths)
      expect(error?.message).toMatch(/directory/)
      expect(paths.every((path) => `${error?.path} ${error?.message}`.includes(path))).toBe(true)
    },
  )

  it('lets directories differ in case as long as no files collide', async () => {
    expect(await errorsOf(['Docs/a.mdx', 'docs/b.mdx'])).toEqual([])
  })

  it('never lets through what would leave the tree, whatever the characters', async () => {
    const piece = constantFrom(
      '.',
      '..',
      '/',
      '\\',
      'a',
      'git',
      '.git',
      '%2e',
      '~1',
      ' ',
      ':',
      'con',
      '\0',
      '\u200c',
      'é',
      '_',
      '-',
    )
    assert(
      property(array(piece, { maxLength: 8 }), (pieces) => {
        const path = pieces.join('')
        if (brokenRule(path) !== null) return
        expect(path).not.toMatch(/(^|\/)\.|\/\/|^\/|\/$|\\|:|\0|[. ](\/|$)/)
        expect(path.split('/')).not.toContain('git~1')
        expect(path.split('/')).not.toContain('con')
      }),
    )
  })
})

const sample = join(hostile, 'paths/90-paths.json')

describe('the hostile paths', () => {
  const cases = JSON.parse(readFileSync(sample, 'utf8')) as { path: string; verdict: string }[]

  it.each(cases.filter(({ verdict }) => verdict === 'reject'))('are refused: $path', async ({ path }) => {
    expect(await errorsOf([path])).toHaveLength(1)
  })

  it.each(cases.filter(({ verdict }) => verdict.startsWith('accept')))('are accepted: $path', async ({ path }) => {
    expect(await checkPaths([path])).toEqual([path.normalize('NFC')])
  })

  it('that collide are refused beside what they collide with', async () => {
    const collide = cases.filter(({ verdict }) => verdict.startsWith('reject-collision')).map(({ path }) => path)
    expect((await errorsOf(['docs/README.mdx', 'docs/file.mdx', ...collide])).map(({ path }) => path)).toEqual(collide)
  })
})

describe('a project of too many', () => {
  it.each([
    ['files', Array.from({ length: limits.files + 1 }, (_, index) => `${index % 100}/${index}.md`)],
    // Each file brings thirty folders, and each of those is an object to be written.
    ['folders', Array.from({ length: limits.folders / 29 }, (_, index) => `${index}/${'a/'.repeat(29)}x.md`)],
  ])('%s is refused', async (what, paths) => {
    await expect(checkPaths(paths)).rejects.toThrow(`more than ${limits.files} ${what}`)
    expect(await checkPaths(paths.slice(0, 600))).toHaveLength(600)
  })
})
