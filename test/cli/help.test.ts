import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { dist, root } from '../../src/lib/paths.ts'
import { quire } from '../support/command-line.ts'

/** Names of the commands that the help lists, with what may follow. */
async function listedTerms(): Promise<string[]> {
  const source = await readFile(join(root, 'cli/main.ts'), 'utf8')
  return [...source.matchAll(/term: '([^']+)'/g)].map(([, term = '']) => term)
}

describe('the help', () => {
  it('lists every command as that takes its words', async () => {
    const { stdout } = await quire(['--help'])
    const terms = await listedTerms()
    expect(terms.length).toBeGreaterThan(10)
    for (const term of terms) {
      expect(stdout).toContain(`\n  ${term} `)
      const [name = ''] = term.split(' ')
      const own = (await quire([name, '--help'])).stdout
      const words = /Usage: quire [\w-]+ \[options\](?: \[command\])?((?: [<[]\w+[\]>])*)/.exec(own)?.[1] ?? ''
      const optionLines = /Options:\n([\s\S]*?)(?:\n\n|$)/.exec(own)?.[1]?.match(/^ {2}-/gm) ?? []
      // Help itself is always there.
      expect(term).toBe(`${name}${optionLines.length > 1 ? ' [options]' : ''}${words}`)
    }
  }, 60_000)

  it('is cut off without a word by a reader that has had enough of it', async () => {
    const child = spawn(process.execPath, [join(dist, 'quire.js'), '--help'], { stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.destroy()
    let said = ''
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
    expect(await once(child, 'close')).toEqual([0, null])
    expect(said).toBe('')
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

  it('shows a command in both ways of asking', async () => {
    const [asked, helped] = [await quire(['admin', '--help']), await quire(['help', 'admin'])]
    expect(helped.stdout).toBe(asked.stdout)
    expect(asked.stdout).toContain('backup <file>')
  })
})
