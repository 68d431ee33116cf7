import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { mendLayout } from '#content/layout.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'
import { newGit } from '#test/support/content/support.ts'

interface Collection {
  readonly child: ChildProcess
  /** The repository that says that it is being collected. */
  readonly directory: string
}

/** A process in a group of its own, with a child, that stands for `git gc`; both end with the test. */
async function startCollection(about: { host?: string; repository?: string } = {}): Promise<Collection> {
  const directory = await temporaryDirectory()
  const child = spawn('sh', ['-c', 'sleep 600 & echo started; wait'], {
    detached: true,
    env: { PATH: process.env['PATH'], GIT_DIR: about.repository ?? directory },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  // Both hold the pipe: it closes when both are gone.
  const closed = once(child, 'close')
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), 'SIGKILL')
    await closed
  })
  await once(child.stdout, 'data')
  await mkdir(join(directory, 'objects'))
  await writeFile(join(directory, 'gc.pid'), `${child.pid} ${about.host ?? hostname()}`)
  await writeFile(join(directory, 'packed-refs.lock'), '')
  return { child, directory }
}

// Whose a process is stands in /proc.
describe.skipIf(!existsSync('/proc/self/environ'))('a collection that outlived its service', () => {
  it('is ended with its children when its locks are removed', async () => {
    const { child, directory } = await startCollection()
    const closed = once(child, 'close')
    expect(await mendLayout(newGit(), directory)).toEqual(['HEAD', 'config', 'gc.pid', 'packed-refs.lock'])
    expect(await closed).toEqual([null, 'SIGKILL'])
  })

  it('is not taken for another process that has its number now', async () => {
    const { child, directory } = await startCollection({ repository: '/somewhere/else.git' })
    await mendLayout(newGit(), directory)
    expect(process.kill(-(child.pid ?? 0), 0)).toBe(true)
  })

  it('is left alone where it runs on another machine', async () => {
    const { child, directory } = await startCollection({ host: `not-${hostname()}` })
    await mendLayout(newGit(), directory)
    expect(process.kill(-(child.pid ?? 0), 0)).toBe(true)
  })
})
