import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, copyFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '#lib/paths.ts'
import { temporaryDirectory, writeFiles } from '#test/support/temporary.ts'

/** A build that has nothing to do. */
const build = 'export const build = async () => false\n'
const git = '#!/bin/sh\necho git version 2.40.0\n'

/** A checkout in which nothing is installed; `npm` and `git` are scripts that stand in for them. */
async function checkout(programs: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryDirectory()
  await writeFiles(folder, { 'scripts/build/build.mjs': build })
  for (const file of ['scripts/build/setup.mjs', 'package.json', 'package-lock.json'])
    await copyFile(join(root, file), join(folder, file))
  for (const [name, text] of Object.entries(programs)) {
    await writeFiles(folder, { [`bin/${name}`]: text })
    await chmod(join(folder, 'bin', name), 0o755)
  }
  return folder
}

interface Setup {
  readonly child: ChildProcess
  readonly ended: Promise<unknown[]>
  readonly said: () => string
}

function setUp(folder: string, settings: Readonly<Record<string, string>> = {}): Setup {
  const child = spawn(process.execPath, ['scripts/build/setup.mjs'], {
    cwd: folder,
    env: { PATH: `${folder}/bin:${process.env['PATH']}`, HOME: folder, ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let text = ''
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()))
  return { child, ended: once(child, 'close'), said: () => text }
}

it('says what it does, once, and nothing where nothing is to be done', async () => {
  const folder = await checkout({ git, npm: '#!/bin/sh\nmkdir -p node_modules\n' })
  const first = setUp(folder)
  expect(await first.ended).toEqual([0, null])
  expect(first.said()).toMatch(/^Installing packages, which takes about half a minute …\nInstalled in \d+ s\.\n$/)
  const second = setUp(folder)
  expect(await second.ended).toEqual([0, null])
  expect(second.said()).toBe('')
})

it('two at once install once', async () => {
  const npm = '#!/bin/sh\n[ "$1" = view ] && exit\necho begin >> log\nsleep 1\nmkdir -p node_modules\necho end >> log\n'
  const folder = await checkout({ git, npm })
  const setups = [setUp(folder), setUp(folder)]
  for (const { ended } of setups) expect(await ended).toEqual([0, null])
  expect(await readFile(join(folder, 'log'), 'utf8')).toBe('begin\nend\n')
  expect(setups.filter(({ said }) => said().includes('Waiting for another setup of this folder'))).toHaveLength(1)
})

it('says in a sentence that the registry cannot be reached, and where npm’s log is', async () => {
  const folder = await checkout({ git })
  const setup = setUp(folder, { npm_config_registry: 'http://127.0.0.1:1', npm_config_cache: join(folder, 'cache') })
  expect(await setup.ended).toEqual([1, null])
  const [doing, sentence, log, ...more] = setup.said().split('\n')
  expect(doing).toBe('Installing packages, which takes about half a minute …')
  expect(sentence).toMatch(
    /^The packages could not be installed: the package registry cannot be reached\. .*ECONNREFUSED/,
  )
  expect(log).toMatch(/^npm’s log: .+\.log$/)
  expect(more).toEqual([''])
})

it.each([
  ['ENOSPC', 'the disk is full'],
  ['E403', 'the package registry refuses this machine'],
  ['EINTEGRITY', 'another package than package-lock.json names'],
  ['EACCES', 'this user may not write there'],
])('says what %s of npm means', async (code, words) => {
  const npm = `#!/bin/sh\n[ "$1" = view ] && exit\necho "npm error code ${code}\nnpm error It went wrong" >&2\nexit 1\n`
  const setup = setUp(await checkout({ git, npm }))
  expect(await setup.ended).toEqual([1, null])
  expect(setup.said()).toContain(words)
  expect(setup.said()).toContain(`(${code}: It went wrong)`)
})

it('asks for a newer Git before it installs anything', async () => {
  const npm = '#!/bin/sh\ntouch asked\n'
  const setup = setUp(await checkout({ git: git.replace('2.40', '2.30'), npm }))
  expect(await setup.ended).toEqual([1, null])
  expect(setup.said()).toBe('Quire needs Git 2.38 or newer; this is 2.30.0. Install it and run the command again.\n')
})

it('ends npm with itself', async () => {
  const folder = await checkout({ git, npm: '#!/bin/sh\n[ "$1" = view ] && exit\necho $$ > pid\nexec sleep 1000\n' })
  const setup = setUp(folder)
  const pid = async (): Promise<number> => Number(await readFile(join(folder, 'pid'), 'utf8').catch(() => ''))
  await expect.poll(pid).toBeGreaterThan(0)
  setup.child.kill('SIGTERM')
  await setup.ended
  const npm = await pid()
  await expect.poll(() => readFile(`/proc/${npm}/cmdline`, 'utf8').catch(() => '')).toBe('')
})
