import { describeInDepth, inDepth } from '#test/support/depth.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Branch } from '#contract/branches.ts'
import { contract } from '#contract/index.ts'
import { hasBrowser } from '#test/support/browser.ts'
import { DashboardTest, shownSizes, type Person } from '#test/support/dashboard.ts'
import { noonClock } from '#test/support/service.ts'
import { startModelServer, type ModelReply, type ModelServer, type WireMessage } from '#test/support/model-server.ts'

const edit = { name: 'edit_file', arguments: { path: 'index.mdx', find: 'Welcom', replace: 'Welcome' } }
const answer = [
  'I changed **the heading** of `index.mdx`.\n\n',
  '1. First\n2. Second\n\n<img src=x onerror="document.title=1">\n\n',
  '[A link](https://evil.example/) and ![a picture](https://evil.example/beacon.png)\n',
]

/** What the model says to the last message of the user, by how many calls it has made for it. */
function reply(messages: readonly WireMessage[]): ModelReply {
  const at = messages.findLastIndex(({ role }) => role === 'user')
  const asked = messages[at]?.content ?? ''
  const made = messages.slice(at).filter(({ role }) => role === 'tool').length
  if (asked.includes('quarrel')) return { status: 402 }
  if (asked.includes('wait')) return { chunks: ['I am ', 'at it'], failAfter: { chunks: 1, how: 'hang' } }
  if (asked.includes('slowly')) return { chunks: ['It is', ' done', ' now.'], chunkDelayMs: 700 }
  if (asked.includes('halfway') && made > 1)
    return { chunks: ['And now', ' the rest'], failAfter: { chunks: 1, how: 'hang' } }
  if (asked.includes('halfway') && made === 0)
    return { calls: [{ name: 'read_file', arguments: { path: 'index.mdx' } }, edit] }
  if (asked.includes('typos') && made === 0)
    return { calls: [{ name: 'read_file', arguments: { path: 'index.mdx' } }, edit] }
  return { chunks: answer }
}

describe.skipIf(!hasBrowser).each(shownSizes)('the assistant on a %s', (size) => {
  let model: ModelServer
  let dashboard: DashboardTest
  let count = 0
  let isBroken = false

  beforeAll(async () => {
    model = await startModelServer(({ body }) => (isBroken ? { status: 402 } : reply(body.messages)))
    dashboard = await DashboardTest.start({ ...model.settings })
  })
  afterAll(async () => {
    await dashboard.close()
    await model.close()
  })

  interface Desk {
    readonly person: Person
    readonly branch: Branch
    readonly text: () => Promise<string>
    readonly ask: (question: string) => Promise<void>
  }

  async function desk(): Promise<Desk> {
    count += 1
    const slug = `docs-${count}`
    const person = await dashboard.person(`writer${count}`, size)
    const { client, page } = person
    await client.call(contract.projects.create, { body: { slug } })
    const branch = await client.call(contract.branches.create, { params: { slug }, body: { name: 'draft' } })
    const changes = [{ path: 'index.mdx', content: '# Welcom\n' }]
    await client.call(contract.branches.commit, { params: { slug, id: branch.id }, body: { changes } })
    const params = { slug, id: branch.id, path: 'index.mdx' }
    await person.open(`/dashboard/${slug}/branches/${branch.id}/edit/index.mdx?panel=assistant`)
    return {
      person,
      branch,
      text: async () => (await client.call(contract.branches.readFile, { params })).content,
      ask: async (question) => {
        await page.getByRole('textbox', { name: 'Ask the assistant' }).fill(question)
        await page.getByRole('button', { name: 'Send' }).click()
      },
    }
  }

  it('changes files, shows what it did step by step and as a diff, and takes it back', async () => {
    const { person, text, ask } = await desk()
    const { page } = person
    const panel = page.getByRole('complementary', { name: 'Assistant' })
    await panel.getByRole('heading', { name: 'What should change?' }).waitFor()
    await person.expectAccessible()
    await ask('Fix the typos')

    const turn = panel.getByRole('article', { name: 'Fix the typos' })
    await turn.getByRole('heading', { name: 'Changed 1 file' }).waitFor()
    await turn.getByRole('article', { name: 'index.mdx' }).getByText('# Welcome').waitFor()
    expect(await text()).toBe('# Welcome\n')
    await turn.getByText(/^\d steps$/).click()
    await turn.getByText('Edit index.mdx').waitFor()
    await turn.getByRole('strong').filter({ hasText: 'the heading' }).waitFor()
    // What a model writes is read, not run, loaded or pressed.
    await turn.getByText('<img src=x onerror="document.title=1">').waitFor()
    await turn.getByText('A link (https://evil.example/) and a picture (https://evil.example/beacon.png)').waitFor()
    expect(await turn.locator('img, a[href^="https://evil"]').count()).toBe(0)
    await person.expectAccessible()

    await page.reload()
    await turn.getByRole('button', { name: 'Undo' }).click()
    await turn.getByRole('heading', { name: 'Taken back' }).waitFor()
    expect(await text()).toBe('# Welcom\n')

    await panel.getByRole('button', { name: 'All conversations' }).click()
    await panel.getByRole('button', { name: /^Fix the typos/ }).waitFor()
    await person.expectAccessible()
    await page.goBack()
    await turn.getByRole('heading', { name: 'Taken back' }).waitFor()
    await panel.getByRole('button', { name: 'All conversations' }).click()
    await panel.getByRole('button', { name: 'Delete “Fix the typos”' }).click()
    await page.getByRole('button', { name: 'Delete conversation' }).click()
    await expect.poll(() => panel.getByRole('heading', { name: 'Earlier conversations' }).count()).toBe(0)
    person.expectNoProblems()
  })

  inDepth('does not undo what would lose what somebody wrote since', async () => {
    const { person, branch, ask } = await desk()
    const { page, client } = person
    await ask('Fix the typos')
    const turn = page.getByRole('article', { name: 'Fix the typos' })
    await turn.getByRole('heading', { name: 'Changed 1 file' }).waitFor()
    const changes = [{ path: 'index.mdx', content: '# Welcome, all\n' }]
    await client.call(contract.branches.commit, { params: { slug: `docs-${count}`, id: branch.id }, body: { changes } })
    await turn.getByRole('button', { name: 'Undo' }).click()
    await turn.getByText('These files have changed since').waitFor()
    person.expectNoProblems()
  })

  inDepth('is stopped, also by leaving, and says that nothing was changed', async () => {
    const { person, ask } = await desk()
    const { page } = person
    await ask('Please wait')
    const turn = page.getByRole('article', { name: 'Please wait' })
    await turn.getByText('I am').waitFor()
    await turn.getByText('Working').waitFor()
    await person.expectAccessible()
    await page.getByRole('button', { name: 'Stop' }).click()
    await turn.getByText('Stopped. Nothing was changed on the branch.').waitFor()

    await turn.getByRole('button', { name: 'Ask again' }).click()
    await expect.poll(() => page.getByRole('article', { name: 'Please wait' }).count()).toBe(2)
    await page.getByText('Working').waitFor()
    // The answer ends with the page: it asks before.
    page.once('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await expect.poll(() => page.getByText('Stopped. Nothing was changed on the branch.').count()).toBe(2)
    person.expectNoProblems()
  })

  inDepth('shows its answer piece by piece, and how far it came where it is stopped, also after a reload', async () => {
    const { person, text, ask } = await desk()
    const { page } = person
    await ask('Go slowly')
    const slow = page.getByRole('article', { name: 'Go slowly' })
    // Each piece is there before the next one is.
    await slow.getByText('It is', { exact: true }).waitFor()
    await slow.getByText('It is done', { exact: true }).waitFor()
    await slow.getByText('It is done now.', { exact: true }).waitFor()
    await expect.poll(() => page.getByText('Working').count()).toBe(0)

    await ask('Only halfway')
    const turn = page.getByRole('article', { name: 'Only halfway' })
    const steps = turn.getByRole('list', { name: 'Steps' }).getByRole('listitem')
    await steps.filter({ hasText: 'Read index.mdx' }).waitFor()
    await steps.filter({ hasText: 'Edit index.mdx' }).waitFor()
    await turn.getByText('And now').waitFor()
    await person.expectAccessible()
    await page.getByRole('button', { name: 'Stop' }).click()
    const ended = turn.getByText('Stopped after 2 steps. Nothing was changed on the branch.')
    await ended.waitFor()
    await page.reload()
    await ended.waitFor()
    await turn.getByText('And now').waitFor()
    await turn.getByText('2 steps', { exact: true }).click()
    await steps.filter({ hasText: 'Edit index.mdx' }).waitFor()
    await person.expectAccessible()
    expect(await text()).toBe('# Welcom\n')
    person.expectNoProblems()
  })

  inDepth(
    'is followed in a second tab, which takes no question of the same conversation meanwhile and loses none',
    async () => {
      const { person, ask } = await desk()
      const { page } = person
      await ask('Only halfway')
      await page.getByRole('article', { name: 'Only halfway' }).getByText('And now').waitFor()
      const other = await person.context.newPage()
      person.watch(other)
      await other.goto(page.url())
      const turn = other.getByRole('article', { name: 'Only halfway' })
      await turn.getByText('Still working').waitFor()
      await turn.getByText('what it did is shown when it has ended').waitFor()
      await person.expectAccessible(other)
      await other.getByRole('textbox', { name: 'Ask the assistant' }).fill('Another one')
      await other.getByRole('button', { name: 'Send' }).click()
      await other.getByText('An earlier message of this conversation is still being answered.').waitFor()
      expect(await other.getByRole('textbox', { name: 'Ask the assistant' }).inputValue()).toBe('Another one')

      await page.bringToFront()
      await page.getByRole('button', { name: 'Stop' }).click()
      await page.getByText('Nothing was changed on the branch.').waitFor()
      await turn.getByText('Nothing was changed on the branch.').waitFor()
      person.expectNoProblems()
    },
  )

  inDepth('goes on while another page is shown', async () => {
    const { person, ask } = await desk()
    const { page } = person
    await ask('Please wait')
    await page.getByText('I am').waitFor()
    await page.getByRole('navigation', { name: 'Project' }).getByRole('link', { name: 'Branches' }).click()
    await page.getByRole('heading', { name: 'Branches' }).waitFor()
    await page.goBack()
    await page.getByText('Working').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Stopped. Nothing was changed on the branch.').waitFor()
    person.expectNoProblems()
  })

  inDepth('keeps a question that was not taken, and one that is not asked yet', async () => {
    const { person, ask } = await desk()
    const { page } = person
    const field = page.getByRole('textbox', { name: 'Ask the assistant' })
    await field.fill('Half a ques')
    await page.reload()
    await expect.poll(() => field.inputValue()).toBe('Half a ques')

    await page.route('**/assistant', (route) =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    )
    await ask('Fix the typos')
    await page.getByText('The service cannot be reached').waitFor()
    expect(await field.inputValue()).toBe('Fix the typos')
    await person.expectAccessible()
    await page.unroute('**/assistant')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { name: 'Changed 1 file' }).waitFor()
    expect(await field.inputValue()).toBe('')

    isBroken = true
    await ask('More')
    await page.getByRole('article', { name: 'More' }).getByRole('alert').waitFor()
    isBroken = false
    await page.getByRole('button', { name: 'Ask again' }).click()
    await expect.poll(() => page.getByText('First').count()).toBe(2)
    person.expectNoProblems()
  })
})

describeInDepth.skipIf(!hasBrowser)('a service without a model', () => {
  it('says who can give it one, and keeps the question', async () => {
    const dashboard = await DashboardTest.start()
    try {
      const ada = await dashboard.person('ada')
      const { page, client } = ada
      await client.call(contract.projects.create, { body: { slug: 'docs' } })
      const branch = await client.call(contract.branches.create, { params: { slug: 'docs' }, body: { name: 'draft' } })
      await ada.open(`/dashboard/docs/branches/${branch.id}/edit`)
      await page.getByRole('button', { name: 'Assistant' }).click()
      await page.getByRole('button', { name: 'Find spelling mistakes and fix them' }).click()
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByText('This service has no language model yet.').waitFor()
      await ada.expectAccessible()
      expect(await page.getByRole('textbox', { name: 'Ask the assistant' }).inputValue()).toContain('spelling')
      ada.expectNoProblems()
    } finally {
      await dashboard.close()
    }
  })
})

describeInDepth.skipIf(!hasBrowser).each(shownSizes)('a plan that is used up, on a %s', (size) => {
  it('is said with the day on which it begins anew, and the question stays', async () => {
    const model = await startModelServer(() => ({ chunks: ['Done.'] }))
    const dashboard = await DashboardTest.start({ ...model.settings, DEFAULT_PLAN: 'free' }, { now: noonClock() })
    try {
      const ada = await dashboard.person('ada', size)
      const { page, client } = ada
      await client.call(contract.projects.create, { body: { slug: 'docs' } })
      // The branch takes what the plan has.
      const branch = await client.call(contract.branches.create, { params: { slug: 'docs' }, body: { name: 'draft' } })
      await ada.open(`/dashboard/docs/branches/${branch.id}/edit?panel=assistant`)
      const field = page.getByRole('textbox', { name: 'Ask the assistant' })
      await field.fill('One too many')
      await page.getByRole('button', { name: 'Send' }).click()
      const refusal = page.getByRole('alert').filter({ hasText: 'used up' })
      await refusal.getByText(/The count starts anew on .+ at 00:00 UTC/).waitFor()
      await ada.expectAccessible()
      expect(await field.inputValue()).toBe('One too many')
      expect(await page.getByRole('article').count()).toBe(0)
      await refusal.getByRole('link', { name: 'Usage' }).click()
      await page.getByRole('heading', { name: /^Free plan/ }).waitFor()
      await page.goBack()
      await expect.poll(() => field.inputValue()).toBe('One too many')
      ada.expectNoProblems()
    } finally {
      await dashboard.close()
      await model.close()
    }
  })
})
