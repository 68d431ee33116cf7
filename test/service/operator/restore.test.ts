import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readFile, readdir, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { extract, pack } from 'tar-stream'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AuditLog } from '#audit/audit-log.ts'
import { administer } from '#administer.ts'
import { restore } from '#operator/restore.ts'
import { getSite } from '#test/support/site.ts'
import { describeInDepth, inDepth, isDeep } from '#test/support/depth.ts'
import { lockDirectory } from '#storage/lock.ts'
import { sealText } from '#storage/checksum.ts'
import { removeDirectory, temporaryDirectory } from '#test/support/temporary.ts'
import { openFileRecords } from '#test/support/file-records.ts'
import {
  backupOf,
  backupTo,
  checkOf,
  copyOf,
  filesIn,
  git,
  gitIn,
  holdUnused,
  makeData,
  operatorClient,
  restoreInto,
  serviceOn,
  slug,
} from '#test/support/operator/support.ts'

let data: string
let archive: string
beforeAll(async () => {
  data = await makeData()
  archive = join(data, '..', `${data.split('/').at(-1)}.tar.gz`)
  await backupOf(data, archive)
})
afterAll(async () => {
  await removeDirectory(data)
  await rm(archive, { force: true })
})

type Edit = (name: string, content: Buffer) => readonly (readonly [name: string, content: Buffer])[]

/** The archive with other entries, whole as tar and gzip go. */
async function edited(edit: Edit): Promise<string> {
  const file = join(await temporaryDirectory(), 'edited.tar.gz')
  const [from, to] = [extract(), pack()]
  const reading = pipeline(createReadStream(archive), createGunzip(), from as unknown as NodeJS.WritableStream)
  const writing = pipeline(to as unknown as NodeJS.ReadableStream, createGzip(), createWriteStream(file))
  for await (const entry of from) {
    const chunks: Buffer[] = []
    for await (const chunk of entry as unknown as AsyncIterable<Buffer>) chunks.push(chunk)
    for (const [name, content] of edit(entry.header.name, Buffer.concat(chunks))) to.entry({ name }, content)
  }
  to.finalize()
  await Promise.all([reading, writing])
  return file
}

/** Nothing comes of it, and nothing is left. */
async function expectRefused(file: string, problem: RegExp): Promise<void> {
  const parent = await temporaryDirectory()
  await expect(restoreInto(join(parent, 'new'), file)).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringMatching(problem) as string,
  })
  expect(await readdir(parent)).toEqual([])
}

/** A copy of the data in which people call the project `handbook`. */
async function renamedCopy(): Promise<string> {
  const directory = await copyOf(data)
  const file = join(directory, `${slug}.json`)
  const { sum: _sum, ...envelope } = JSON.parse(await readFile(file, 'utf8')) as {
    sum: string
    document: { slug: string }
  }
  envelope.document.slug = 'handbook'
  await writeFile(file, sealText(JSON.stringify(envelope)))
  return directory
}

describe('a renamed project', () => {
  it('is in an archive under its id, and told by its slug', async () => {
    const renamed = await renamedCopy()
    const file = join(await temporaryDirectory(), 'renamed.tar.gz')
    await backupOf(renamed, file)
    const told: string[] = []
    const directory = join(await temporaryDirectory(), 'new')
    await restore({ source: createReadStream(file), directory, git, onProgress: (at) => void told.push(at) })
    expect(told).toEqual(['handbook'])
    expect(await filesIn(directory)).toEqual(await filesIn(renamed))
  })

  it('is told by its slug when it is removed while the backup is made', async () => {
    const directory = await renamedCopy()
    const client = await operatorClient({
      hold: async (projectId) => {
        const held = await holdUnused(directory, projectId)
        await rm(join(directory, `${slug}.json`))
        return held
      },
    })
    const sink = createWriteStream(join(await temporaryDirectory(), 'renamed.tar.gz'))
    expect(await backupTo(directory, sink, client)).toMatchObject({ projects: 0, removed: ['handbook'] })
  })
})

describe('a restore', () => {
  it('brings everything back', async () => {
    const directory = join(await temporaryDirectory(), 'new')
    expect(await restoreInto(directory, archive)).toMatchObject({ directory, projects: 1 })
    const files = await filesIn(directory)
    expect(files).toEqual(await filesIn(data))
    expect([...files.keys()].join('\n')).toMatch(/\/comments\//)
    const refs = ['for-each-ref', '--format=%(objectname) %(refname)']
    expect(gitIn(directory, ...refs)).toBe(gitIn(data, ...refs))
    expect(gitIn(directory, 'config', '--list')).toContain('core.fsync=all')
    expect(await checkOf(directory)).toMatchObject({ problems: [], notes: [] })
  })

  inDepth('also into an empty directory that other programs know', async () => {
    const directory = await temporaryDirectory()
    await mkdir(join(directory, 'lost+found'))
    await restoreInto(directory, archive)
    expect(await checkOf(directory)).toMatchObject({ problems: [], notes: [] })
  })

  it('is told in the audit log of every project', async () => {
    const directory = join(await temporaryDirectory(), 'new')
    const { createdAt } = await administer(directory).restore(archive, undefined, { onProgress: () => undefined })
    const records = openFileRecords(directory)
    const { items } = await new AuditLog({ records, now: () => new Date() }).list(slug)
    await records.close()
    expect(items[0]).toMatchObject({
      action: 'admin.restore',
      actor: { kind: 'operator' },
      detail: `as of ${createdAt}`,
    })
    expect(items.length).toBeGreaterThan(1)
    expect(await checkOf(directory)).toMatchObject({ problems: [], notes: [] })
  })

  it('leaves a directory alone that holds anything', async () => {
    const directory = await copyOf(data)
    const before = await filesIn(directory)
    await expect(restoreInto(directory, archive)).rejects.toMatchObject({ code: 'invalid_request' })
    expect(await filesIn(directory)).toEqual(before)
    expect(await readdir(join(directory, '..'))).toEqual(['data'])
  })

  it('refuses an archive that is cut, wherever that is', async () => {
    const whole = await readFile(archive)
    const file = join(await temporaryDirectory(), 'cut.tar.gz')
    for (const share of isDeep ? [0, 0.01, 0.3, 0.6, 0.9, 0.99] : [0, 0.6]) {
      await writeFile(file, whole.subarray(0, Math.floor(whole.length * share)))
      await expectRefused(file, /not a whole backup/)
    }
    await writeFile(file, whole.subarray(0, -9))
    await expectRefused(file, /not a whole backup/)
  })

  inDepth('refuses an archive that ends between two entries', async () => {
    await expectRefused(await edited((name, content) => (name === 'SHA256SUMS' ? [] : [[name, content]])), /its end is/)
    const projects = await edited((name, content) => (name.startsWith('projects/') ? [] : [[name, content]]))
    await expectRefused(projects, /projects\/docs\/SHA256SUMS is missing/)
    const documents = await edited((name, content) => (name === 'service/SHA256SUMS' ? [] : [[name, content]]))
    await expectRefused(documents, /documents of the service have no end/)
  })

  it.each([
    ['a document', `projects/${slug}/document.json`, 'title', 'titel'],
    ['a record', `projects/${slug}/files/deliveries/00000001.jsonl`, '1', '7'],
    ['the accounts', 'service/_service.json', 'acc_', 'acd_'],
    ['the refs', `projects/${slug}/refs`, 'heads/work', 'heads/walk'],
  ])('notices that %s changed', async (_what, wanted, before, after) => {
    const file = await edited((name, content) => [
      [name, name === wanted ? Buffer.from(content.toString('latin1').replace(before, after), 'latin1') : content],
    ])
    await expectRefused(file, new RegExp(`${wanted.replaceAll('.', '\\.')} is not as it was`))
  })

  it('notices an entry too many, one too few and one in another place', async () => {
    const extra = await edited((name, content) =>
      name === `projects/${slug}/refs`
        ? [
            [name, content],
            [`projects/${slug}/files/extra`, content],
          ]
        : [[name, content]],
    )
    await expectRefused(extra, /files\/extra was not in it/)
    const fewer = await edited((name, content) => (name.includes('/packs/') ? [] : [[name, content]]))
    await expectRefused(fewer, /packs\/.* is missing/)
  })

  it.each([
    ['../outside'],
    [`projects/${slug}/files/../../outside`],
    [`projects/${slug}/files/.hidden`],
    ['projects/Docs/refs'],
    ['service/docs.json'],
    ['common/docs.json'],
    [`common/../${'0'.repeat(64)}.pack`],
  ])('takes no entry %s', async (name) => {
    const file = await edited((original, content) =>
      original === 'quire-backup.json'
        ? [
            [original, content],
            [name, content],
          ]
        : [[original, content]],
    )
    await expectRefused(file, /which no backup has/)
  })

  it.each(['symlink', 'link', 'directory', 'character-device', 'block-device', 'fifo'] as const)(
    'takes no %s',
    async (type) => {
      const file = join(await temporaryDirectory(), 'odd.tar.gz')
      const to = pack()
      const writing = pipeline(to as unknown as NodeJS.ReadableStream, createGzip(), createWriteStream(file))
      to.entry({ name: 'quire-backup.json' }, JSON.stringify({ format: 1, version: '1', createdAt: 'x' }))
      to.entry({ name: `projects/${slug}/files/packs`, type, linkname: '/etc', devmajor: 1, devminor: 3 })
      to.finalize()
      await writing
      await expectRefused(file, /files\/packs" is not a file/)
    },
  )

  inDepth('takes no document that is larger than any can be', async () => {
    const file = await edited((name, content) => [
      [name, name === `projects/${slug}/refs` ? Buffer.alloc((64 << 20) + 1, '\n') : content],
    ])
    await expectRefused(file, /refs has 67108865 bytes/)
  })

  it('says which version an archive of a newer format needs', async () => {
    const file = await edited((name, content) => [
      [
        name,
        name === 'quire-backup.json' ? Buffer.from(content.toString().replace('"format":2', '"format":3')) : content,
      ],
    ])
    await expectRefused(file, /has format 3; this version of Quire reads 2/)
  })

  it('makes a directory that a service serves', async () => {
    const directory = join(await temporaryDirectory(), 'new')
    await restoreInto(directory, archive)
    const { service, port } = await serviceOn(directory)
    try {
      const { status, text } = await getSite(port, `${slug}.localhost`, '/big.txt')
      expect({ status, text: text.slice(0, 12) }).toEqual({ status: 200, text: 'a long text\n' })
    } finally {
      await service.close()
    }
  })
})

describeInDepth('an archive that is cut', () => {
  it('anywhere is told with the byte at which it ends, and leaves nothing', async () => {
    const bytes = await readFile(archive)
    const parent = await temporaryDirectory()
    const cut = join(parent, 'cut.tar.gz')
    for (let part = 1; part < 16; part++) {
      const length = Math.floor((bytes.length * part) / 16)
      await writeFile(cut, bytes.subarray(0, length))
      await expect(restoreInto(join(parent, 'new'), cut)).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringContaining(`at byte ${length}`) as string,
      })
      expect(await readdir(parent)).toEqual(['cut.tar.gz'])
    }
  })
})

describe('a restore that cannot take its place at the end', () => {
  const restoredInto = async (directory: string, meanwhile: () => Promise<unknown>) => {
    let done: Promise<unknown> | undefined
    const onProgress = (): void => void (done ??= meanwhile())
    try {
      return await restore({ source: createReadStream(archive), directory, git, onProgress })
    } finally {
      await done
    }
  }

  it('because somebody made the directory is kept where its refusal says', async () => {
    const parent = await temporaryDirectory()
    const directory = join(parent, 'new')
    const refused = restoredInto(directory, () => mkdir(join(directory, 'theirs'), { recursive: true }))
    await expect(refused).rejects.toMatchObject({ code: 'invalid_request' })
    const draft = (await readdir(parent)).find((name) => name !== 'new') ?? ''
    await expect(refused).rejects.toMatchObject({ hint: expect.stringContaining(join(parent, draft)) as string })
    expect(await filesIn(join(parent, draft))).toEqual(await filesIn(data))
    expect(await readdir(directory)).toEqual(['theirs'])
  })

  it('half-way keeps a service from starting on a part of it', async () => {
    const directory = await temporaryDirectory()
    await mkdir(join(directory, 'lost+found'))
    const refused = restoredInto(directory, () => mkdir(join(directory, `${slug}.git`, 'theirs'), { recursive: true }))
    await expect(refused).rejects.toMatchObject({ code: 'unavailable' })
    await expect(serviceOn(directory)).rejects.toThrow(/A restore into .* did not come to its end/)
  })
})

describe('what a restore left that was killed', () => {
  it('is removed by the next one, but not while that is at work', async () => {
    const parent = await temporaryDirectory()
    const left = join(parent, '.restoring-0123456789abcdef-new')
    const busy = join(parent, '.restoring-fedcba9876543210-new')
    await mkdir(left)
    const ofAnother = join(parent, '.restoring-0123456789abcdef-quite-new')
    await mkdir(ofAnother)
    const lock = await lockDirectory(busy)
    await restoreInto(join(parent, 'new'), archive)
    await lock.release()
    expect((await readdir(parent)).sort()).toEqual([basename(ofAnother), basename(busy), 'new'])
  })

  it('in the data directory keeps a service from starting on half of the data', async () => {
    const directory = await copyOf(data)
    await mkdir(join(directory, '.restoring-0123456789abcdef'))
    await expect(serviceOn(directory)).rejects.toThrow(/A restore into .* did not come to its end/)
  })
})

describeInDepth('the use of a project', () => {
  it('is in a backup as it was with its document, whatever is used while the rest is copied', async () => {
    const directory = await copyOf(data)
    const usage = (await readdir(directory)).find((name) => /^_usage\..*\.json$/.test(name)) ?? ''
    const before = await readFile(join(directory, usage), 'utf8')
    const { sum: _sum, ...envelope } = JSON.parse(before) as { sum: string; revision: number }
    const client = await operatorClient({
      hold: async (name) => {
        const held = await holdUnused(directory, name)
        const later = sealText(JSON.stringify({ ...envelope, revision: envelope.revision + 1 }))
        await writeFile(join(directory, usage), later)
        return held
      },
    })
    const parent = await temporaryDirectory()
    await backupTo(directory, createWriteStream(join(parent, 'a.tar.gz')), client)
    await restoreInto(join(parent, 'new'), join(parent, 'a.tar.gz'))
    expect(await readFile(join(parent, 'new', usage), 'utf8')).toBe(before)
  })
})
