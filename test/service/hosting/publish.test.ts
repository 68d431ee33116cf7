import { spawn } from 'node:child_process'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '#lib/paths.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'
import { openHosting } from '#test/support/hosting/support.ts'
import { makeRelease } from '#test/support/hosting/support-release.ts'

const first = makeRelease({
  id: 'first',
  pages: { '/': 'Welcome', '/old': 'An old page' },
  files: { '/_quire/theme.111.css': { content: 'a{}', type: 'text/css', immutable: true } },
})

describe('publishing', () => {
  it('keeps a release and its blobs across a restart', async () => {
    const { hosting, directory } = await openHosting()
    await (await hosting.open('docs')).publish(first.release, first.blobs)
    const again = await (await openHosting({ directory })).hosting.open('docs')
    expect(JSON.parse(JSON.stringify(await again.read('first')))).toEqual(first.release)
    for (const blob of first.blobs.keys()) expect(again.has(blob)).toBe(true)
    expect(await again.read('never')).toBeNull()
  })

  it('needs only the blobs that are new', async () => {
    const { hosting } = await openHosting()
    const docs = await hosting.open('docs')
    await docs.publish(first.release, first.blobs)
    await docs.publish({ ...first.release, id: 'same' }, new Map())
    expect((await docs.read('same'))?.routes).toEqual(first.release.routes)
  })

  it('refuses a release that names a blob nobody has, and leaves nothing of it', async () => {
    const { hosting } = await openHosting()
    const docs = await hosting.open('docs')
    const some = new Map([...first.blobs].slice(1))
    await expect(docs.publish(first.release, some)).rejects.toThrow(/neither given nor kept/)
    expect(await docs.read('first')).toBeNull()
  })

  it('refuses ids and slugs that would leave the folder', async () => {
    const { hosting } = await openHosting()
    const docs = await hosting.open('docs')
    await expect(docs.publish({ ...first.release, id: '../x' }, first.blobs)).rejects.toThrow(/not a release id/)
    await expect(hosting.open('../docs')).rejects.toThrow(/not the id of a project/)
  })

  it('takes publishes of one project at the same time', async () => {
    const { hosting, directory } = await openHosting()
    const docs = await hosting.open('docs')
    const many = Array.from({ length: 8 }, (_, i) =>
      makeRelease({
        id: `r${i}`,
        pages: { '/': `Home ${i}`, '/same': 'Same' },
        files: { [`/a.${i}.css`]: { content: `${i}`, type: 'text/css', immutable: true } },
      }),
    )
    await Promise.all(many.map(({ release, blobs }) => docs.publish(release, blobs)))
    const again = await (await openHosting({ directory })).hosting.open('docs')
    for (const { release } of many) expect(JSON.parse(JSON.stringify(await again.read(release.id)))).toEqual(release)
  })

  it('gives everybody the same project', async () => {
    const { hosting } = await openHosting({ memory: { projects: 1, releases: 1, answers: 1 } })
    const [one, two] = await Promise.all([hosting.open('docs'), hosting.open('docs')])
    await one.publish(first.release, first.blobs)
    await hosting.open('other')
    expect(two.has(first.release.shell)).toBe(true)
    expect(await (await hosting.open('docs')).read('first')).not.toBeNull()
  })

  it('removes a project with all it had, and may start it anew', async () => {
    const { hosting, directory } = await openHosting()
    await (await hosting.open('docs')).publish(first.release, first.blobs)
    await hosting.remove('docs')
    await hosting.remove('docs')
    expect(await readdir(directory)).toEqual(['.common'])
    expect(await readdir(join(directory, '.common'))).toEqual([])
    const anew = await hosting.open('docs')
    expect(anew.has(first.release.shell)).toBe(false)
    expect(await anew.read('first')).toBeNull()
  })

  it('ends a removal that a crash interrupted', async () => {
    const directory = await temporaryDirectory()
    await mkdir(join(directory, '.removed-docs-1', 'packs'), { recursive: true })
    await writeFile(join(directory, '.removed-docs-1', 'packs', 'x.pack'), 'x')
    await openHosting({ directory })
    expect(await readdir(directory)).toEqual([])
  })
})

describe('a process that is killed', () => {
  // Inside the checkout, so that the child finds the packages.
  const bundle = join(root, 'node_modules', '.cache', `quire-crash-child-${process.pid}.mjs`)

  beforeAll(async () => {
    const build = await rolldown({
      input: join(import.meta.dirname, 'crash-child.ts'),
      platform: 'node',
      external: /^(?!node:)[^./#]/,
    })
    await build.write({ file: bundle, format: 'esm' })
    await build.close()
  })
  afterAll(() => rm(bundle, { force: true }))

  const dieAt = (directory: string, step: string): Promise<NodeJS.Signals | null> =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [bundle, directory, step], { stdio: ['ignore', 'inherit', 'inherit'] })
      child.on('error', reject)
      child.on('exit', (_code, signal) => resolve(signal))
    })

  it.each(['pack', 'assets', 'manifest'])(
    'before the step %s of a publish leaves the old release and no trace of the new one',
    async (step) => {
      const { hosting, directory } = await openHosting()
      await (await hosting.open('docs')).publish(first.release, first.blobs)
      expect(await dieAt(directory, step)).toBe('SIGKILL')
      const docs = await (await openHosting({ directory })).hosting.open('docs')
      expect(JSON.parse(JSON.stringify(await docs.read('first')))).toEqual(first.release)
      expect(await docs.read('second')).toBeNull()
      expect(await dieAt(directory, 'never')).toBeNull()
      expect(await (await (await openHosting({ directory })).hosting.open('docs')).read('second')).not.toBeNull()
    },
  )

  it.each(['published', 'collect-manifests', 'collect-blobs'])(
    'before the step %s leaves the new release whole',
    async (step) => {
      const { hosting, directory } = await openHosting()
      await (await hosting.open('docs')).publish(first.release, first.blobs)
      expect(await dieAt(directory, step)).toBe('SIGKILL')
      const { hosting: next, warnings } = await openHosting({ directory })
      const docs = await next.open('docs')
      const release = await docs.read('second')
      for (const route of Object.values(release?.routes ?? {})) expect(docs.has(route.blob)).toBe(true)
      expect(Object.keys(release?.routes ?? {})).toHaveLength(5)
      const later = new Date(Date.now() + 48 * 60 * 60 * 1000)
      expect((await docs.collect(new Set(['second']), later)).releases).toBe(step === 'collect-blobs' ? 0 : 1)
      expect(warnings).toEqual([])
    },
  )
})
