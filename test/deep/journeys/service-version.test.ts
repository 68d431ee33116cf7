import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import { mkdtemp } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { isNewer } from '#cli/service/version.ts'
import { quire } from '#test/support/command-line.ts'
import { Pty } from '#test/support/pty.ts'
import { removeDirectory } from '#test/support/temporary.ts'
import { startTestService } from '#test/support/service.ts'

/** Answers as a service of a later time does. */
let later: Server
let url: string
let version: string
let home: string

beforeAll(async () => {
  later = createServer((_request, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json', 'quire-version': version })
      .end(JSON.stringify({ items: [] })),
  )
  later.listen(0, '127.0.0.1')
  await once(later, 'listening')
  url = `http://127.0.0.1:${(later.address() as AddressInfo).port}`
  home = await mkdtemp(join(tmpdir(), 'quire-newer-'))
})
beforeEach(() => {
  version = '99.0.0'
})
afterAll(async () => {
  later.close()
  await removeDirectory(home)
})

const environment = (state: string, more: Record<string, string> = {}): Record<string, string> => ({
  SERVICE_API_KEY: 'quire_key',
  QUIRE_URL: url,
  XDG_STATE_HOME: join(home, state),
  ...more,
})

/** What a person at a terminal reads. */
async function read(state: string, more: Record<string, string> = {}): Promise<string> {
  await using terminal = new Pty(['projects'], { width: 160, environment: environment(state, more) })
  await terminal.ended()
  return terminal.screen()
}

const notice = 'has Quire 99.0.0'

describe('a newer version', () => {
  it('is told to a person once a day, with the command that installs it', async () => {
    const told = await read('told')
    expect(told).toContain(notice)
    expect(told).toContain(`npm install --global ${url}/cli`)
    expect(await read('told')).not.toContain(notice)
  })

  it('is no word in CI, where it is not wanted, and to programs', async () => {
    expect(await read('ci', { CI: '1' })).not.toContain(notice)
    expect(await read('unwanted', { NO_UPDATE_NOTIFIER: '1' })).not.toContain(notice)
    const { stdout, stderr } = await quire(['projects'], environment('program'))
    expect(stdout + stderr).not.toContain(notice)
  })

  it('is none where the service is as old, older, or says nothing that is a version', async () => {
    version = '0.0.1'
    expect(await read('older')).not.toContain('has Quire')
    expect([isNewer('1.0.0', '1.0.0'), isNewer('1.10.0', '1.9.9'), isNewer('soon', '1.0.0')]).toEqual([
      false,
      true,
      false,
    ])
  })

  it('is what every answer of a service says of itself', async () => {
    const service = await startTestService()
    const { headers } = await fetch(`${service.url}/api/service`)
    const { version: own } = (await (await fetch(`${service.url}/healthz`)).json()) as { version: string }
    await service.close()
    expect(headers.get('quire-version')).toBe(own)
  })
})

describe('an older version', () => {
  const unknownMember = { status: 400, code: 'invalid_request', detail: '/expectedHead is not known (known: files).' }
  const unknownAddress = { status: 404, code: 'not_found', detail: 'There is nothing at /api/projects.' }

  it.each([
    { version: '0.0.1', problem: unknownMember, named: 'Quire 0.0.1' },
    { version: undefined, problem: unknownAddress, named: 'an older Quire' },
  ])('that does not know what is asked of it is named: $named', async ({ version: theirs, problem, named }) => {
    const older = createServer((_request, response) => {
      const says = theirs === undefined ? {} : { 'quire-version': theirs }
      response
        .writeHead(problem.status, { 'content-type': 'application/problem+json', ...says })
        .end(JSON.stringify(problem))
    })
    older.listen(0, '127.0.0.1')
    await once(older, 'listening')
    onTestFinished(() => void older.close())
    const service = `http://127.0.0.1:${(older.address() as AddressInfo).port}`
    const { stderr } = await quire(['projects'], environment('older', { QUIRE_URL: service }))
    expect(stderr).toContain(problem.detail)
    expect(stderr).toContain(`${service} is ${named}, and this is`)
    expect(stderr).toContain(`npm install --global ${service}/cli`)
  })
})
