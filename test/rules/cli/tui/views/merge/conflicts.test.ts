import { describe, expect, it } from 'vitest'
import { EditorPane } from '#cli/tui/panes/editor.ts'
import { TextBuffer } from '#cli/tui/text/buffer.ts'
import { ConflictsView } from '#cli/tui/views/merge/conflicts.ts'
import { PendingMerge } from '#cli/tui/views/merge/pending-merge.ts'
import type { Conflict } from '#contract/branches.ts'
import { FakeApp } from '#test/support/fake-app.ts'
import { keyOf } from '#test/support/keys.ts'
import { aBranch } from '#test/support/fake-workspace.ts'

const oid = (letter: string): string => letter.repeat(40)
const text: Conflict = {
  path: 'guide.mdx',
  type: 'content',
  base: 'first\nsecond\nthird\n',
  main: 'first\nof main\nthird\n',
  branch: 'first\nof the branch\nthird\n',
  oids: { base: oid('0'), main: oid('a'), branch: oid('b') },
}
const deleted: Conflict = {
  path: 'old.mdx',
  type: 'modify/delete',
  base: 'old\n',
  branch: 'renewed\n',
  oids: { base: oid('0'), branch: oid('b') },
}
const binary: Conflict = {
  path: 'logo.png',
  type: 'binary',
  omitted: 'binary',
  oids: { base: oid('0'), main: oid('a'), branch: oid('b') },
}

function opened(conflicts: readonly Conflict[], pendingMerge = new PendingMerge()) {
  const app = new FakeApp()
  const ends: boolean[] = []
  pendingMerge.take(conflicts, [])
  app.push({ title: 'Publish', about: '', layout: () => [], commands: () => [] })
  const view = new ConflictsView(app, {
    branch: aBranch(),
    pendingMerge,
    goOn: 'Publish',
    end: (goesOn) => void ends.push(goesOn),
  })
  app.push(view)
  const screen = (width = 110): string => app.screen({ width, height: 24 })
  screen()
  return { app, view, pendingMerge, ends, screen }
}

describe('conflicts of a branch with main', () => {
  it('say in a few words what does not go together', () => {
    const { screen } = opened([text, deleted])
    expect(screen()).toContain('guide.mdx  same lines')
    expect(screen()).toContain('old.mdx  changed and deleted')
  })

  it('are settled as a whole in the list', async () => {
    const { app, pendingMerge } = opened([text])
    await app.press('escape', '2')
    expect(pendingMerge.resolutions()).toMatchObject([{ path: 'guide.mdx', use: 'main' }])
  })

  it('keep the pieces that were decided when the person looks elsewhere in between', async () => {
    const pendingMerge = new PendingMerge()
    const two = { ...text, main: 'of main\nx\ny\nof main\n', branch: 'mine\nx\ny\nmine\n', base: 'a\nx\ny\na\n' }
    const { app } = opened([two], pendingMerge)
    await app.press('1', 'escape', 'escape')
    const again = opened([two], pendingMerge)
    await again.app.press('2', 'ctrl+s')
    expect(pendingMerge.resolutions()).toMatchObject([{ content: 'mine\nx\ny\nof main\n' }])
  })

  it('are merged piece by piece, file by file, and then it goes on', async () => {
    const { app, pendingMerge, ends, screen } = opened([text, binary])
    expect(screen()).toContain('! guide.mdx')
    await app.press('1', 'ctrl+s')
    expect(screen()).toContain('✓ guide.mdx')
    await app.press('2')
    expect(app.notes.at(-1)).toBe('success: All settled. Ctrl-S: publish.')
    await app.press('ctrl+s')
    expect(ends[0]).toBe(true)
    expect(app.top.title).toBe('Publish')
    expect(pendingMerge.resolutions()).toEqual([
      { path: 'guide.mdx', content: text.branch, seen: { main: oid('a'), branch: oid('b') } },
      { path: 'logo.png', use: 'main', seen: { main: oid('a'), branch: oid('b') } },
    ])
  })

  it('are not gone on with while one is open', async () => {
    const { app, ends } = opened([text, binary])
    await app.press('1', 'ctrl+s', 'ctrl+s')
    expect(app.notes.at(-1)).toBe('warning: 1 file still to be settled, such as logo.png.')
    expect(ends).toEqual([])
  })

  it('keep what was decided, and what is half merged, when they are left', async () => {
    const { app, pendingMerge, ends } = opened([text, binary])
    await app.press('escape', 'end', '1', 'escape', 'escape')
    expect(ends).toEqual([false])
    const again = opened([text, binary], pendingMerge)
    expect(again.screen()).toContain('✓ logo.png')
    expect(again.pendingMerge.open.map(({ path }) => path)).toEqual(['guide.mdx'])
  })

  it('say of a deletion what each choice does', async () => {
    const { screen, app, pendingMerge } = opened([deleted])
    expect(screen()).toContain('One changed the file, the other deleted it.')
    expect(screen()).toContain('1  the file as new-api has it')
    expect(screen()).toContain('2  no such file, as main has it')
    await app.press('enter')
    expect(app.notes.at(-1)).toContain('settled as a whole')
    await app.press('2')
    expect(pendingMerge.resolutions()).toEqual([
      { path: 'old.mdx', use: 'main', seen: { main: null, branch: oid('b') } },
    ])
  })

  it('whose sides have moved are asked for again, with the way to take the same side', async () => {
    const pendingMerge = new PendingMerge()
    pendingMerge.take([binary], [])
    pendingMerge.decide('logo.png', { use: 'main' })
    const { app, screen } = opened([{ ...binary, oids: { ...binary.oids, main: oid('c') } }], pendingMerge)
    expect(screen()).toContain('! logo.png')
    expect(app.notes.at(-1)).toContain('logo.png: a side has moved since you decided')
    await app.press('k')
    expect(pendingMerge.resolutions()).toEqual([
      { path: 'logo.png', use: 'main', seen: { main: oid('c'), branch: oid('b') } },
    ])
  })

  it('keep a text that was written of sides that are others now, and do not take it', async () => {
    const pendingMerge = new PendingMerge()
    pendingMerge.take([text], [])
    pendingMerge.decide('guide.mdx', { content: 'my words\n' })
    const moved = { ...text, main: 'other\n', oids: { ...text.oids, main: oid('c') } }
    const { app } = opened([moved], pendingMerge)
    await app.press('escape', 'y')
    expect(app.copied).toEqual(['my words\n'])
    await app.press('k')
    expect(pendingMerge.resolutions()).toEqual([])
  })

  it('of which other lines have moved are joined anew: what somebody else published since is in the text', async () => {
    const pendingMerge = new PendingMerge()
    const { app } = opened([text], pendingMerge)
    await app.press('1', 'ctrl+s')
    const moved = { ...text, main: 'first of others\nof main\nthird\n', oids: { ...text.oids, main: oid('c') } }
    const far = { ...moved, base: `first\nx\ny\nsecond\nthird\n`, branch: 'first\nx\ny\nof the branch\nthird\n' }
    const again = opened([{ ...far, main: 'first of others\nx\ny\nof main\nthird\n' }], pendingMerge)
    expect(pendingMerge.resolutions()).toEqual([])
    await again.app.press('k', 'ctrl+s')
    expect(pendingMerge.resolutions()).toEqual([
      {
        path: 'guide.mdx',
        content: 'first of others\nx\ny\nof the branch\nthird\n',
        seen: { main: oid('c'), branch: oid('b') },
      },
    ])
  })

  it('that are none any more still show the text that was made of them', async () => {
    const pendingMerge = new PendingMerge()
    pendingMerge.take([text, binary], [])
    pendingMerge.decide('guide.mdx', { content: 'my words\n' })
    const { app, screen } = opened([binary], pendingMerge)
    expect(screen()).toContain('· guide.mdx')
    await app.press('home')
    expect(screen()).toContain('so your text for it is not used')
    await app.press('y')
    expect(app.copied).toEqual(['my words\n'])
    // Whatever the terminal does with it.
    const editor = new EditorPane({ buffer: new TextBuffer('') })
    editor.input({ type: 'key', key: keyOf('ctrl+v') })
    expect(editor.buffer.text()).toBe('my words\n')
  })

  it('fit into 80 columns', () => {
    const { screen } = opened([text, binary])
    expect(screen(78)).toContain('! logo.png')
  })
})
