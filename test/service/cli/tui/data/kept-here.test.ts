import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openWorkspace } from '#cli/tui/data/service/open-workspace.ts'
import { nodeDisk, type Disk } from '#cli/tui/data/disk/disk.ts'
import { contract } from '#contract/index.ts'
import { refusalOf } from '#test/support/refusal.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'
import { failingDisk } from './disk/failing-disk.ts'
import {
  docsForEachTest,
  Network,
  openUi,
  page,
  pageText,
  textOf,
  type,
} from '#test/support/cli/tui/data/workspaces.ts'

const docs = docsForEachTest('kept')

async function filesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

describe('a disk that fails', () => {
  it('is told within a second; the text is saved on the branch all the same, and kept when there is room again', async () => {
    const disk = failingDisk()
    const state = await temporaryDirectory()
    const workspace = await openUi(docs, state, { disk })
    const draft = await workspace.project('docs').files(docs.branch).edit(page)
    disk.code = 'ENOSPC'
    type(draft, 'no room')
    await expect.poll(() => draft.trouble, { timeout: 1_000 }).toContain('the disk is full')
    expect(await refusalOf(draft.close())).toMatchObject({ code: 'unavailable' })
    await draft.save()
    expect([draft.state, await textOf(docs)]).toEqual(['saved', 'no room'])

    type(draft, 'still none')
    await expect.poll(() => draft.trouble).toContain('the disk is full')
    disk.code = undefined
    await expect.poll(() => draft.trouble).toBe(undefined)
    expect((await filesIn(state)).filter((file) => file.endsWith('.draft'))).toHaveLength(1)
  })

  it('makes room by what is kept only for reading', async () => {
    const state = await temporaryDirectory()
    const asked: string[] = []
    const disk: Disk = {
      ...nodeDisk,
      replace: async (path, parts, options) => {
        asked.push(path)
        const hasCache = (await filesIn(state)).some((file) => file.includes('/cache/'))
        if (options.durable && hasCache) throw Object.assign(new Error('full'), { code: 'ENOSPC' })
        return nodeDisk.replace(path, parts, options)
      },
    }
    const workspace = await openUi(docs, state, { disk })
    const files = workspace.project('docs').files(docs.branch)
    await files.list()
    const draft = await files.edit(page)
    await expect.poll(async () => (await filesIn(state)).length).toBeGreaterThan(0)
    type(draft, 'more important')
    await draft.close()
    expect(draft.trouble).toBe(undefined)
    expect((await filesIn(state)).some((file) => file.endsWith('.draft'))).toBe(true)
  })

  it('such as a home that is a file, does not keep anybody from working', async () => {
    const state = join(await temporaryDirectory(), 'file')
    await writeFile(state, '')
    const workspace = await openUi(docs, state)
    const draft = await workspace.project('docs').files(docs.branch).edit(page)
    type(draft, 'homeless')
    await expect.poll(() => draft.trouble, { timeout: 1_000 }).toContain('nothing can be written at')
    await draft.save()
    expect([draft.state, await textOf(docs)]).toEqual(['saved', 'homeless'])
  })
})

describe('an end that fails', () => {
  it('leaves all drafts open: who stays goes on in them', async () => {
    const disk = failingDisk()
    const state = await temporaryDirectory()
    const workspace = await openUi(docs, state, { disk })
    const files = workspace.project('docs').files(docs.branch)
    const [one, other] = [await files.edit(page), await files.create('other.mdx', '')]
    type(one, 'first')
    await expect.poll(async () => (await workspace.unsaved()).length).toBe(2)
    disk.code = 'ENOSPC'
    type(other, 'second')
    expect(await refusalOf(workspace.close())).toMatchObject({ code: 'unavailable' })
    disk.code = undefined
    type(one, 'first, more')
    expect((await files.edit(page)).text).toBe('first, more')
  })
})

describe('what is kept here', () => {
  it('of an API key is found with the key that takes its place, and what that has read is not', async () => {
    const state = await temporaryDirectory()
    const withKey = (token: string) =>
      openWorkspace({
        environment: { stateDirectory: state },
        url: docs.service.url,
        credential: { kind: 'key', token },
      })
    const first = await withKey(docs.project.key)
    const draft = await first.project('docs').files(docs.branch).edit(page)
    type(draft, 'typed with the old key')
    await draft.close()
    await first.close()
    const second = await withKey(`${docs.project.key}x`)
    onTestFinished(() => second.close())
    expect(await second.unsaved()).toMatchObject([{ path: page, elsewhere: false }])
    expect(await refusalOf(second.project('docs').files(docs.branch).read(page))).toMatchObject({
      code: 'unauthenticated',
    })
  })

  it('is found though one file among it can be read by somebody else only', async () => {
    const state = await temporaryDirectory()
    const disk: Disk = {
      ...nodeDisk,
      read: (path, length) =>
        path.endsWith('root.draft')
          ? Promise.reject(Object.assign(new Error('EACCES'), { code: 'EACCES' }))
          : nodeDisk.read(path, length),
    }
    const workspace = await openUi(docs, state, { disk })
    const files = workspace.project('docs').files(docs.branch)
    const draft = await files.edit(page)
    type(draft, 'mine')
    await draft.close()
    await writeFile(join(dirname(draft.file ?? ''), 'root.draft'), 'secret')
    expect(await workspace.unsaved()).toMatchObject([{ path: page }])
    expect((await files.edit(page)).text).toBe('mine')
  })

  it('can be read by nobody else', async () => {
    const state = await temporaryDirectory()
    const workspace = await openUi(docs, state)
    const draft = await workspace.project('docs').files(docs.branch).edit(page)
    type(draft, 'private')
    await draft.close()
    const file = (await filesIn(state)).find((name) => name.endsWith('.draft')) ?? ''
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await stat(dirname(file))).mode & 0o777).toBe(0o700)
    expect(draft.file).toBe(file)
  })

  it('is put aside when it is damaged, and told in the log', async () => {
    const state = await temporaryDirectory()
    const workspace = await openUi(docs, state)
    const draft = await workspace.project('docs').files(docs.branch).edit(page)
    type(draft, 'soon damaged')
    await draft.close()
    await workspace.close()
    for (const file of await filesIn(state))
      await writeFile(file, `{"quire":"dra${(await readFile(file, 'utf8')).slice(40)}`)

    const told: string[] = []
    const next = await openUi(docs, state, { log: (message) => told.push(message) })
    const files = next.project('docs').files(docs.branch)
    expect((await files.edit(page)).text).toBe(pageText)
    expect((await files.list()).value).toHaveLength(3)
    const aside = (await filesIn(state)).find((file) => file.endsWith('.damaged')) ?? ''
    expect(await readFile(aside, 'utf8')).toContain('soon damaged')
    expect(told.join('\n')).toContain('.damaged')
  })

  it('answers for the service when that cannot be reached, with the time of it', async () => {
    const state = await temporaryDirectory()
    const first = await openUi(docs, state)
    const before = new Date()
    await first.projects()
    const space = first.project('docs')
    await space.branches()
    await space.files(docs.branch).list()
    await space.files('main').read('images/dot.png')
    await first.close()

    const network = new Network()
    network.cut = true
    const next = await openUi(docs, state, { network })
    const again = next.project('docs')
    const [projects, branches, files, image] = [
      await next.projects(),
      await again.branches(),
      await again.files(docs.branch).list(),
      await again.files('main').read('images/dot.png'),
    ]
    expect([projects, branches, files, image].map(({ offline }) => offline)).toEqual([true, true, true, true])
    expect(projects.value.map(({ slug }) => slug)).toEqual(['docs'])
    expect(branches.value.some(({ name }) => name === docs.branch.name)).toBe(true)
    expect(files.value.map(({ path }) => path)).toContain(page)
    expect([image.value.text, image.value.size]).toEqual([undefined, 4])
    expect(files.asOf.getTime()).toBeGreaterThanOrEqual(before.getTime())
    expect(await refusalOf(again.files('main').list())).toMatchObject({ code: 'unavailable' })
    await expect.poll(() => next.identity.account?.email).toBe('docs@example.com')
  })

  it('is not fetched again where it is still so', async () => {
    const network = new Network()
    const workspace = await openUi(docs, await temporaryDirectory(), { network })
    const files = workspace.project('docs').files(docs.branch)
    await files.read(page)
    const again = await files.read(page)
    expect([again.value.text, again.offline]).toEqual([pageText, false])
    expect(network.answers.filter(({ path }) => path.endsWith(page)).map(({ status }) => status)).toEqual([200, 304])
  })
})

describe('files of a branch', () => {
  it('are listed again only where the branch has moved since', async () => {
    const workspace = await openUi(docs, await temporaryDirectory())
    const files = workspace.project('docs').files(docs.branch)
    const { value: first } = await files.list()
    expect((await files.list(first)).value).toBe(first)
    const draft = await files.create('guides/one-more.mdx', '# One more\n')
    await draft.save()
    const { value: second } = await files.list(first)
    expect(second.map(({ path }) => path)).toContain('guides/one-more.mdx')
    expect((await files.list()).value).not.toBe(second)
  })

  it('are created, renamed with their drafts, removed and restored', async () => {
    const workspace = await openUi(docs, await temporaryDirectory())
    const files = workspace.project('docs').files(docs.branch)
    const created = await files.create('guides/new.mdx', '# New\n')
    expect([created.state, created.base.oid]).toEqual(['changed', null])
    await created.save()
    expect(await textOf(docs, 'guides/new.mdx')).toBe('# New\n')
    expect(await refusalOf(files.create('guides/new.mdx', ''))).toMatchObject({ code: 'invalid_request' })

    type(created, '# New\n\nnot saved\n')
    const fileAt = async (path: string) => (await files.list()).value.find((file) => file.path === path)
    const file = await fileAt('guides/new.mdx')
    if (file === undefined) throw new Error('not listed')
    await files.move([{ file, to: 'guides/newer.mdx' }], [], 'Rename it')
    expect([created.path, await fileAt('guides/new.mdx')]).toEqual(['guides/newer.mdx', undefined])
    await created.save()
    expect(await textOf(docs, 'guides/newer.mdx')).toBe('# New\n\nnot saved\n')

    const start = await fileAt(page)
    if (start === undefined) throw new Error('not listed')
    await files.remove(start)
    const deleted = await fileAt(page)
    expect(deleted?.status).toBe('deleted')
    if (deleted !== undefined) await files.restore(deleted)
    expect(await textOf(docs)).toBe(pageText)
  })

  it('keep the draft of a file that is renamed while it is not open', async () => {
    const workspace = await openUi(docs, await temporaryDirectory())
    const files = workspace.project('docs').files(docs.branch)
    const draft = await files.edit(page)
    type(draft, 'carried along')
    await draft.close()
    const file = (await files.list()).value.find(({ path }) => path === page)
    if (file === undefined) throw new Error('not listed')
    await files.move([{ file, to: 'moved.mdx' }], [], 'Rename it')
    const moved = await files.edit('moved.mdx')
    expect([moved.text, moved.recovered, moved.state, moved.base.text]).toEqual([
      'carried along',
      true,
      'changed',
      pageText,
    ])
  })

  it('take an image once, and refuse another of the same name, or one that is too large', async () => {
    const workspace = await openUi(docs, await temporaryDirectory())
    const files = workspace.project('docs').files(docs.branch)
    const image = new Uint8Array([0x89, 0x50, 0xff, 0])
    await files.upload('images/new.png', image)
    await files.upload('images/new.png', image)
    const params = { slug: 'docs', id: docs.branch.id, path: 'images/new.png' }
    const { content } = await docs.project.client.call(contract.branches.readFile, { params })
    expect(Buffer.from(content, 'base64')).toEqual(Buffer.from(image))
    expect(await refusalOf(files.upload('images/new.png', new Uint8Array(3)))).toMatchObject({ code: 'stale_file' })
    const large = await refusalOf(files.upload('images/large.png', new Uint8Array(5 * 1024 * 1024 + 1)))
    expect([large.code, large.message]).toEqual([
      'file_too_large',
      'images/large.png has 5.00 MB; a file may have 5 MB.',
    ])
  })

  it('that are no text, or of main, are not edited', async () => {
    const workspace = await openUi(docs, await temporaryDirectory())
    const space = workspace.project('docs')
    expect(await refusalOf(space.files(docs.branch).edit('images/dot.png'))).toMatchObject({ code: 'invalid_content' })
    expect(await refusalOf(space.files(docs.branch).edit('nowhere.mdx'))).toMatchObject({ code: 'not_found' })
    expect(await refusalOf(space.files('main').edit(page))).toMatchObject({ code: 'forbidden' })
    expect(space.files('main').readOnly).toBe(true)
    for (const path of ['', '/a', 'a//b', '../a', 'a\\b', 'a/\u0007', 'x'.repeat(256)])
      expect(await refusalOf(space.files(docs.branch).create(path, ''))).toMatchObject({ code: 'invalid_path' })
  })

  it('of 5 MB come and go whole', async () => {
    const workspace = await openUi(docs, await temporaryDirectory())
    const files = workspace.project('docs').files(docs.branch)
    const text = '\uFEFFa "line" with \u{1F600} and 日本\r\n'.repeat(120_000) + 'no end'
    const draft = await files.create('large.md', text)
    await draft.save()
    expect((await textOf(docs, 'large.md')) === text).toBe(true)
    await draft.close()
    const again = await files.edit('large.md')
    expect([again.text === text, again.state]).toEqual([true, 'saved'])
  })
})
