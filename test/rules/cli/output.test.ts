import { afterEach, describe, expect, it, vi } from 'vitest'
import { readEnvironment } from '#cli/environment.ts'
import { Output, overLimit } from '#cli/output.ts'
import { Failure } from '#contract/failure.ts'

/** All that a command wrote. */
let written = ''
const output = (environment: Partial<ReturnType<typeof readEnvironment>> = {}, json = false): Output => {
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation((text) => {
      written += String(text)
      return true
    })
  return new Output({ ...readEnvironment(), color: true, interactive: true, ...environment }, json)
}
afterEach(() => {
  written = ''
})

const hostile = 'a\u001B[2Jb\u001B]0;title\u0007c\u009B31md\rHidden\u202Ee'
const harmless = 'a�[2Jb�]0;title�c�31md�Hidden�e'

describe('what others wrote', () => {
  it.each(['result', 'note', 'redraw'] as const)('cannot steer the terminal by way of %s', (way) => {
    const told = output()
    const text = told.paint('bold', hostile)
    if (way === 'result') told.result({}, text)
    else told[way](text)
    expect(written).toContain(`\u001B[1m${harmless}\u001B[22m`)
  })

  it('cannot steer the terminal by way of a failure, its places and its code frames', () => {
    const errors = [{ path: hostile, line: 1, column: 1, message: hostile, frame: `> 1 | ${hostile}` }]
    output({ color: false }).fail(new Failure('build_failed', hostile, { errors, hint: hostile }))
    for (const character of ['\u001B', '\u0007', '\u009B', '\r', '\u202E']) expect(written).not.toContain(character)
    expect(written.split(harmless)).toHaveLength(6)
  })

  it('has no style, not even one of ours', () => {
    const told = output()
    told.result({}, `${told.paint('bold', 'ours')} \u001B[31mtheirs\u001B[39m`)
    expect(written).toBe('\u001B[1mours\u001B[22m \uFFFD[31mtheirs\uFFFD[39m\n')
  })

  it('steers neither terminal nor runner by way of a document, which stays what it is', () => {
    const document = { message: `${hostile}\u2028##[error]x` }
    output({ githubActions: true, color: false }, true).result(document, '')
    expect(written).not.toMatch(/(?!\n)[\p{Cc}\u202E\u2028]|##\[/u)
    expect(JSON.parse(written)).toEqual(document)
  })

  it('is no command to the runner of GitHub Actions, while our annotations are', () => {
    const told = output({ githubActions: true, color: false })
    const message = 'Wrong\n::error::forged\n  ::add-mask::x\nsee ##[group]y'
    told.fail(new Failure('build_failed', message, { errors: [{ message, frame: message }] }))
    expect(written).toContain('forged')
    expect(written).not.toMatch(/^\s*::/m)
    expect(written).not.toContain('##[')
    told.annotate('::error::ours')
    expect(written).toMatch(/^::error::ours$/m)
  })
})

describe('what is too large', () => {
  const limit = 5 * 1024 * 1024

  it.each([
    [limit + 1, { size: '5,242,881 bytes', limit: '5 MB (5,242,880 bytes)' }],
    [limit + 6000, { size: '5.01 MB', limit: '5 MB' }],
    [3 * limit, { size: '15 MB', limit: '5 MB' }],
  ])('with %i bytes is told apart from the limit', (bytes, told) => expect(overLimit(bytes, limit)).toEqual(told))
})

it('at a terminal that cannot redraw a line writes none', () => {
  const told = output({ screenReader: true })
  told.redraw('sending')
  expect([told.redraws, written]).toEqual([false, ''])
})
