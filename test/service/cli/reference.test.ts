import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { beforeAll, describe, expect, it } from 'vitest'
import { describeProgram, withCommandsBelow, type DescribedCommand } from '#cli/reference/command-tree.ts'
import { manualPage } from '#cli/reference/manual.ts'
import { commandPages } from '#cli/reference/pages.ts'

/** The manual as a terminal of 80 columns shows it, and what groff has to say against it. */
async function shown(manual: string): Promise<{ page: string; warnings: string }> {
  const groff = spawn('groff', ['-man', '-ww', '-Tascii', '-P-cbou', '-rLL=78n'])
  groff.stdin.end(manual)
  const [page, warnings] = await Promise.all([text(groff.stdout), text(groff.stderr), once(groff, 'close')])
  return { page, warnings }
}

describe('the reference of the command line', () => {
  let program: DescribedCommand
  beforeAll(async () => {
    program = await describeProgram()
  })

  it('knows commands below commands, with what they take', () => {
    const create = withCommandsBelow(program).find(({ path }) => path === 'quire branch create')
    expect(create?.arguments).toEqual([{ term: '<name>', about: 'spaces become hyphens' }])
    expect(create?.options.map(({ term }) => term)).toEqual(['--from <branch>'])
  })

  it('is a manual page that groff shows without a warning, every command in it', async () => {
    const { page, warnings } = await shown(manualPage(program))
    expect(warnings).toBe('')
    for (const { path } of withCommandsBelow(program)) expect(page).toContain(path)
    expect(page).toMatch(/EXIT STATUS\n\s+0 +ok\n/)
    expect(page).toMatch(/\n {7}SERVICE_API_KEY\n/)
  })

  it('shows what looks like a request to roff as it is', async () => {
    const word = { term: '.so /etc/passwd', about: String.raw`'it’s \fBbold\fR, 50 % …` }
    const { page, warnings } = await shown(manualPage({ ...program, options: [word] }))
    expect([warnings, page]).toEqual(['', expect.stringContaining('.so /etc/passwd')])
    expect(page).toContain(String.raw`'it's \fBbold\fR, 50 % ...`)
  })

  it('is a page for each command and one about all', async () => {
    const names = (await commandPages('/commands')).map(({ name }) => name)
    expect(names[0]).toBe('quire')
    expect(names).toEqual(expect.arrayContaining(['deploy', 'branch', 'admin']))
  })
})
