import { inDepth, isDeep } from '#test/support/depth.ts'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readFile, readdir, stat, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasBrowser, sharedBrowser } from '#test/support/browser.ts'
import { createClient } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { dist } from '#lib/paths.ts'
import { quire as run, type Finished } from '#test/support/command-line.ts'
import { startLogin, type LoginProcess } from '#test/support/login-process.ts'
import { sharedService } from '#test/support/shared-service.ts'
import { getSite } from '#test/support/site.ts'
import { removeDirectory } from '#test/support/temporary.ts'

const password = 'correct horse battery'

describe.skipIf(!hasBrowser)('a terminal that signs in with a browser', () => {
  let directory: string
  let home: string
  let service: { readonly url: string; readonly port: number }
  let page: Page

  const environment = (more: Record<string, string> = {}) => ({
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    QUIRE_URL: service.url,
    ...more,
  })
  const quire = (words: readonly string[], more: Record<string, string> = {}): Promise<Finished> =>
    run(words, environment(more), home)
  const credentials = (): string => join(home, 'config', 'quire', 'credentials.json')

  const login = (words: readonly string[] = [], more: Record<string, string> = {}): Promise<LoginProcess> =>
    startLogin(words, environment(more))

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'quire-device-'))
    home = join(directory, 'home')
    await mkdir(home)
    const { port } = await sharedService()
    service = { url: `http://localhost:${port}`, port }
    page = await (await sharedBrowser()).newPage({ reducedMotion: 'reduce' })
  })
  afterAll(async () => {
    await page.close()
    await removeDirectory(directory)
  })

  it('is signed in by a person who has no account yet, and says who it is', async () => {
    const started = await login()
    expect(started.page).toBe(`${service.url}/dashboard/device?user_code=${started.code}`)
    await page.goto(started.page)
    await page.getByRole('link', { name: 'Create an account' }).click()
    await page.getByLabel('Email').fill('device@example.com')
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('heading', { name: 'Does your terminal show this code?' }).waitFor()
    await page.getByText(started.code, { exact: true }).waitFor()
    const shown = await page.locator('dl').innerText()
    for (const text of [
      /Quire command line/,
      /the same as yours here/,
      /(?:second|minute)s? ago/,
      /device@example\.com/,
    ])
      expect(shown).toMatch(text)
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('heading', { name: 'Signed in as device@example.com' }).waitFor()
    const finished = await started.finished
    expect([finished.code, finished.stdout]).toEqual([0, `Signed in to ${service.url} as device@example.com\n`])
    // There is no keychain in the test's environment: it says so and where the session is instead.
    expect(finished.stderr).toMatch(/kept in .*credentials\.json, because the system keychain cannot be used/)
    expect((await stat(credentials())).mode & 0o777).toBe(0o600)
    expect((await stat(join(home, 'config', 'quire'))).mode & 0o777).toBe(0o700)
    expect(await readdir(join(home, 'config', 'quire'))).toEqual(['credentials.json', 'services.json'])

    const who = await quire(['whoami', '--json'])
    expect(JSON.parse(who.stdout)).toMatchObject({
      kind: 'session',
      url: service.url,
      account: { email: 'device@example.com' },
      projects: [],
      stored: { kind: 'file', path: credentials() },
    })
  })

  it('deploys, lists and works on branches of the project that it names', async () => {
    const token = await sessionToken(credentials(), service.url)
    const ada = createClient({ baseUrl: service.url, token })
    await writeFile(join(home, 'index.mdx'), '# Home\n\nfrom a session\n')
    if (isDeep) {
      const none = await quire(['deploy'])
      expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('no project yet')])
    }
    await ada.call(contract.projects.create, { body: { slug: 'guides' } })
    const only = await quire(['deploy', '.', '--json'])
    expect(only.code, only.stderr).toBe(0)
    expect((await getSite(service.port, 'guides.localhost', '/')).text).toContain('from a session')

    await ada.call(contract.projects.create, { body: { slug: 'notes' } })
    const which = await quire(['deploys', '--json'])
    expect(which.code).toBe(2)
    expect(JSON.parse(which.stdout)).toMatchObject({
      error: { code: 'invalid_request', projects: ['guides', 'notes'], next: [expect.stringContaining('--project')] },
    })
    if (!isDeep) return
    expect((await quire(['deploys', '--project', 'guides'])).stdout).toContain('live')
    expect((await quire(['deploys'], { QUIRE_PROJECT: 'notes' })).stdout).toContain('notes has no deploys yet')
    const foreign = await quire(['deploys', '--project', 'nobodys'])
    expect(foreign.code).toBe(1)
    expect((await quire(['branch', 'create', 'draft', '--project', 'guides'])).code).toBe(0)
    expect((await quire(['branches', '--project', 'guides'])).stdout).toContain('draft')
    expect((await quire(['publish', 'draft', '--project', 'guides'])).code).toBe(0)
  })

  inDepth('clones, fetches and pushes with the session, which is written nowhere in the clone', async () => {
    const cloned = await quire(['clone', 'copy', '--project', 'guides'])
    expect(cloned.code, cloned.stderr).toBe(0)
    const token = await sessionToken(credentials(), service.url)
    const copy = join(home, 'copy')
    const config = await readFile(join(copy, '.git', 'config'), 'utf8')
    expect(config).toContain(`[credential "${service.url}"]`)
    expect(config).not.toContain(token)
    const git = (...words: string[]) =>
      promisify(execFile)('git', ['-C', copy, '-c', 'user.name=A', '-c', 'user.email=a@example.com', ...words], {
        env: { PATH: process.env['PATH'], ...environment({ GIT_TERMINAL_PROMPT: '0' }) },
      })
    await writeFile(join(copy, 'index.mdx'), '# Home\n\npushed with a session\n')
    await git('commit', '-q', '-am', 'Say more')
    await git('push', '-q', 'origin', 'HEAD:main')
    await git('fetch', '-q')
    expect((await getSite(service.port, 'guides.localhost', '/')).text).toContain('pushed with a session')
    // Another host asks the same helper in vain.
    const asked = await quireInput(
      ['--url', service.url, 'git-credential', service.url, 'get'],
      'protocol=https\nhost=example.org\n',
    )
    expect(asked).toBe('')
    const own = `protocol=http\nhost=localhost:${service.port}\n`
    expect(await quireInput(['--url', service.url, 'git-credential', service.url, 'get'], own)).toContain(token)
    expect(await quireInput(['--url', service.url, 'git-credential', service.url, 'store'], own)).toBe('')
  })

  it('gives way to a key in the environment, and says so', async () => {
    const ada = createClient({ baseUrl: service.url, token: await sessionToken(credentials(), service.url) })
    const { key } = await ada.call(contract.keys.create, { params: { slug: 'notes' }, body: { name: 'CI' } })
    const who = await quire(['whoami'], { SERVICE_API_KEY: key })
    expect(who.stdout).toContain(`${key.slice(0, 12)}… from SERVICE_API_KEY`)
    expect(who.stdout).toMatch(/project +notes/)
    expect(who.stdout).not.toContain(key)
    if (!isDeep) return
    const other = await quire(['deploys', '--project', 'guides'], { SERVICE_API_KEY: key })
    expect([other.code, other.stderr]).toEqual([4, expect.stringContaining('for the project notes, not for guides')])
  })

  inDepth('signs in again in place of the session before, which ends', async () => {
    const before = await sessionToken(credentials(), service.url)
    const started = await login(['--no-browser'])
    await page.goto(`${service.url}/dashboard/device`)
    await page.getByLabel('Code').fill(started.code.toLowerCase().replace('-', ' '))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Does your terminal show this code?' }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Signed in as' }).waitFor()
    expect((await started.finished).code).toBe(0)
    expect(await sessionToken(credentials(), service.url)).not.toBe(before)
    const old = createClient({ baseUrl: service.url, token: before })
    await expect(old.call(contract.accounts.me)).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  it('signs out: the session ends on the service, too, and nothing is left here', async () => {
    const token = await sessionToken(credentials(), service.url)
    const out = await quire(['logout'])
    expect([out.code, out.stdout]).toEqual([0, `Signed out of ${service.url}, as device@example.com\n`])
    expect(existsSync(credentials())).toBe(false)
    const old = createClient({ baseUrl: service.url, token })
    await expect(old.call(contract.accounts.me)).rejects.toMatchObject({ code: 'unauthenticated' })
    if (!isDeep) return
    const who = await quire(['whoami'])
    expect([who.code, who.stderr]).toEqual([4, expect.stringContaining('quire login')])
    expect((await quire(['logout'])).code).toBe(0)
  })

  inDepth('is told when the person denies', async () => {
    const started = await login(['--json'])
    await page.goto(started.page)
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByText('was not signed in').waitFor()
    const { code, stdout } = await started.finished
    expect(code).toBe(4)
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'access_denied' } })
    expect(existsSync(credentials())).toBe(false)
  })

  inDepth('gives up on Ctrl-C with 130', async () => {
    const started = await login()
    started.interrupt()
    expect((await started.finished).code).toBe(130)
  })

  inDepth('can insist on the keychain, before anybody is asked', async () => {
    const refused = await quire(['login', '--require-keychain'])
    expect(refused.code).toBe(4)
    expect(refused.stderr).toContain('--require-keychain')
    expect(refused.stderr).not.toContain('open  ')
  })

  inDepth('does not wait on a build server, where nobody can approve', async () => {
    const refused = await quire(['login'], { CI: 'true' })
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('Set SERVICE_API_KEY')])
  })

  it('opens a browser only where its person would see it', async () => {
    const opened = join(home, 'opened')
    const programs = join(home, 'bin')
    await mkdir(programs)
    await writeFile(join(programs, 'xdg-open'), `#!/bin/sh\necho "$1" >> '${opened}'\n`)
    await chmod(join(programs, 'xdg-open'), 0o755)
    const searchPath = `${programs}:${process.env['PATH'] ?? ''}`
    const attempt = async (words: string[], more: Record<string, string>): Promise<string> => {
      const started = await login(words, { PATH: searchPath, ...more })
      started.interrupt()
      await started.finished
      return started.page
    }
    await attempt([], { DISPLAY: ':0', SSH_CONNECTION: '192.0.2.1 1 192.0.2.2 22' })
    if (isDeep) {
      await attempt([], {})
      await attempt(['--no-browser'], { DISPLAY: ':0' })
      await attempt(['--no-input'], { DISPLAY: ':0' })
    }
    expect(existsSync(opened)).toBe(false)
    const seen = await login([], { PATH: searchPath, DISPLAY: ':0' })
    await expect.poll(() => readFile(opened, 'utf8').catch(() => '')).toBe(`${seen.page}\n`)
    seen.interrupt()
    await seen.finished
  })

  /** What a command prints that reads its standard input. */
  async function quireInput(words: readonly string[], input: string): Promise<string> {
    const child = spawn(process.execPath, [join(dist, 'quire.js'), ...words], {
      env: { PATH: process.env['PATH'], ...environment() },
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    let stdout = ''
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
    child.stdin.end(input)
    await once(child, 'close')
    return stdout
  }
})

async function sessionToken(path: string, url: string): Promise<string> {
  const sessions = JSON.parse(await readFile(path, 'utf8')) as Record<string, { token: string }>
  return sessions[url]?.token ?? ''
}
