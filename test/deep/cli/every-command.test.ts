import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import pLimit from 'p-limit'
import { beforeAll, expect, it } from 'vitest'
import { describeProgram, withCommandsBelow } from '#cli/reference/command-tree.ts'
import { dist } from '#lib/paths.ts'
import { quire } from '#test/support/command-line.ts'
import { Pty } from '#test/support/pty.ts'

/** As they are typed after `quire`, with those below others; first of all, none. */
let commands: readonly (readonly string[])[]
/** A start takes a processor: more of them at once than there are only wait for each other. */
const limit = pLimit(3)

beforeAll(async () => {
  const all = withCommandsBelow(await describeProgram())
  commands = all.map(({ path }) => path.split(' ').slice(1))
})

it('is one of those that people call, at any depth', () => {
  expect(commands.length).toBeGreaterThan(60)
  expect(commands).toEqual(expect.arrayContaining([[], ['deploy'], ['branch', 'create'], ['admin', 'backup']]))
})

/** What each command came to, by its words: only what is not as it should be. */
async function unlike<T>(expected: T, of: (words: readonly string[]) => Promise<T>): Promise<Record<string, T>> {
  const told = await Promise.all(
    commands.map((words) => limit(async () => [words.join(' '), await of(words)] as const)),
  )
  return Object.fromEntries(told.filter(([, one]) => JSON.stringify(one) !== JSON.stringify(expected)))
}

it('the help of each is cut off without a word by a reader that is gone', async () => {
  const helped = unlike({ code: 0, said: '' }, async (words) => {
    const program = [join(dist, 'quire.js'), ...words, '--help']
    const env = { PATH: process.env['PATH'], HOME: '/nonexistent' }
    const child = spawn(process.execPath, program, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.destroy()
    let said = ''
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
    const [code] = (await once(child, 'close')) as [number | null]
    return { code: code ?? -1, said }
  })
  expect(await helped).toEqual({})
})

it('what is wrong with the words of each is one document in JSON, with a code that says whose fault it is', async () => {
  const refused = unlike({ code: 2, keys: ['error'], error: 'invalid_request', stderr: '' }, async (words) => {
    const { code, stdout, stderr } = await quire([...words, '--no-such-option', '--json'])
    try {
      const document = JSON.parse(stdout) as { readonly error?: { readonly code?: string } }
      return { code: code ?? -1, keys: Object.keys(document), error: document.error?.code ?? '', stderr }
    } catch {
      return { code: code ?? -1, keys: [], error: stdout, stderr }
    }
  })
  expect(await refused).toEqual({})
})

it('at a terminal that knows no escape sequences each gets along without', async () => {
  const at = async (term: string, words: readonly string[]): Promise<{ code: number; output: string }> => {
    await using terminal = new Pty(words, { environment: { TERM: term }, width: 200, height: 60 })
    return { code: await terminal.ended(), output: terminal.output }
  }
  const said = unlike({ code: 2, isTold: true, isPlain: true }, async (words) => {
    const { code, output } = await at('dumb', [...words, '--no-such-option'])
    return { code, isTold: /^error {2}/m.test(output), isPlain: !output.includes('\u001B') }
  })
  expect(await said).toEqual({})
  for (const words of [[], ['deploy'], ['branch', 'create']])
    expect((await at('dumb', [...words, '--help'])).output).not.toContain('\u001B')
  // Another terminal is shown colours.
  expect((await at('xterm-256color', ['deploy', '--no-such-option'])).output).toContain('\u001B')
})
