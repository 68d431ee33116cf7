import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { nodeDisk, type Disk } from '#cli/tui/data/disk/disk.ts'
import { forgetInstance } from '#cli/tui/data/disk/instance.ts'
import { openStore } from '#cli/tui/data/service/store.ts'
import type { PendingMerge } from '#cli/tui/views/merge/pending-merge.ts'
import { PendingMerges } from '#cli/tui/views/merge/pending-merges.ts'
import type { Conflict } from '#contract/branches.ts'
import { press, typeInto } from '#test/support/keys.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

const branch = { slug: 'docs', branchId: 'b1' }
const oid = (letter: string): string => letter.repeat(40)
/** Its two pieces are to be decided. */
const aConflict = (path: string, own: Partial<Conflict> = {}): Conflict => ({
  path,
  type: 'content',
  base: 'one\nx\ny\nz\ntwo\n',
  main: 'one of theirs\nx\ny\nz\ntwo of theirs\n',
  branch: 'one of mine\nx\ny\nz\ntwo of mine\n',
  oids: { base: oid('0'), main: oid('a'), branch: oid('b') },
  ...own,
})

let stateDirectory: string
beforeEach(async () => {
  stateDirectory = await temporaryDirectory()
})

/** A terminal of a person, until it is killed. */
async function terminal({ disk = nodeDisk, email = 'ada@example.com' }: { disk?: Disk; email?: string } = {}) {
  const told: string[] = []
  const credential = { kind: 'session' as const, email }
  const url = 'http://localhost:4000'
  const store = await openStore({ stateDirectory, url, credential, log: () => undefined, disk })
  const pendingMerges = new PendingMerges(store.decisions, (message) => void told.push(message))
  return {
    pendingMerges,
    told,
    /** What it has of some conflicts. */
    async meets(...conflicts: readonly Conflict[]): Promise<PendingMerge> {
      const pendingMerge = await pendingMerges.open(branch)
      pendingMerge.take(conflicts, [])
      return pendingMerge
    },
    /** So long after the last key that all of it is on the disk. */
    async isKilled(): Promise<void> {
      await pendingMerges.flush()
      forgetInstance(store.instance)
    },
  }
}

/** The pane of the first conflict. */
function paneOf(pendingMerge: PendingMerge) {
  const [item] = pendingMerge.items
  if (item === undefined) throw new Error('no conflict')
  return pendingMerge.paneOf(item, 'mine')
}

/** Writes a piece of the first conflict by hand. @param keys before it, such as `]` for the next piece */
function write(pendingMerge: PendingMerge, text: string, ...keys: readonly string[]): void {
  press(paneOf(pendingMerge), ...keys, 'e', 'ctrl+a')
  typeInto(paneOf(pendingMerge), text)
}

async function files(): Promise<string[]> {
  const all = await readdir(stateDirectory, { recursive: true, withFileTypes: true })
  return all
    .filter((one) => one.isFile() && one.parentPath.includes('decisions'))
    .map(({ parentPath, name }) => join(parentPath, name))
}

describe('what was decided of conflicts', () => {
  it('is found again at the next start, and decided on what it was decided on', async () => {
    const conflicts = [aConflict('a.mdx'), aConflict('b.mdx'), aConflict('c.mdx')]
    const first = await terminal()
    const before = await first.meets(...conflicts)
    before.decide('a.mdx', { content: 'my words\n' })
    before.decide('b.mdx', { use: 'main' })
    before.decide('c.mdx', { use: 'main' })
    before.reopen('c.mdx')
    await first.isKilled()
    const moved = aConflict('b.mdx', { oids: { main: oid('c'), branch: oid('b') } })
    const second = await terminal()
    const after = await second.meets(aConflict('a.mdx'), moved, aConflict('c.mdx'))
    expect(after.items.map(({ state, decision }) => [state, decision])).toEqual([
      ['settled', { content: 'my words\n' }],
      ['open', { use: 'main' }],
      ['open', { use: 'main' }],
    ])
    await second.pendingMerges.forget(branch)
    expect((await second.meets(...conflicts)).open).toHaveLength(3)
    expect(second.told).toEqual([])
  })

  it('is not asked for again at the next start where its conflict was gone, unless there is one again', async () => {
    const [kept, taken] = [aConflict('a.mdx'), aConflict('b.mdx')]
    const first = await terminal()
    const before = await first.meets(kept, taken)
    before.decide('a.mdx', { content: 'my words\n' })
    before.decide('b.mdx', { use: 'main' })
    before.drop('a.mdx')
    before.drop('b.mdx')
    await first.isKilled()
    const second = await terminal()
    const after = await second.pendingMerges.open(branch)
    expect([after.open, after.resolutions()]).toEqual([[], []])
    expect(Object.fromEntries(after.kept().map(({ path, gone }) => [path, gone]))).toEqual({
      'a.mdx': true,
      'b.mdx': true,
    })
    after.take([taken], [])
    expect(after.items.map(({ state, decision }) => [state, decision])).toEqual([
      ['open', { use: 'main' }],
      ['gone', { content: 'my words\n' }],
    ])
  })

  it('is found again half merged, also the piece that is being written', async () => {
    const first = await terminal()
    write(await first.meets(aConflict('a.mdx')), 'half a sen')
    await first.isKilled()
    const after = await (await terminal()).meets(aConflict('a.mdx'))
    expect(after.open).toHaveLength(1)
    expect(paneOf(after).decided).toMatchObject([{ choice: { text: 'half a sen' }, writing: true }])
  })

  it('is found again where the terminal that found it was killed at once', async () => {
    const first = await terminal()
    write(await first.meets(aConflict('a.mdx')), 'half a sen')
    await first.isKilled()
    const second = await terminal()
    await second.pendingMerges.open(branch)
    await second.isKilled()
    const after = await (await terminal()).meets(aConflict('a.mdx'))
    expect(paneOf(after).decided).toMatchObject([{ choice: { text: 'half a sen' } }])
  })

  it('is of one account: who signs in as somebody else has none of it, and takes none away', async () => {
    const first = await terminal()
    write(await first.meets(aConflict('a.mdx')), 'half a sen')
    await first.isKilled()
    const other = await terminal({ email: 'bob@example.com' })
    expect((await other.meets(aConflict('a.mdx'))).kept()).toEqual([])
    await other.pendingMerges.forget(branch)
    const after = await (await terminal()).meets(aConflict('a.mdx'))
    expect(paneOf(after).decided).toMatchObject([{ choice: { text: 'half a sen' } }])
  })

  it('is told not to be kept where the disk is full, once, and tried again before somebody leaves', async () => {
    let isFull = true
    const full = Object.assign(new Error('full'), { code: 'ENOSPC' })
    const disk: Disk = {
      ...nodeDisk,
      replace: (...all) => (isFull ? Promise.reject(full) : nodeDisk.replace(...all)),
    }
    const first = await terminal({ disk })
    const conflicts = [aConflict('a.mdx'), aConflict('b.mdx')]
    const pendingMerge = await first.meets(...conflicts)
    pendingMerge.decide('a.mdx', { content: 'my words\n' })
    await expect(first.pendingMerges.flush()).rejects.toThrow('cannot be kept on this machine: the disk is full')
    pendingMerge.decide('b.mdx', { use: 'main' })
    await expect(first.pendingMerges.flush()).rejects.toThrow('the disk is full')
    expect(first.told).toHaveLength(1)
    expect(first.told[0]).toContain('It is in this window only')
    isFull = false
    await first.isKilled()
    const after = await (await terminal()).meets(...conflicts)
    expect(after.items.map(({ decision }) => decision)).toEqual([{ content: 'my words\n' }, { use: 'main' }])
  })
})

it('goes with a page that is renamed', async () => {
  const [before, after] = ['a.mdx', 'b.mdx'].map((path) => ({ ...branch, path }))
  if (before === undefined || after === undefined) throw new Error('two places')
  const first = await terminal()
  const pendingMerge = await first.pendingMerges.open(before)
  pendingMerge.take([aConflict('a.mdx')], [])
  write(pendingMerge, 'half a sen')
  await first.pendingMerges.move(before, after)
  await first.isKilled()
  const second = await terminal()
  expect((await second.pendingMerges.open(before)).kept()).toEqual([])
  const moved = await second.pendingMerges.open(after)
  moved.take([aConflict('b.mdx')], [])
  expect(paneOf(moved).decided).toMatchObject([{ choice: { text: 'half a sen' }, writing: true }])
})

describe('two terminals at the same conflicts', () => {
  it('are told of each other, and what each wrote is there when both have ended', async () => {
    const [one, other] = [await terminal(), await terminal()]
    write(await one.meets(aConflict('a.mdx')), 'of the one')
    await one.pendingMerges.flush()
    const second = await other.meets(aConflict('a.mdx'))
    expect(other.told).toEqual([expect.stringMatching(/^Another terminal \(process \d+\) is at this, too\./)])
    write(second, 'of the other', ']')
    press(paneOf(second), 'escape')
    await other.isKilled()
    await one.isKilled()
    const after = await (await terminal()).meets(aConflict('a.mdx'))
    expect(paneOf(after).decided).toMatchObject([
      { choice: { text: 'of the one' }, writing: true },
      { choice: { text: 'of the other' } },
    ])
  })

  it('that wrote the same piece leave the later text in it, and the earlier one beside it', async () => {
    const [one, other] = [await terminal(), await terminal()]
    const [first, second] = [await one.meets(aConflict('a.mdx')), await other.meets(aConflict('a.mdx'))]
    write(first, 'earlier')
    press(paneOf(first), 'escape')
    await one.pendingMerges.flush()
    write(second, 'later')
    press(paneOf(second), 'escape')
    await other.isKilled()
    await one.isKilled()
    const pane = paneOf(await (await terminal()).meets(aConflict('a.mdx')))
    expect(pane.unplaced).toEqual(['earlier'])
    expect(pane.decided[0]).toMatchObject({ choice: { text: 'later' } })
  })

  it('of which each was in the middle of a piece leave one to be gone on with, and the other text beside it', async () => {
    const [one, other] = [await terminal(), await terminal()]
    const [first, second] = [await one.meets(aConflict('a.mdx')), await other.meets(aConflict('a.mdx'))]
    write(first, 'half an ear')
    await one.pendingMerges.flush()
    write(second, 'half a la', ']')
    await other.isKilled()
    await one.isKilled()
    const pane = paneOf(await (await terminal()).meets(aConflict('a.mdx')))
    expect(pane.unplaced).toEqual(['half an ear'])
    expect(pane.decided[0]).toMatchObject({ choice: { text: 'half a la' }, writing: true })
  })

  it('that settled a file in two ways have it decided once more, with both texts at hand', async () => {
    const [one, other] = [await terminal(), await terminal()]
    const [first, second] = [await one.meets(aConflict('a.mdx')), await other.meets(aConflict('a.mdx'))]
    first.decide('a.mdx', { content: 'earlier\n' })
    await one.pendingMerges.flush()
    second.decide('a.mdx', { content: 'later\n' })
    await other.isKilled()
    await one.isKilled()
    const after = await (await terminal()).meets(aConflict('a.mdx'))
    expect(after.items).toMatchObject([{ state: 'open', decision: { content: 'later\n' } }])
    expect(after.items.flatMap((item) => after.writtenIn(item))).toEqual(['later\n', 'earlier\n'])
  })

  it('do not take away what the other goes on with; what it leaves behind is there when one comes back', async () => {
    const [one, other] = [await terminal(), await terminal()]
    const first = await one.meets(aConflict('a.mdx'))
    press(paneOf(first), '1')
    const second = await other.meets(aConflict('a.mdx'))
    write(second, 'of the other')
    await other.pendingMerges.flush()
    expect((await one.meets(aConflict('a.mdx'))).items).toBe(first.items)
    expect(paneOf(first).decided).toMatchObject([{ choice: { take: 'mine' } }])
    typeInto(paneOf(second), ' one')
    await other.isKilled()
    await one.meets(aConflict('a.mdx'))
    expect(paneOf(first).decided).toMatchObject([
      { choice: { take: 'mine' } },
      { choice: { text: 'of the other one' } },
    ])
    expect(paneOf(first).unplaced).toEqual(['of the other one'])
    await one.isKilled()
    const after = await (await terminal()).meets(aConflict('a.mdx'))
    expect(paneOf(after).unplaced).toEqual(['of the other one'])
  })

  it('of which one has published leave what the other wrote where it can be found', async () => {
    const [one, other] = [await terminal(), await terminal()]
    const first = await one.meets(aConflict('a.mdx'))
    first.decide('a.mdx', { use: 'branch' })
    write(await other.meets(aConflict('a.mdx')), 'of the other')
    await other.isKilled()
    await one.pendingMerges.forget(branch)
    const [file = '', ...rest] = await files()
    expect(rest).toEqual([])
    expect(one.told.at(-1)).toContain(file)
    expect(await readFile(file, 'utf8')).toBe('a.mdx:\n\nof the other\n')
  })
})

describe('what cannot be read', () => {
  it.each([
    ['is cut off', '{"version":1,"deci'],
    ['is of another version', '{"version":2,"decisions":[],"more":"my words"}'],
  ])('because it %s is put aside, and told', async (_, content) => {
    const first = await terminal()
    ;(await first.meets(aConflict('a.mdx'))).decide('a.mdx', { content: 'my words' })
    await first.isKilled()
    for (const file of await files()) await writeFile(file, content)
    const second = await terminal()
    const pendingMerge = await second.meets(aConflict('a.mdx'))
    pendingMerge.decide('a.mdx', { use: 'main' })
    await second.pendingMerges.flush()
    const aside = (await files()).find((file) => file.endsWith('.damaged')) ?? ''
    expect(await readFile(aside, 'utf8')).toBe(content)
    expect(second.told).toEqual([expect.stringContaining(`It is kept as ${aside}.`)])
  })

  it.each(['EACCES', 'EIO'])('because of %s is told, and found when it can be read again', async (code) => {
    const first = await terminal()
    write(await first.meets(aConflict('a.mdx')), 'half a sen')
    await first.isKilled()
    const [file = ''] = await files()
    let fails = true
    const disk: Disk = {
      ...nodeDisk,
      read: (path, length) =>
        fails && path === file ? Promise.reject(Object.assign(new Error(code), { code })) : nodeDisk.read(path, length),
    }
    const second = await terminal({ disk })
    press(paneOf(await second.meets(aConflict('a.mdx'))), '1', '2')
    await second.meets(aConflict('a.mdx'))
    await second.pendingMerges.flush()
    expect(second.told).toEqual([
      `What was decided here before cannot be read now (${code}). It stays where it is: ${file}.`,
    ])
    fails = false
    expect(paneOf(await second.meets(aConflict('a.mdx'))).unplaced).toEqual(['half a sen'])
  })

  it('of a folder is told, and what is decided then stays in the window', async () => {
    const lists = (): Promise<never> => Promise.reject(Object.assign(new Error('no'), { code: 'EACCES' }))
    const second = await terminal({
      disk: {
        ...nodeDisk,
        list: (directory) => (directory.includes('decisions') ? lists() : nodeDisk.list(directory)),
      },
    })
    const pendingMerge = await second.meets(aConflict('a.mdx'))
    expect(second.told).toEqual([expect.stringContaining('cannot be read now (EACCES)')])
    press(paneOf(pendingMerge), '1')
    expect(paneOf(await second.meets(aConflict('a.mdx'))).decided).toHaveLength(1)
  })

  it('as the disk does not answer keeps nobody waiting, and is shown when it does', async () => {
    const first = await terminal()
    write(await first.meets(aConflict('a.mdx')), 'half a sen')
    await first.isKilled()
    let answer: (() => void) | undefined
    const answered = new Promise<void>((resolve) => (answer = resolve))
    const list: Disk['list'] = async (directory) => {
      if (directory.includes('decisions')) await answered
      return nodeDisk.list(directory)
    }
    const pendingMerge = await (await terminal({ disk: { ...nodeDisk, list } })).meets(aConflict('a.mdx'))
    expect(paneOf(pendingMerge).decided).toEqual([])
    answer?.()
    await expect.poll(() => paneOf(pendingMerge).decided).toMatchObject([{ choice: { text: 'half a sen' } }])
  })

  it('but not be renamed is shown nevertheless', async () => {
    const first = await terminal()
    write(await first.meets(aConflict('a.mdx')), 'half a sen')
    await first.isKilled()
    const readOnly = (): Promise<never> => Promise.reject(Object.assign(new Error('read-only'), { code: 'EROFS' }))
    const second = await terminal({ disk: { ...nodeDisk, move: readOnly, replace: readOnly, remove: readOnly } })
    const pendingMerge = await second.meets(aConflict('a.mdx'))
    expect(paneOf(pendingMerge).decided).toMatchObject([{ choice: { text: 'half a sen' } }])
    await expect(second.pendingMerges.flush()).rejects.toThrow('the disk is read-only')
  })
})

describe('what somebody wrote by hand', () => {
  it('is put aside where main and the branch go together meanwhile', async () => {
    const first = await terminal()
    write(await first.meets(aConflict('a.mdx')), 'half a sen')
    await first.isKilled()
    const second = await terminal()
    await second.pendingMerges.open(branch)
    // The service had no conflict to tell of.
    await second.pendingMerges.forget(branch)
    const [file = '', ...rest] = await files()
    expect([await readFile(file, 'utf8'), rest]).toEqual(['a.mdx:\n\nhalf a sen\n', []])
    expect(second.told).toEqual([expect.stringContaining(`It is in ${file}.`)])
  })

  it('is put aside where somebody else published or deleted the branch', async () => {
    const first = await terminal()
    const pendingMerge = await first.meets(aConflict('a.mdx'), aConflict('b.mdx'))
    write(pendingMerge, 'half a sen')
    pendingMerge.decide('b.mdx', { content: 'my words\n' })
    await first.pendingMerges.giveUp(branch)
    const [file = ''] = await files()
    expect(await readFile(file, 'utf8')).toBe('a.mdx:\n\nhalf a sen\n\nb.mdx:\n\nmy words\n\n')
    expect(first.told).toEqual([expect.stringContaining(file)])
  })

  it('is put aside at the next start where its branch went meanwhile, and stays where that is not certain', async () => {
    const first = await terminal()
    write(await first.meets(aConflict('a.mdx')), 'half a sen')
    await first.isKilled()
    const second = await terminal()
    await second.pendingMerges.giveUpGone(async () => false)
    expect(second.told).toEqual([])
    await second.pendingMerges.giveUpGone(async ({ slug, branchId }) => slug === 'docs' && branchId === 'b1')
    const [file = '', ...rest] = await files()
    expect([await readFile(file, 'utf8'), rest]).toEqual(['a.mdx:\n\nhalf a sen\n', []])
    expect(second.told).toEqual([expect.stringContaining(`It is in ${file}.`)])
    await second.pendingMerges.giveUpGone(async () => true)
    expect(second.told).toHaveLength(1)
  })

  it('stays where it is when it cannot be put aside', async () => {
    const first = await terminal()
    write(await first.meets(aConflict('a.mdx')), 'half a sen')
    await first.isKilled()
    const full = (): Promise<never> => Promise.reject(Object.assign(new Error('full'), { code: 'ENOSPC' }))
    const second = await terminal({ disk: { ...nodeDisk, replace: full } })
    await second.pendingMerges.open(branch)
    await second.pendingMerges.forget(branch)
    expect(second.told).toEqual([expect.stringContaining('the disk is full')])
    await second.isKilled()
    const after = await (await terminal()).meets(aConflict('a.mdx'))
    expect(paneOf(after).decided).toMatchObject([{ choice: { text: 'half a sen' } }])
  })

  it('is not dropped where the conflict is one of whole files now', async () => {
    const first = await terminal()
    write(await first.meets(aConflict('a.mdx')), 'half a sen')
    await first.isKilled()
    const { main: _, ...deleted } = aConflict('a.mdx', {
      type: 'modify/delete',
      oids: { base: oid('0'), branch: oid('b') },
    })
    const after = await (await terminal()).meets(deleted)
    expect(after.items.flatMap((item) => after.writtenIn(item))).toEqual(['half a sen'])
  })
})
