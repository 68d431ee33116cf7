import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { describeInDepth, inDepth } from '#test/support/depth.ts'
import { limits } from '#contract/limits.ts'
import type { RenderOutcome, RenderPool } from '#site/page.ts'
import { openRenderPool } from '#site/render/pool.ts'
import { childrenOf, commandOf } from '#test/support/process-tree.ts'
import { nothing, renderAll, textOf } from '#test/support/site/render/rendering.ts'

let pool: RenderPool

beforeAll(async () => {
  pool = await openRenderPool({ children: 2 })
})
afterAll(() => pool.close())

describe('the pool', () => {
  inDepth('says which protections hold, each of them tried', () => {
    expect(pool.isolation.level).toBe('strong')
    expect(pool.isolation.holds).toEqual(expect.arrayContaining(['user', 'limits', 'capabilities', 'calls']))
  })

  inDepth('has a fingerprint of what renders', () => {
    expect(pool.fingerprint).toMatch(/^[\da-f]{16}$/)
  })

  it('renders pages with what they include, from the files that it is given', async () => {
    const asked: string[] = []
    const session = pool.open('including', (path) => {
      asked.push(path)
      return Promise.resolve(path === 'snippets/a.mdx' ? { oid: 'a', source: Buffer.from('from **a**') } : null)
    })
    const outcome = await session.render({
      path: 'x.mdx',
      oid: 'x',
      source: Buffer.from('import A from "/snippets/a.mdx"\n\n<A />'),
    })
    session.close()
    expect(textOf(outcome)).toBe('<p>from <strong>a</strong></p>')
    expect(asked).toEqual(['snippets/a.mdx'])
  })

  it('rejects with the error of the files, and goes on', async () => {
    const session = pool.open('unreadable', () => Promise.reject(new Error('the disk is gone')))
    const job = { path: 'x.mdx', oid: 'x', source: Buffer.from('import A from "/snippets/a.mdx"\n\n<A />') }
    await expect(session.render(job)).rejects.toThrow('the disk is gone')
    expect(textOf(await session.render({ ...job, source: Buffer.from('fine') }))).toBe('<p>fine</p>')
    session.close()
  })

  inDepth('serves many projects, each with children of its own', async () => {
    const projects = ['one', 'two', 'three', 'four']
    const pages = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [`p${index}.mdx`, `# P${index}\n\n**${index}**`]),
    )
    const results = await Promise.all(projects.map((project) => renderAll(pool, pages, project)))
    for (const result of results)
      expect(Object.values(result).map(textOf)).toEqual(
        Array.from({ length: 12 }, (_, index) => `<p><strong>${index}</strong></p>`),
      )
  })

  it('stops a page that takes too long; the pages beside it are unharmed', async () => {
    const strict = await openRenderPool({ children: 1, pageCpuMs: 300 })
    const session = strict.open('slow', nothing)
    const render = (path: string, text: string) => session.render({ path, oid: path, source: Buffer.from(text) })
    // A list costs time that grows with the square of its items.
    const slow = '- a\n'.repeat(50_000)
    const outcomes = await Promise.all([render('a.mdx', 'first'), render('slow.mdx', slow), render('b.mdx', 'last')])
    session.close()
    await strict.close()
    expect(outcomes.map(textOf)).toEqual([
      '<p>first</p>',
      expect.stringMatching(/^slow\.mdx: The page slow\.mdx exceeded 2\.3 s of processor time and was stopped/),
      '<p>last</p>',
    ])
  })

  inDepth('refuses a page over the limit and bytes that are no text, by name', async () => {
    const results = await renderAll(
      pool,
      { 'large.mdx': 'a'.repeat(1024 * 1024 + 1), 'bytes.mdx': Buffer.from([1, 2, 0xff]) },
      'odd',
    )
    expect(textOf(results['large.mdx'])).toMatch(/^large\.mdx: The page is 1024 KiB/)
    expect(textOf(results['bytes.mdx'])).toMatch(/^bytes\.mdx: Line 1 is not valid UTF-8/)
  })

  inDepth(
    'does not count pictures that stand in the text of a page; one that is too large for HTML is left out alone',
    async () => {
      const picture = (thousands: number) =>
        `<img src="data:image/png;base64,${'iVBO'.repeat(250 * thousands)}" alt="a">`
      const results = await renderAll(
        pool,
        {
          'many.md': `${picture(200)}\n\n`.repeat(6),
          'large.md': `Before\n\n${picture(3000)}\n\nAfter\n`,
          'text.md': `${'aiVBO '.repeat(250_000)}${picture(100)}`,
        },
        'pictures',
      )
      expect(textOf(results['many.md']).split('data:image/png')).toHaveLength(7)
      expect(textOf(results['large.md'])).toBe('<p>Before</p>\n\n<p>After</p>')
      expect(textOf(results['text.md'])).toMatch(/^text\.md: The page is \d+ KiB/)
    },
  )
})

describeInDepth('a page of megabytes that none of is a picture', () => {
  it('is refused alone, whatever its bytes become on the way to a child', async () => {
    const megabytes = (text: string) => `;base64,${text.repeat(limits.fileBytes - 8)}`
    const results = await renderAll(
      pool,
      { 'signs.md': megabytes('\u0001'), 'quotes.md': megabytes('"'), 'fine.md': 'Fine.' },
      'megabytes',
    )
    expect(textOf(results['signs.md'])).toMatch(/^signs\.md: The page is 5120 KiB/)
    expect(textOf(results['quotes.md'])).toMatch(/^quotes\.md: The page is 5120 KiB/)
    expect(textOf(results['fine.md'])).toBe('<p>Fine.</p>')
  })

  it('is refused as a part of another, too', async () => {
    const source = Buffer.from(`;base64,${'\u0001'.repeat(limits.fileBytes - 8)}`)
    const session = pool.open('parts', (path) =>
      Promise.resolve(path === 'snippets/a.mdx' ? { oid: 'a', source } : null),
    )
    const page = { path: 'x.mdx', oid: 'x', source: Buffer.from('import A from "/snippets/a.mdx"\n\n<A />') }
    expect(textOf(await session.render(page))).toMatch(/^snippets\/a\.mdx: The page is 5120 KiB/)
    session.close()
  })
})

describeInDepth('beside a project of slow pages', () => {
  it('another is served within seconds, again and again, and every slow page still ends', async () => {
    // Half a second of work, or two where others work beside it: far below what a page may take.
    const slow = '{1+1}'.repeat(7000)
    const session = pool.open('alpha', nothing)
    let ended = 0
    const pages = Array.from({ length: 10 }, async (_, index) => {
      const outcome = await session.render({ path: `slow${index}.mdx`, oid: 'x', source: Buffer.from(slow) })
      ended++
      return outcome
    })
    const before: number[] = []
    for (const round of [1, 2]) {
      await new Promise((resolve) => setTimeout(resolve, 1000))
      const { 'fine.mdx': fine } = await renderAll(pool, { 'fine.mdx': `fine ${round}` }, `beta${round}`)
      expect(textOf(fine)).toBe(`<p>fine ${round}</p>`)
      before.push(ended)
    }
    // Not by the clock: with what was ahead in the two children, six pages would have had to end first.
    expect(before[0]).toBeLessThan(6)
    expect(before[1]).toBeLessThan(10)
    for (const outcome of await Promise.all(pages)) expect(outcome.ok || textOf(outcome)).toBe(true)
    session.close()
  })
})

/** Half a second of work, or two where others work beside it. */
const heavy = '{1+1}'.repeat(7000)
const jobOf = (path: string, text: string) => ({ path, oid: path, source: Buffer.from(text) })

describeInDepth('beside many builds of one owner', () => {
  it('a page of another comes before their second pages, whatever order they came in', async () => {
    const shared = await openRenderPool({ children: 2, ownerOf: (project) => project.split('/')[0] ?? project })
    const ended: string[] = []
    const sessions = Array.from({ length: 12 }, (_, index) => shared.open(`many/${index}`, nothing))
    const pages = sessions.flatMap((session, index) =>
      ['a', 'b'].map(async (name) => {
        await session.render(jobOf(`${name}.mdx`, heavy))
        ended.push(`many/${index}`)
      }),
    )
    const all = Promise.allSettled(pages)
    await new Promise((resolve) => setTimeout(resolve, 500))
    for (const project of ['other/1', 'third/1', 'other/2']) {
      const { 'fine.mdx': fine } = await renderAll(shared, { 'fine.mdx': 'fine' }, project)
      expect(textOf(fine)).toBe('<p>fine</p>')
    }
    // Twelve projects without a child waited before them.
    expect(ended.length).toBeLessThan(10)
    for (const session of sessions) session.close()
    await all
    await shared.close()
  })
})

describeInDepth('a build that nobody waits for any more', () => {
  it('leaves the queue, and its page leaves the child', async () => {
    const single = await openRenderPool({ children: 1, ownerOf: () => 'one owner' })
    const gone = new AbortController()
    const reason = new Error('the branch is gone')
    const session = single.open('left', nothing, gone.signal)
    const pages = Array.from({ length: 20 }, (_, index) =>
      session.render(jobOf(`p${index}.mdx`, '- a\n'.repeat(60_000))).catch((error: unknown) => error),
    )
    await new Promise((resolve) => setTimeout(resolve, 300))
    gone.abort(reason)
    const { 'fine.mdx': fine } = await renderAll(single, { 'fine.mdx': 'fine' }, 'next')
    expect(textOf(fine)).toBe('<p>fine</p>')
    const [first, ...waiting] = await Promise.all(pages)
    expect(waiting).toEqual(waiting.map(() => reason))
    expect(first).toBeInstanceOf(Error)
    await expect(session.render(jobOf('late.mdx', 'late'))).rejects.toBe(reason)
    session.close()
    await single.close()
  })
})

describeInDepth('a build that takes too long by the clock', () => {
  it('is given up with one error, and its pages leave the queue', async () => {
    const brief = await openRenderPool({ children: 1, buildMs: 5000 })
    const session = brief.open('endless', nothing)
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) => session.render(jobOf(`p${index}.mdx`, '- a\n'.repeat(100_000)))),
    )
    session.close()
    const errors = outcomes.flatMap((outcome) => (outcome.ok ? [] : outcome.errors))
    const message = expect.stringMatching(/^The build is given up: it took longer than 5 s/)
    expect(errors).toEqual([{ rule: 'page-limit', message }])
    const next = await renderAll(brief, { 'fine.mdx': 'fine' }, 'other')
    expect(textOf(next['fine.mdx'])).toBe('<p>fine</p>')
    await brief.close()
  })
})

describeInDepth('a build that costs too much as a whole', () => {
  it('is given up with one error that names its costliest pages; the next build is unharmed', async () => {
    const small = await openRenderPool({ children: 1, buildCpuMs: 0 })
    const session = small.open('dear', nothing)
    const outcomes = await Promise.all(
      ['a', 'b', 'c', 'd'].map((name) =>
        session.render({ path: `${name}.mdx`, oid: name, source: Buffer.from('{1+1}'.repeat(10_000)) }),
      ),
    )
    const late = await session.render({ path: 'late.mdx', oid: 'late', source: Buffer.from('late') })
    session.close()
    const errors = outcomes.flatMap((outcome) => (outcome.ok ? [] : outcome.errors))
    expect(errors.map((error) => error.message)).toEqual([
      expect.stringMatching(/^The build is given up: .* The costliest: [a-d]\.mdx \(.*Split them/),
    ])
    expect(late).toEqual({ ok: false, errors: [] })
    const next = small.open('other', nothing)
    expect(textOf(await next.render({ path: 'x.mdx', oid: 'x', source: Buffer.from('fine') }))).toBe('<p>fine</p>')
    next.close()
    await small.close()
  })
})

/** Processes that fork children. */
function servers(): number[] {
  return childrenOf(process.pid).filter((pid) => commandOf(pid).includes('render-child'))
}

/** Processes that read pages. */
function renderers(): number[] {
  return servers().flatMap(childrenOf)
}

/** Ends the child that asks for a file, while only one works. */
function killing(signal: NodeJS.Signals): () => Promise<null> {
  return () => {
    for (const pid of renderers()) process.kill(pid, signal)
    return new Promise(() => undefined)
  }
}

describeInDepth.skipIf(!existsSync('/proc/self/task'))('a child (needs /proc)', () => {
  /** Renders a page of a project. @returns the processes that are there meanwhile */
  async function renderFor(project: string): Promise<number[]> {
    let there: number[] = []
    const session = pool.open(project, () => {
      there = renderers()
      return Promise.resolve(null)
    })
    const source = Buffer.from('import A from "/snippets/a.mdx"\n\n<A />')
    await session.render({ path: 'a.mdx', oid: 'a', source })
    session.close()
    return there
  }

  it('stays for the next build of its project, and serves no other', async () => {
    const newcomers = async (project: string): Promise<number[]> => {
      const known = renderers()
      return (await renderFor(project)).filter((pid) => !known.includes(pid))
    }
    expect(await newcomers('writer')).toHaveLength(1)
    expect(await newcomers('writer')).toEqual([])
    expect(await newcomers('neighbour')).toHaveLength(1)
    expect(await newcomers('writer')).toEqual([])
  })

  it('that is idle makes room when there are more of them than may work', async () => {
    for (const project of ['p1', 'p2', 'p3', 'p4', 'p5']) await renderFor(project)
    await vi.waitFor(() => expect(renderers()).toHaveLength(2), 5000)
  })
})

describeInDepth.skipIf(!existsSync('/proc/self/task'))('a pool of one child (needs /proc)', () => {
  let single: RenderPool
  beforeAll(async () => {
    single = await openRenderPool({ children: 1 })
  })
  afterAll(() => single.close())
  const asking = Buffer.from('import A from "/snippets/a.mdx"\n\n<A />')

  it('wakes no idle child while another is at work', async () => {
    const others = renderers().length
    const first = single.open('first', nothing)
    await first.render({ path: 'a.mdx', oid: 'a', source: Buffer.from('first') })
    first.close()
    let again: Promise<RenderOutcome> | undefined
    let there = 0
    const second = single.open('second', async () => {
      const session = single.open('first', nothing)
      again = session.render({ path: 'a.mdx', oid: 'a', source: Buffer.from('again') })
      await vi.waitFor(() => expect(renderers()).toHaveLength(others + 1), 5000)
      there = renderers().length
      return null
    })
    const outcome = await second.render({ path: 'a.mdx', oid: 'a', source: asking })
    second.close()
    expect(outcome.ok).toBe(true)
    expect(there).toBe(others + 1)
    expect(textOf(await again)).toBe('<p>again</p>')
  })

  it('blames no page for the end of what forks its child', async () => {
    let asked = 0
    const session = single.open('innocent', () => {
      if (++asked === 1) {
        const [latest] = servers().toReversed()
        if (latest !== undefined) process.kill(latest, 'SIGSEGV')
        return new Promise(() => undefined)
      }
      return Promise.resolve({ oid: 'a', source: Buffer.from('from the snippet') })
    })
    const outcome = await session.render({ path: 'a.mdx', oid: 'a', source: asking })
    session.close()
    expect(textOf(outcome)).toBe('<p>from the snippet</p>')
    expect(asked).toBe(2)
  })
})

describeInDepth.skipIf(!existsSync('/proc/self/task'))('a child that dies (needs /proc)', () => {
  const asking = 'import A from "/snippets/a.mdx"\n\n<A />'

  it('costs the page that was in it an error, and no other page anything', async () => {
    const session = pool.open('crashing', killing('SIGSEGV'))
    const job = (path: string, text: string) => session.render({ path, oid: path, source: Buffer.from(text) })
    const [bad, ...good] = await Promise.all([job('bad.mdx', asking), job('a.mdx', 'a'), job('b.mdx', 'b')])
    session.close()
    expect(textOf(bad)).toBe(
      'bad.mdx: The page bad.mdx broke the renderer (SIGSEGV). Simplify it: it may nest too deep.',
    )
    expect(good.map(textOf)).toEqual(['<p>a</p>', '<p>b</p>'])
  })

  it('because its own time is over costs no page anything', async () => {
    let asked = 0
    const session = pool.open('long at work', () =>
      ++asked === 1 ? killing('SIGXCPU')() : Promise.resolve({ oid: 'a', source: Buffer.from('from the snippet') }),
    )
    const outcome = await session.render({ path: 'x.mdx', oid: 'x', source: Buffer.from(asking) })
    session.close()
    expect(textOf(outcome)).toBe('<p>from the snippet</p>')
    expect(asked).toBe(2)
  })

  it('five times in one build ends the build at once', async () => {
    const session = pool.open('crashing', killing('SIGSEGV'))
    const paths = Array.from({ length: 9 }, (_, index) => `p${index}.mdx`)
    const outcomes = await Promise.all(
      paths.map((path) => session.render({ path, oid: path, source: Buffer.from(asking) })),
    )
    session.close()
    const texts = outcomes.map(textOf)
    expect(texts.filter((text) => text.includes('broke the renderer'))).toHaveLength(5)
    expect(texts.filter((text) => text === '')).toHaveLength(4)
    expect(texts.join('\n')).toContain('The build is given up: 5 of its pages broke their limits.')
    expect(
      await pool.open('next', nothing).render({ path: 'x.mdx', oid: 'x', source: Buffer.from('fine') }),
    ).toMatchObject({ ok: true })
  })
})
