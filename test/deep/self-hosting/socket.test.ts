import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { contract } from '#contract/index.ts'
import { git } from '#test/support/git-service.ts'
import { listeningSocket, openIn } from '#test/support/listening.ts'
import { commandOf, descendants } from '#test/support/process-tree.ts'
import { createProject, freePort, startService, type ServiceProcess } from '#test/support/service-process.ts'
import { getSite } from '#test/support/site.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

const activator = 'systemd-socket-activate'
const isThere = execFileSync('sh', ['-c', `command -v ${activator} || true`], { encoding: 'utf8' }) !== ''

beforeEach(({ skip }) => {
  if (!isThere) skip(`the program ${activator} is missing: install systemd`)
})

/** As much of the environment as the activator is told to pass on. */
const passed = ['PATH', 'HOME', 'PORT', 'DATA_DIR', 'LOG_LEVEL', 'DNS_SERVERS', 'RENDER_CHILDREN', 'DRAIN_SECONDS']

/** A socket at which nobody is yet: the first connection starts the service, and waits for it. */
function activate(
  port: number,
  {
    directory,
    program,
    searchPath,
  }: { readonly directory: string; readonly program: 'server' | 'service'; readonly searchPath: string },
): Promise<ServiceProcess> {
  const names = passed.flatMap((name) => ['-E', name])
  const through = [activator, '--listen', `127.0.0.1:${port}`, ...names, '--']
  return startService(directory, { DRAIN_SECONDS: '5', PATH: searchPath }, port, { through, program })
}

/** The first answer to somebody who comes as soon as the socket is there, and so before the service. */
async function firstAnswer(port: number): Promise<Response> {
  for (;;) {
    try {
      return await fetch(`http://127.0.0.1:${port}/healthz`, { headers: { connection: 'close' } })
    } catch (error) {
      const { code } = (error as { readonly cause?: NodeJS.ErrnoException }).cause ?? {}
      // The activator has not bound it yet.
      if (code !== 'ECONNREFUSED') throw error
      await sleep(5)
    }
  }
}

interface Running {
  readonly pid: number
  readonly words: string
  readonly environment: readonly string[]
  /** What its descriptors stand for. */
  readonly open: readonly string[]
}

/** A process and all below it, as the system tells. */
async function processesOf(root: number): Promise<readonly Running[]> {
  return Promise.all(
    [root, ...descendants(root)].map(async (pid) => {
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')
      return { pid, words: commandOf(pid), environment: environment.split('\0'), open: await openIn(pid) }
    }),
  )
}

/** Programs of the service that note first what they were given, and from there on are what they are called. */
async function notingPrograms(
  ...names: readonly string[]
): Promise<{ searchPath: string; notes: () => Promise<string> }> {
  const folder = await temporaryDirectory()
  const path = process.env['PATH'] ?? ''
  const notes = join(folder, 'notes')
  for (const name of names) {
    const lines = ['#!/bin/sh', `{ echo '${name}'; env; ls -l /proc/$$/fd; } >> '${notes}'`, `PATH='${path}'`]
    await writeFile(join(folder, name), [...lines, `exec ${name} "$@"`, ''].join('\n'), { mode: 0o755 })
  }
  return { searchPath: `${folder}:${path}`, notes: () => readFile(notes, 'utf8') }
}

const isOfService = ({ words }: Running): boolean => /\/dist\/(?:server|service)\.js/.test(words)

it.each(['server', 'service'] as const)(
  'whoever comes before the service is there starts it and is answered, and what it starts gets nothing of its socket: %s',
  async (program) => {
    const [directory, port] = [await temporaryDirectory(), await freePort()]
    const { searchPath, notes } = await notingPrograms('git', 'flock')
    const starting = activate(port, { directory, program, searchPath })
    const answers = await Promise.all(Array.from({ length: 8 }, () => firstAnswer(port)))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    const service = await starting
    onTestFinished(() => service.stop())

    // Pages, deploys and clones need processes of all kinds.
    const { client, key } = await createProject(service.url, 'docs')
    await client.call(contract.deploys.create, { body: { files: [{ path: 'index.mdx', content: '# Page\n' }] } })
    expect((await getSite(port, 'docs.localhost', '/')).text).toContain('Page')
    const clone = join(await temporaryDirectory(), 'clone')
    await git(directory, 'clone', '--quiet', service.url.replace('//', `//x:${key}@`) + '/git/docs.git', clone)
    if (program === 'server') {
      service.child.kill('SIGHUP')
      await expect.poll(() => service.log(), { timeout: 60_000 }).toContain('the new service has taken over')
      expect((await getSite(port, 'docs.localhost', '/')).text).toContain('Page')
    }

    const socket = await listeningSocket(port)
    const all = await processesOf(service.child.pid ?? 0)
    expect(all.some((one) => isOfService(one) && one.open.includes(socket))).toBe(true)
    const others = all.filter((one) => !isOfService(one))
    expect(others.map(({ words }) => words).join('\n')).toMatch(/render-child[^]*cat-file/)
    for (const { words, environment, open } of others) {
      expect([words, environment.filter((line) => line.startsWith('LISTEN_'))]).toEqual([words, []])
      expect([words, open.filter((one) => one === socket)]).toEqual([words, []])
    }
    const noted = await notes()
    expect(noted).toMatch(/^git$[^]*^flock$/m)
    expect(noted).not.toMatch(/^LISTEN_/m)
    expect(noted).not.toContain(socket)
  },
)
