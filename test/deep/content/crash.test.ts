import { spawn } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { rolldown } from 'rolldown'
import { expect, it, onTestFinished } from 'vitest'
import { root } from '#lib/paths.ts'
import { author, filesOf, git, newRepositories } from '#test/support/content/support.ts'

// A process starts anew each round, which takes its time where others are at work.
const timeout = 600_000

/** Bundled inside the project, so that it finds the packages. */
async function bundled(script: 'crash-writer' | 'crash-publisher'): Promise<string> {
  const folder = join(root, 'node_modules', '.cache', `quire-${script}-${process.pid}`)
  await mkdir(folder, { recursive: true })
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const bundle = await rolldown({
    input: join(import.meta.dirname, `${script}.ts`),
    platform: 'node',
    external: /^[^./#]/,
  })
  const file = join(folder, 'writer.mjs')
  await bundle.write({ file, format: 'esm' })
  await bundle.close()
  return file
}

/** Runs a script until some time after its first line; returns what it printed. */
async function runAndKill(script: string, directory: string, milliseconds: number): Promise<string> {
  const child = spawn(process.execPath, [script, directory], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => child.once('close', resolve))
  let output = ''
  const first = new Promise((resolve) => child.stdout.once('data', resolve))
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  await Promise.race([first, ended])
  await delay(milliseconds)
  child.kill('SIGKILL')
  await ended
  return output
}

/** Processes of git on a repository that are not this one’s own, by number. None where the system does not tell. */
function processesIn(directory: string): string[] {
  const read = (path: string): string => {
    try {
      return readFileSync(path, 'latin1')
    } catch {
      // It has ended, or is somebody else’s.
      return ''
    }
  }
  const all = process.platform === 'linux' ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : []
  const own = `PPid:\t${process.pid}\n`
  return all.filter((pid) => {
    const isThere = read(`/proc/${pid}/environ`).split('\0').includes(`GIT_DIR=${directory}`)
    return isThere && !read(`/proc/${pid}/status`).includes(own)
  })
}

it('loses nothing acknowledged over kill -9 and stays sound', { timeout }, async () => {
  const { repositories, directory } = await newRepositories()
  await repositories.create('docs')
  const script = await bundled('crash-writer')
  const acknowledged = new Map<string, string>()
  for (let round = 0; round < 8; round++) {
    const output = await runAndKill(script, directory, 30 + round * 17)
    for (const [, number = '', oid = ''] of output.matchAll(/^(\d+) ([0-9a-f]{40})$/gm))
      acknowledged.set(`refs/deploys/${number}`, oid)

    await expect.poll(() => processesIn(join(directory, 'docs.git'))).toEqual([])
    await repositories.sweep()
    const repository = await repositories.open('docs')
    const refs = await repository.listRefs('refs/deploys/')
    for (const [ref, oid] of acknowledged) expect(refs.get(ref)).toBe(oid)
    const main = await repository.resolveRef('refs/heads/main')
    expect([...refs.values()]).toContain(main)
    expect((await repository.readTree(main ?? '')).size).toBeGreaterThan(0)
    expect(await repository.fsck()).toEqual([])
  }
  // One a round at least, before which nobody is killed.
  expect(acknowledged.size).toBeGreaterThanOrEqual(8)
})

it('loses no save and no publish over kill -9 during merges and collection', { timeout }, async () => {
  const { repositories, directory } = await newRepositories()
  const repository = await repositories.create('docs')
  const { commit } = await repository.replaceTree({
    files: filesOf({ 'index.mdx': 'x' }),
    parent: null,
    author,
    message: '0',
  })
  await repository.updateRefs([{ ref: 'refs/heads/main', old: null, new: commit }])
  const script = await bundled('crash-publisher')
  const acknowledged = new Set<string>()
  for (let round = 0; round < 10; round++) {
    const output = await runAndKill(script, directory, 40 + round * 31)
    for (const [oid] of output.matchAll(/^[0-9a-f]{40}$/gm)) acknowledged.add(oid)
    // git’s children outlive the killed process for a moment, a collection longer where others are at work.
    await expect.poll(() => processesIn(repository.directory)).toEqual([])
    await repositories.sweep()
    await repositories.open('docs')
    const reached = await git(repository.directory, 'rev-list', '--branches')
    const kept = new Set(reached.split('\n'))
    for (const oid of acknowledged) expect(kept).toContain(oid)
    expect(await repository.fsck()).toEqual([])
  }
  expect(acknowledged.size).toBeGreaterThanOrEqual(10)
})
