import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '#contract/index.ts'
import { AssistantWorld, call, pages, says } from '#test/support/assistant/world.ts'

let world: AssistantWorld

beforeAll(async () => {
  world = await AssistantWorld.open()
})
afterAll(() => world.close())

const broken = '# Broken\n\n<Card title="x">\n\nIt never ends.\n'
const write = (path: string, content: string) => call('write_file', { path, content })

describe('a turn', () => {
  test('that edits two files becomes one commit of who asked, with its preview', async () => {
    const branch = await world.branch('two-files')
    const before = await world.history(branch)
    world.answers(
      call('read_file', { path: 'guide.mdx' }),
      {
        chunks: ['I will ', 'change it.'],
        calls: [
          { name: 'edit_file', arguments: { path: 'guide.mdx', find: 'First step.', replace: 'The first step.' } },
          { name: 'write_file', arguments: { path: 'more.mdx', content: '# More\n\nText.\n' } },
        ],
      },
      says('Done.'),
    )
    const { events, turn } = await world.ask(branch, 'Mend the guide')
    expect(turn).toMatchObject({
      question: 'Mend the guide',
      answer: 'I will change it.\n\nDone.',
      status: 'done',
      files: ['guide.mdx', 'more.mdx'],
    })
    expect(turn.steps.map(({ tool, about, outcome }) => [tool, about, outcome])).toEqual([
      ['read_file', 'guide.mdx', 'done'],
      ['edit_file', 'guide.mdx', 'done'],
      ['write_file', 'more.mdx', 'done'],
      ['check_site', 'before it is committed', 'done'],
    ])
    // How many pieces a text comes in is for the network to say.
    const types = events.map(({ type }) => type)
    expect(types.filter((type, index) => type !== 'delta' || types[index - 1] !== 'delta')).toEqual(
      'started step step delta step step step step delta step step done'.split(' '),
    )
    const history = await world.history(branch)
    expect(history).toHaveLength(before.length + 1)
    expect(history[0]).toMatchObject({ oid: turn.commit, author: { email: 'ada@example.com' } })
    expect(history[0]?.message).toMatch(/^Mend the guide\n\nWritten by the assistant\.\n\nAssistant-Turn: t\w+\n?$/)
    expect(await world.file(branch, 'guide.mdx')).toContain('The first step.')
    await expect
      .poll(async () => {
        const params = { slug: world.slug, id: branch.id }
        return (await world.owner.client.call(contract.branches.read, { params })).preview.served
      })
      .toBe(turn.commit)
  })

  test('that only talks commits nothing', async () => {
    const branch = await world.branch('talk')
    world.answers(says('It is a guide.'))
    const { turn } = await world.ask(branch, 'What is it?')
    expect(turn).toMatchObject({ status: 'done', answer: 'It is a guide.', files: [], steps: [] })
    expect(turn).not.toHaveProperty('commit')
    expect(await world.history(branch)).toHaveLength(1)
  })

  test('that writes what is there already commits nothing', async () => {
    const branch = await world.branch('same')
    world.answers(write('guide.mdx', pages['guide.mdx'] ?? ''), says('Done.'))
    expect((await world.ask(branch, 'Write it')).turn).toMatchObject({ status: 'done', files: [] })
    expect(await world.history(branch)).toHaveLength(1)
  })

  test('moves and deletes files', async () => {
    const branch = await world.branch('moves')
    await world.save(branch, 'old.mdx', '# Old\n')
    world.answers(
      {
        calls: [
          { name: 'move_file', arguments: { from: 'guide.mdx', to: 'guides/first.mdx' } },
          { name: 'edit_file', arguments: { path: 'guides/first.mdx', find: 'Second step.', replace: '2.' } },
          { name: 'delete_file', arguments: { path: 'old.mdx' } },
          { name: 'read_file', arguments: { path: 'guide.mdx' } },
        ],
      },
      says('Done.'),
    )
    const { turn } = await world.ask(branch, 'Move it')
    expect(turn.files).toEqual(['guide.mdx', 'guides/first.mdx', 'old.mdx'])
    expect(turn.steps[3]).toMatchObject({ outcome: 'failed', detail: 'This branch has no file "guide.mdx".' })
    expect(await world.file(branch, 'guides/first.mdx')).toBe('# Guide\n\nFirst step.\n\n2.\n')
    expect([await world.file(branch, 'guide.mdx'), await world.file(branch, 'old.mdx')]).toEqual([null, null])
  })

  test('is told what a search, a list and a check found', async () => {
    const branch = await world.branch('look')
    world.answers(
      call('search_files', { text: 'STEP', folder: '' }),
      call('list_files', {}),
      write('more.mdx', '# More\n\n[Nowhere](/nowhere)\n'),
      call('check_site', {}),
      says('Done.'),
    )
    const { turn } = await world.ask(branch, 'Look')
    expect(turn.steps.map(({ detail }) => detail)).toEqual([
      '2 matches in 3 files',
      '3 files',
      'added, 28 characters',
      '0 errors, 2 warnings',
      'The site builds.',
    ])
    const told = world.lastMessages().flatMap(({ role, content }) => (role === 'tool' ? [content ?? ''] : []))
    expect(told[0]).toContain('guide.mdx:3: First step.\nguide.mdx:5: Second step.')
    expect(told[1]).toContain('docs.json\nguide.mdx\nindex.mdx')
    // Its link leads nowhere, and nothing leads to it.
    expect(told[3]).toContain('more.mdx:3')
  })

  test('that does not build is mended by the model, which is told why', async () => {
    const branch = await world.branch('mended')
    world.answers(write('more.mdx', broken), says('Done.'), write('more.mdx', '# Whole\n'), says('Mended.'))
    const { turn } = await world.ask(branch, 'Write')
    expect(turn).toMatchObject({ status: 'done', files: ['more.mdx'] })
    expect(turn.steps.map(({ tool, outcome }) => [tool, outcome])).toEqual([
      ['write_file', 'done'],
      ['check_site', 'failed'],
      ['write_file', 'done'],
      ['check_site', 'done'],
    ])
    expect(world.lastMessages().some(({ role, content }) => role === 'user' && content?.includes('more.mdx:3'))).toBe(
      true,
    )
    expect(await world.history(branch)).toHaveLength(2)
  })

  test('that is not mended in two rounds commits nothing and says what does not build', async () => {
    const branch = await world.branch('not-mended')
    world.answers(write('more.mdx', broken), says('Done.'))
    const { turn, events } = await world.ask(branch, 'Write')
    expect(turn).toMatchObject({ status: 'failed', files: [], answer: 'Done.\n\nDone.\n\nDone.' })
    expect(turn.problem).toMatchObject({ code: 'build_failed', errors: [{ path: 'more.mdx', line: 3 }] })
    expect(events.at(-1)).toMatchObject({ type: 'done', turn: { status: 'failed' } })
    expect(await world.history(branch)).toHaveLength(1)
    expect(await world.file(branch, 'more.mdx')).toBeNull()
  })

  test('is not kept from landing by errors that the branch had before', async () => {
    const branch = await world.branch('broken-before')
    await world.save(branch, 'broken.mdx', broken)
    world.answers(write('more.mdx', '# More\n'), says('Done.'))
    expect((await world.ask(branch, 'Write')).turn).toMatchObject({ status: 'done', files: ['more.mdx'] })
  })

  test('never overwrites what a person saved meanwhile', async () => {
    const branch = await world.branch('meanwhile')
    world.answers(call('edit_file', { path: 'guide.mdx', find: 'First', replace: '1st' }), async () => {
      await world.save(branch, 'guide.mdx', '# Written by a person\n')
      return says('Done.')
    })
    const { turn } = await world.ask(branch, 'Edit')
    expect(turn).toMatchObject({ status: 'failed', files: [], problem: { code: 'stale_file' } })
    expect(await world.file(branch, 'guide.mdx')).toBe('# Written by a person\n')
  })

  test('lands beside what a person saved in another file', async () => {
    const branch = await world.branch('beside')
    world.answers(call('edit_file', { path: 'guide.mdx', find: 'First', replace: '1st' }), async () => {
      await world.save(branch, 'index.mdx', '# Written by a person\n')
      return says('Done.')
    })
    expect((await world.ask(branch, 'Edit')).turn.status).toBe('done')
    expect(await world.file(branch, 'guide.mdx')).toContain('1st step.')
    expect(await world.file(branch, 'index.mdx')).toBe('# Written by a person\n')
  })

  test('goes on from what was said before', async () => {
    const branch = await world.branch('goes-on')
    world.answers(write('more.mdx', '# More\n'), says('I wrote it.'))
    const { conversation } = await world.ask(branch, 'Write a page')
    world.answers(says('More of it.'))
    await world.ask(branch, 'And now?', { conversation })
    const told = world.lastMessages().map(({ role, content }) => [role, content])
    expect(told.slice(1)).toEqual([
      ['user', 'Write a page'],
      ['assistant', expect.stringMatching(/^I wrote it\.[^]*more\.mdx/)],
      ['user', 'And now?'],
    ])
  })

  test.each([
    ['an error of the router', { status: 400 }, 'generation_rejected'],
    ['a reset in the middle', { chunks: ['a', 'b'], failAfter: { chunks: 1, how: 'reset' } }, 'generation_failed'],
    ['a refusal of the model', { chunks: ['No'], finish: 'content_filter' }, 'generation_rejected'],
  ] as const)('that ends with %s is on record as failed', async (what, reply, code) => {
    const branch = await world.branch(`fails-${what.replaceAll(' ', '-')}`)
    world.answers(write('more.mdx', '# More\n'), reply)
    const { turn, events } = await world.ask(branch, 'Write')
    expect(turn).toMatchObject({ status: 'failed', files: [], problem: { code } })
    expect(events.at(-1)).toMatchObject({ type: 'error', problem: { code } })
    expect(await world.history(branch)).toHaveLength(1)
  })
})

describe('taking back', () => {
  const edited = async (name: string) => {
    const branch = await world.branch(name)
    world.answers(
      {
        calls: [
          { name: 'edit_file', arguments: { path: 'guide.mdx', find: 'First', replace: '1st' } },
          { name: 'write_file', arguments: { path: 'more.mdx', content: '# More\n' } },
          { name: 'move_file', arguments: { from: 'index.mdx', to: 'start.mdx' } },
        ],
      },
      says('Done.'),
    )
    return { branch, answered: await world.ask(branch, 'Edit') }
  }

  test('restores the files as they were, in a new commit', async () => {
    const { branch, answered } = await edited('undone')
    const turn = await world.undo(branch, answered)
    const history = await world.history(branch)
    expect(turn).toMatchObject({ commit: answered.turn.commit, undone: history[0]?.oid })
    expect(history).toHaveLength(3)
    expect(history[0]?.message.trim()).toBe('Take back: Edit')
    for (const [path, content] of Object.entries(pages)) expect(await world.file(branch, path)).toBe(content)
    expect([await world.file(branch, 'more.mdx'), await world.file(branch, 'start.mdx')]).toEqual([null, null])
  })

  test('is refused a second time, and for a turn without a commit', async () => {
    const { branch, answered } = await edited('undone-twice')
    await world.undo(branch, answered)
    await expect(world.undo(branch, answered)).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'That turn has been taken back before.',
    })
    world.answers(says('Hello'))
    await expect(world.undo(branch, await world.ask(branch, 'Hello'))).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'That turn changed nothing.',
    })
    expect(await world.history(branch)).toHaveLength(3)
  })

  test('is refused when a file has changed since, and names it', async () => {
    const { branch, answered } = await edited('undone-late')
    await world.save(branch, 'guide.mdx', '# Other\n')
    await expect(world.undo(branch, answered)).rejects.toMatchObject({
      code: 'stale_file',
      message: 'Changed since: guide.mdx.',
      errors: [{ path: 'guide.mdx', message: 'was changed since' }],
    })
    expect(await world.file(branch, 'more.mdx')).toBe('# More\n')
  })

  test('leaves what was changed in other files since', async () => {
    const { branch, answered } = await edited('undone-beside')
    await world.save(branch, 'other.mdx', '# Other\n')
    await world.undo(branch, answered)
    expect(await world.file(branch, 'other.mdx')).toBe('# Other\n')
    expect(await world.file(branch, 'guide.mdx')).toBe(pages['guide.mdx'])
  })
})
