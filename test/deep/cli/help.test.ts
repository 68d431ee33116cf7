import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { dist } from '#lib/paths.ts'
import { quire } from '#test/support/command-line.ts'

/** What the help of the whole says of each command, by its name. */
async function listedCommands(): Promise<Map<string, string>> {
  const { stdout } = await quire(['--help'])
  const [, list = ''] = /(\n\nWrite and deploy:[\s\S]*?)\n\nEnvironment:/.exec(stdout) ?? []
  return new Map([...list.matchAll(/\n {2}([a-z-]+) +(\S.*)/g)].map(([, name = '', about = '']) => [name, about]))
}

/** Help, and what each command has below it. */
async function helpsOf(words: readonly string[]): Promise<string[]> {
  const { stdout } = await quire([...words, '--help'])
  const [, list = ''] = /\n\nCommands:\n([\s\S]*?)(?:\n\n|$)/.exec(stdout) ?? []
  const below = [...list.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = '']) => name)
  const helps = await Promise.all(below.filter((name) => name !== 'help').map((name) => helpsOf([...words, name])))
  return [stdout, ...helps.flat()]
}

describe('the help', () => {
  it('lists every command in a line, and each says the same of itself and takes what all take', async () => {
    const listed = await listedCommands()
    expect([...listed.keys()]).toEqual(expect.arrayContaining(['deploy', 'branch', 'keys', 'login', 'admin']))
    listed.delete('help')
    for (const [name, about] of listed) {
      const own = (await quire([name, '--help'])).stdout
      expect(own).toMatch(new RegExp(`(?:^|\\n)Usage: quire ${name} `))
      expect(own).toContain(`\n\n${about}\n`)
      expect(own).toContain('--project <slug>')
    }
  }, 60_000)

  it('has no line that 80 columns do not take', async () => {
    const helps = [(await quire(['--help'])).stdout]
    for (const name of (await listedCommands()).keys()) helps.push(...(await helpsOf([name])))
    expect(helps.length).toBeGreaterThan(60)
    const lines = helps.flatMap((help) => help.split('\n'))
    expect(lines.filter((line) => line.length > 80)).toEqual([])
  }, 120_000)

  it.each(['-v', '-V', '--version'])('is not needed for the version: %s', async (flag) => {
    expect((await quire([flag])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  it('says in a sentence that it could not be written, and ends with a code that says so', async () => {
    const full = await open('/dev/full', 'w')
    const child = spawn(process.execPath, [join(dist, 'quire.js'), '--help'], { stdio: ['ignore', full.fd, 'pipe'] })
    let said = ''
    child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()))
    expect(await once(child, 'close')).toEqual([75, null])
    expect(said).toBe('error  The output could not be written: the disk is full. What is there of it is not whole.\n')
    await full.close()
  })

  it('and a command whose words for people nobody can read ends with its own code', async () => {
    const full = await open('/dev/full', 'w')
    const words = [join(dist, 'quire.js'), 'nonsense']
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'ignore', full.fd] })
    expect(await once(child, 'close')).toEqual([2, null])
    await full.close()
  })

  it('lists the options of all commands at each of them', async () => {
    for (const words of [['deploy'], ['branch', 'create'], ['admin', 'backup']]) {
      const { stdout } = await quire([...words, '--help'])
      expect(stdout).toMatch(/Global options:\n(?:.*\n)*.*--url <url>(?:.*\n)*.*--project <slug>(?:.*\n)*.*--json/)
    }
  })

  it.each([
    [['nonsense'], /^Unknown command 'nonsense'\.$/, 'quire --help lists all commands.'],
    [['deplot'], /^Unknown command 'deplot'\.$/, 'Did you mean deploy? quire --help lists all commands.'],
    [['deploy', '--nonsense'], /^Unknown option '--nonsense'\.$/, 'quire deploy --help says what it takes.'],
    [['rename'], /^Missing required argument 'slug'\.$/, 'quire rename --help says what it takes.'],
    [
      ['generate', 'src'],
      /^Required option '-o, --output <dir>' not specified\.$/,
      'quire generate --help says what it takes.',
    ],
    [
      ['deploys', '--limit'],
      /^Option '-n, --limit <number>' argument missing\.$/,
      'quire deploys --help says what it takes.',
    ],
    [
      ['rename', 'a', 'b'],
      /^Too many arguments for 'rename'\. Expected 1 argument but got 2/,
      'quire rename --help says what it takes.',
    ],
    [['branch'], /^No command is named\.$/, 'quire branch --help says what it takes.'],
  ])('tells of %j what is wrong, in JSON as well', async (words, message, next) => {
    const told = await quire([...words, '--json'])
    const { error }: { error: { code: string; message: string; next: string[] } } = JSON.parse(told.stdout)
    expect(error).toEqual({ code: 'invalid_request', message: expect.stringMatching(message), next: [next] })
    expect([told.code, told.stderr]).toEqual([2, ''])
    const people = await quire(words)
    expect([people.code, people.stdout]).toEqual([2, ''])
    if (words[0] !== 'branch') expect(people.stderr).toBe(`error  ${error.message}\nnext   ${next}\n`)
  })

  it('shows a command in both ways of asking', async () => {
    const [asked, helped] = [await quire(['admin', '--help']), await quire(['help', 'admin'])]
    expect(helped.stdout).toBe(asked.stdout)
    expect(asked.stdout).toContain('backup <file>')
  })
})
