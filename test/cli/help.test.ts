import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
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

  it('shows a command in both ways of asking', async () => {
    const [asked, helped] = [await quire(['admin', '--help']), await quire(['help', 'admin'])]
    expect(helped.stdout).toBe(asked.stdout)
    expect(asked.stdout).toContain('backup <file>')
  })
})
