import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdir, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { Git } from '#content/git/git.ts'
import { Repositories } from '#content/repositories.ts'
import { basic, git, serveGit, type GitService } from '#test/support/git-service.ts'
import { line, options, packOf, zero } from '#test/support/pack.ts'
import { expectUntouched, post } from '#test/support/raw-push.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

describe('a push that does not end', () => {
  /** Starts a push and sends half of its pack. */
  function send(service: GitService): ReturnType<typeof request> {
    const { origin } = new URL(service.url)
    const headers = { authorization: basic, 'content-type': 'application/x-git-receive-pack-request' }
    const sent = request(`${origin}/git/docs.git/git-receive-pack`, { method: 'POST', headers })
    const pack = packOf([{ type: 3, body: randomBytes(1024 * 1024) }])
    sent.on('error', () => undefined)
    sent.write(line(`${zero} ${'a'.repeat(40)} refs/heads/x${options}`) + '0000')
    sent.write(pack.subarray(0, 500_000))
    return sent
  }

  /** As `send`, and waits until git takes it in. */
  async function half(service: GitService): Promise<ReturnType<typeof request>> {
    const sent = send(service)
    const objects = join(service.repository.directory, 'objects')
    while (!(await readdir(objects)).some((name) => name.startsWith('tmp_'))) await delay(5)
    return sent
  }

  async function settled(service: GitService): Promise<void> {
    const objects = join(service.repository.directory, 'objects')
    while ((await readdir(objects)).some((name) => name.startsWith('tmp_'))) await delay(5)
  }

  it('leaves nothing behind when the client goes away, and frees its place', async () => {
    const service = await serveGit()
    for (let round = 0; round < 3; round++) {
      const sent = await half(service)
      sent.destroy()
      await settled(service)
    }
    await expectUntouched(service)
    await expect.poll(() => children('index-pack')).toEqual([])
  })

  it('leaves nothing behind when git is killed', async () => {
    const service = await serveGit()
    const home = await temporaryDirectory()
    await git(home, 'init', '--quiet')
    await writeFile(join(home, 'a.bin'), randomBytes(4 * 1024 * 1024))
    await git(home, 'add', '.')
    await git(home, 'commit', '--quiet', '-m', 'one')
    const child = spawn('git', ['push', service.url, 'HEAD:refs/heads/x'], {
      cwd: home,
      detached: true,
      stdio: 'ignore',
    })
    const ended = new Promise((resolve) => child.once('close', resolve))
    const objects = join(service.repository.directory, 'objects')
    while (child.exitCode === null && !(await readdir(objects)).some((name) => name.startsWith('tmp_'))) await delay(1)
    if (child.exitCode === null) process.kill(-(child.pid ?? 0), 'SIGKILL')
    await ended
    await settled(service)
    expect(await service.repository.fsck()).toEqual([])
    expect(service.errors).toEqual([])
  })

  it('is ended when the client stalls, with a sentence', async () => {
    const service = await serveGit({ pace: { graceMs: 1000, bytesPerSecond: 1e9 } })
    const sent = send(service)
    const text = await new Promise<string>((resolve) => {
      sent.once('response', (response) => {
        let body = ''
        response.on('data', (chunk: Buffer) => (body += chunk.toString()))
        response.once('end', () => resolve(body))
      })
    })
    expect(text).toContain('The push came too slowly, or stopped coming')
    sent.destroy()
    await expectUntouched(service)
  })

  it('is counted until it ends, and too many of one account are told to come back', async () => {
    const service = await serveGit({ open: 1 })
    const first = await half(service)
    expect((await post(service, '0000')).statusCode).toBe(503)
    first.destroy()
    await expect.poll(async () => (await post(service, '0000')).statusCode).toBe(200)
  })

  it('is swept away at start when the service was killed', async () => {
    const service = await serveGit()
    const sent = await half(service)
    const copy = await temporaryDirectory()
    execFileSync('cp', ['-r', service.repository.directory, join(copy, 'docs.git')])
    sent.destroy()
    await settled(service)
    const repositories = new Repositories({ directory: copy, git: new Git({ searchPath: process.env['PATH'] }) })
    await repositories.sweep()
    await repositories.open('docs')
    expect((await readdir(join(copy, 'docs.git', 'objects'))).sort()).toEqual(['info', 'pack'])
    await repositories.close()
  })
})

/** Processes of this one that run a git command. */
function children(command: string): string[] {
  const lines = execFileSync('ps', ['-o', 'args=', '--ppid', String(process.pid)], { encoding: 'utf8' })
  return lines.split('\n').filter((args) => args.includes(command))
}
