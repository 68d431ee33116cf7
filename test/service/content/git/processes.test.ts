import { once } from 'node:events'
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Git } from '#content/git/git.ts'
import { GitObjectDatabase } from '#content/objects/git-object-database.ts'
import { Refs } from '#content/refs/refs.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'
import { author, filesOf, newRepository } from '#test/support/content/support.ts'

/** A process whose parent is gone may stay in the table until somebody asks how it ended. */
async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return stat !== '' && !/\) Z /.test(stat)
}

/** Remembers the lasting processes that were started, so that a test can kill them. */
class WatchedGit extends Git {
  readonly started: ChildProcessWithoutNullStreams[] = []

  override start(...args: Parameters<Git['start']>): ChildProcessWithoutNullStreams {
    const child = super.start(...args)
    this.started.push(child)
    return child
  }
}

async function twoCommits() {
  const repository = await newRepository()
  const make = (text: string, parent: string | null) =>
    repository.replaceTree({ files: filesOf({ 'a.mdx': text }), parent, author, message: text })
  const first = await make('1', null)
  const second = await make('2', first.commit)
  return { directory: repository.directory, first: first.commit, second: second.commit }
}

describe('a git process that is killed', () => {
  it.each([true, false])(
    'while it rests is replaced for the next ref transaction (its end noticed: %s)',
    async (noticed) => {
      const { directory, first, second } = await twoCommits()
      const git = new WatchedGit({ searchPath: process.env['PATH'] })
      const refs = new Refs(git, directory)
      onTestFinished(() => refs.close())
      await refs.update([{ ref: 'refs/heads/main', old: null, new: first }])
      const [child] = git.started
      child?.kill('SIGKILL')
      if (noticed && child) await once(child, 'close')
      await refs.update([{ ref: 'refs/heads/main', old: first, new: second }])
      expect(await refs.resolve('refs/heads/main')).toBe(second)
      expect(git.started).toHaveLength(2)
    },
  )

  it('serves many transactions when nobody kills it', async () => {
    const { directory, first, second } = await twoCommits()
    const git = new WatchedGit({ searchPath: process.env['PATH'] })
    const refs = new Refs(git, directory)
    onTestFinished(() => refs.close())
    refs.warm()
    for (let i = 0; i < 5; i++) await refs.update([{ ref: 'refs/heads/main', new: i % 2 ? first : second }])
    expect(git.started).toHaveLength(1)
  })

  it('while it reads is replaced, and every open request answered', async () => {
    const { directory, first, second } = await twoCommits()
    const git = new WatchedGit({ searchPath: process.env['PATH'] })
    const reader = new GitObjectDatabase(git, directory)
    onTestFinished(() => reader.close())
    const reads = [first, second, '0'.repeat(40), first].map((oid) => reader.read(oid))
    git.started[0]?.kill('SIGKILL')
    expect((await Promise.all(reads)).map((object) => object?.type ?? null)).toEqual([
      'commit',
      'commit',
      null,
      'commit',
    ])
  })

  it('that hangs is ended with its children after its time, and the caller told to come back', async () => {
    const directory = await temporaryDirectory()
    await writeFile(join(directory, 'git'), '#!/bin/sh\n/bin/sleep 600 &\necho $! > "$GIT_DIR/pid"\nwait\n', {
      mode: 0o755,
    })
    const told: string[] = []
    const git = new Git({ searchPath: directory, onTimeout: (what) => told.push(what) })
    const run = git.run(['for-each-ref'], { directory, timeout: 500 })
    await expect(run).rejects.toMatchObject({ code: 'unavailable', retryAfter: 10 })
    expect(told).toEqual(['git for-each-ref: took too long'])
    const pid = Number(await readFile(join(directory, 'pid'), 'utf8'))
    await expect.poll(() => isRunning(pid)).toBe(false)
  })

  it('that owes an object and says nothing is ended, too, and the next one is asked', async () => {
    const { directory: repository, first } = await twoCommits()
    const directory = await temporaryDirectory()
    const hang = join(directory, 'hang')
    await writeFile(hang, '')
    const script = `#!/bin/sh\nif [ -e '${hang}' ]; then /bin/sleep 600; fi\nPATH='${process.env['PATH']}' exec git "$@"\n`
    await writeFile(join(directory, 'git'), script, { mode: 0o755 })
    const reader = new GitObjectDatabase(new Git({ searchPath: directory }), repository, undefined, 300)
    onTestFinished(() => reader.close())
    for (const result of await Promise.allSettled([reader.read(first), reader.type(first)]))
      expect(result).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } })
    await rm(hang)
    expect((await reader.read(first))?.type).toBe('commit')
  })

  it('cannot be started at all: the error says so, and the version check names git', async () => {
    const { directory, first } = await twoCommits()
    const git = new Git({ searchPath: '/nowhere' })
    await expect(new GitObjectDatabase(git, directory).read(first)).rejects.toThrow('cat-file')
    await expect(new Refs(git, directory).update([{ ref: 'refs/heads/x', new: first }])).rejects.toThrow('ENOENT')
    await expect(git.requireVersion()).rejects.toThrow('Quire needs git 2.38 or newer')
    expect(await new Git({ searchPath: process.env['PATH'] }).requireVersion()).toMatch(/^2\./)
  })
})
