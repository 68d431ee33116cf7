import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeProgram, withCommandsBelow, type DescribedCommand } from '#cli/reference/command-tree.ts'
import { manualPage } from '#cli/reference/manual.ts'
import { commandPages } from '#cli/reference/pages.ts'
import { createClient } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

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
})

describe('the reference as pages', () => {
  let service: TestService
  beforeAll(async () => {
    service = await startTestService()
  })
  afterAll(() => service.close())

  it('builds without a warning, one page for each command and one about all, whose links lead to them', async () => {
    const pages = await commandPages('/commands')
    expect(pages[0]?.name).toBe('quire')
    expect(pages.map(({ name }) => name)).toEqual(expect.arrayContaining(['deploy', 'branch', 'admin']))
    const files = pages.map(({ name, title, description, body }) => ({
      path: `commands/${name}.mdx`,
      content: [
        '---',
        `title: ${JSON.stringify(title)}`,
        `description: ${JSON.stringify(description)}`,
        '---',
        ...body,
      ].join('\n'),
    }))
    const { token } = await createClient({ baseUrl: service.url }).call(contract.accounts.signup, {
      body: { email: 'ada@example.com', password: 'correct horse battery' },
    })
    const client = createClient({ baseUrl: service.url, token })
    await client.call(contract.projects.create, { body: { slug: 'docs' } })
    const checked = await client.call(contract.checks.create, { query: { project: 'docs' }, body: { files } })
    expect(checked).toMatchObject({ errors: [], warnings: [] })
  }, 60_000)
})
