import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Cache } from '#cli/tui/data/disk/cache.ts'
import { nodeDisk } from '#cli/tui/data/disk/disk.ts'
import { isInstanceAlive, nameInstance, forgetInstance } from '#cli/tui/data/disk/instance.ts'
import { openSettings } from '#cli/tui/data/disk/settings-file.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

describe('the settings of the UI', () => {
  it('are kept, with what another version keeps there', async () => {
    const configDirectory = join(await temporaryDirectory(), 'quire')
    const settings = await openSettings({ environment: { configDirectory } })
    expect(settings.values).toEqual({ mouse: false, theme: 'auto', toured: false })
    settings.change({ toured: true })
    settings.change({ theme: 'dark' })
    expect(settings.values).toEqual({ mouse: false, theme: 'dark', toured: true })
    await settings.settled()
    const file = join(configDirectory, 'ui.json')
    await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), later: 1, mouse: 'yes' }))
    const next = await openSettings({ environment: { configDirectory } })
    expect(next.values).toEqual({ mouse: false, theme: 'dark', toured: true })
    next.change({ mouse: true })
    await next.settled()
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ mouse: true, theme: 'dark', toured: true, later: 1 })
  })

  it('that are damaged, or cannot be kept, are told in the log only', async () => {
    const directory = await temporaryDirectory()
    await writeFile(join(directory, 'ui.json'), '{"mouse":')
    const told: string[] = []
    const log = (message: string): void => void told.push(message)
    const settings = await openSettings({ environment: { configDirectory: directory }, log })
    expect(settings.values.theme).toBe('auto')
    const nowhere = await openSettings({ environment: { configDirectory: join(directory, 'ui.json') }, log })
    nowhere.change({ mouse: true })
    await nowhere.settled()
    expect([nowhere.values.mouse, told.length]).toEqual([true, 2])
  })
})

describe('what is kept for reading', () => {
  it('is bounded: what was not used for longest goes', async () => {
    const directory = await temporaryDirectory()
    const cache = new Cache(nodeDisk, { directory, log: () => undefined, maxBytes: 20 * 1024 * 1024 })
    const text = 'x'.repeat(1024 * 1024)
    for (let count = 0; count < 40; count++) {
      cache.keepFile(`file ${count}`, { oid: 'a'.repeat(40), size: text.length, text })
      if (count % 8 === 0) expect((await cache.file('file 0'))?.value.size).toBe(text.length)
    }
    await cache.settled()
    const names = await readdir(join(directory, 'cache'))
    const sizes = await Promise.all(names.map(async (name) => (await stat(join(directory, 'cache', name))).size))
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(40 * 1024 * 1024)
    expect(await cache.file('file 0')).toBeDefined()
    expect(await cache.file('file 1')).toBe(undefined)
    expect(await cache.file('file 39')).toBeDefined()
  })
})

it('what killed writers left is cleared away when it is old', async () => {
  const directory = await temporaryDirectory()
  const folder = join(directory, 'drafts', 'one')
  await mkdir(join(directory, 'drafts', 'empty'), { recursive: true })
  await mkdir(folder)
  const [old, fresh, draft] = ['.a.draft.0123.tmp', '.b.draft.0123.tmp', 'c.draft'].map((name) => join(folder, name))
  const before = new Date(Date.now() - 2 * 60 * 60_000)
  for (const file of [old, fresh, draft]) await writeFile(file ?? '', 'x')
  for (const path of [old, draft, join(directory, 'drafts', 'empty'), folder]) await utimes(path ?? '', before, before)
  await nodeDisk.sweep(directory)
  expect(await readdir(join(directory, 'drafts'))).toEqual(['one'])
  expect(await readdir(folder)).toEqual(['.b.draft.0123.tmp', 'c.draft'])
})

it.runIf(process.platform === 'linux')(
  'a UI that runs is known though the machine has had another name since it began',
  async () => {
    const status = await readFile(`/proc/${process.ppid}/stat`, 'utf8')
    const begun = status.slice(status.lastIndexOf(')') + 2).split(' ')[19] ?? ''
    const name = ['0'.repeat(8), process.ppid, begun, '0'.repeat(8)].join('-')
    expect(await isInstanceAlive(name, new Date(0))).toBe(true)
  },
)

it('a name tells whether the UI that has it still runs', async () => {
  const name = await nameInstance()
  const now = new Date()
  expect(await isInstanceAlive(name, now)).toBe(true)
  const [machine = '', , begun = '', random = ''] = name.split('-')
  // The number of a process that has ended may be that of another one now.
  expect(await isInstanceAlive([machine, process.ppid, begun, random].join('-'), now)).toBe(false)
  expect(await isInstanceAlive([machine, 4_194_999, begun, random].join('-'), now)).toBe(false)
  // On another machine with the same home, perhaps; not when it was silent for long.
  expect(await isInstanceAlive(['0'.repeat(8), 1, begun, random].join('-'), now)).toBe(true)
  expect(await isInstanceAlive(['0'.repeat(8), 1, begun, random].join('-'), new Date(0))).toBe(false)
  // The clock of that one is ahead.
  const later = new Date(Date.now() + 60 * 60_000)
  expect(await isInstanceAlive(['0'.repeat(8), 1, begun, random].join('-'), later)).toBe(false)
  forgetInstance(name)
  expect(await isInstanceAlive(name, now)).toBe(false)
  expect(await isInstanceAlive('something else', now)).toBe(false)
})

it('a name tells when its process began in the same words in every time zone', async () => {
  vi.doMock('node:fs/promises', async (original) => ({
    ...(await original<object>()),
    readFile: () => Promise.reject(new Error('there is no /proc')),
  }))
  vi.stubGlobal('process', Object.create(process, { platform: { value: 'darwin' } }))
  onTestFinished(() => {
    vi.doUnmock('node:fs/promises')
    vi.unstubAllGlobals()
    vi.unstubAllEnvs()
    vi.resetModules()
  })
  vi.resetModules()
  const elsewhere = await import('#cli/tui/data/disk/instance.ts')
  const begun = async (zone: string): Promise<string | undefined> => {
    vi.stubEnv('TZ', zone)
    return (await elsewhere.nameInstance()).split('-')[2]
  }
  expect(await begun('Asia/Tokyo')).toBe(await begun('America/Lima'))
})
