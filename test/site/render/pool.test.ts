import { createServer, type Server } from 'node:http'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { existsSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { hostile } from '../../support/shared.ts'
import type { RenderOutcome, RenderPool } from '../../../src/site/page.ts'
import { openRenderPool } from '../../../src/site/render/pool.ts'

const samples = join(hostile, 'mdx')
const nothing = (): Promise<null> => Promise.resolve(null)
let pool: RenderPool

beforeAll(async () => {
  pool = await openRenderPool({ children: 2 })
})
afterAll(() => pool.close())

async function renderAll(
  pages: Readonly<Record<string, string | Buffer>>,
  project: string,
): Promise<Record<string, RenderOutcome>> {
  const session = pool.open(project, nothing)
  try {
    const entries = Object.entries(pages).map(async ([path, text]) => {
      return [path, await session.render({ path, oid: 'oid', source: Buffer.from(text) })] as const
    })
    return Object.fromEntries(await Promise.all(entries))
  } finally {
    session.close()
  }
}

function textOf(outcome: RenderOutcome | undefined): string {
  if (outcome === undefined) return 'nothing'
  return outcome.ok
    ? outcome.page.artifact.html
    : outcome.errors.map((error) => `${error.path}: ${error.message}`).join('\n')
}

describe('the pool', () => {
  it('says which protections are active', () => {
    expect(pool.isolation).toContain('no execution of page code')
    expect(pool.isolation).toContain('code generation disabled')
  })

  it('has a fingerprint of what renders', () => {
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

  it('serves many projects, each with children of its own', async () => {
    const projects = ['one', 'two', 'three', 'four']
    const pages = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [`p${index}.mdx`, `# P${index}\n\n**${index}**`]),
    )
    const results = await Promise.all(projects.map((project) => renderAll(pages, project)))
    for (const result of results)
      expect(Object.values(result).map(textOf)).toEqual(
        Array.from({ length: 12 }, (_, index) => `<p><strong>${index}</strong></p>`),
      )
  })

  it('stops a page that takes too long; the pages beside it are unharmed', async () => {
    const strict = await openRenderPool({ children: 1, pageCpuMs: 0 })
    const session = strict.open('slow', nothing)
    const render = (path: string, text: string) => session.render({ path, oid: path, source: Buffer.from(text) })
    // Emphasis that never ends costs time that grows with its square.
    const slow = '*a_ '.repeat(60_000) + '**b__ '.repeat(60_000)
    const outcomes = await Promise.all([render('a.mdx', 'first'), render('slow.mdx', slow), render('b.mdx', 'last')])
    session.close()
    await strict.close()
    expect(outcomes.map(textOf)).toEqual([
      '<p>first</p>',
      expect.stringMatching(/^slow\.mdx: The page slow\.mdx exceeded 5\.9 s of processor time and was stopped/),
      '<p>last</p>',
    ])
  })

  it('refuses a page over the limit and bytes that are no text, by name', async () => {
    const results = await renderAll(
      { 'large.mdx': 'a'.repeat(1024 * 1024 + 1), 'bytes.mdx': Buffer.from([1, 2, 0xff]) },
      'odd',
    )
    expect(textOf(results['large.mdx'])).toMatch(/^large\.mdx: The page is 1024 KiB/)
    expect(textOf(results['bytes.mdx'])).toMatch(/^bytes\.mdx: Line 1 is not valid UTF-8/)
  })
})

describe('beside a project of slow pages', () => {
  it('another is served within seconds, again and again, and every slow page still ends', async () => {
    // A second of work, or three where others work beside it: far below what a page may take.
    const slow = '{1+1}'.repeat(11_000)
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
      const { 'fine.mdx': fine } = await renderAll({ 'fine.mdx': `fine ${round}` }, `beta${round}`)
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

describe('a build that costs too much as a whole', () => {
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

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number)
}

/** Processes that read pages: children of those that fork them. */
function renderers(): number[] {
  const forking = childrenOf(process.pid).filter((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('render-child'),
  )
  return forking.flatMap(childrenOf)
}

/** Ends the child that asks for a file, while only one works. */
function killing(signal: NodeJS.Signals): () => Promise<null> {
  return () => {
    for (const pid of renderers()) process.kill(pid, signal)
    return new Promise(() => undefined)
  }
}

describe.skipIf(!existsSync('/proc/self/task'))('a child (needs /proc)', () => {
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

describe.skipIf(!existsSync('/proc/self/task'))('a child that dies (needs /proc)', () => {
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

/** The important hostile samples, in our words; the shared ones come below. */
const attacks: Readonly<Record<string, string>> = {
  'fs.mdx': '{process.getBuiltinModule("fs").readFileSync("CANARY_FILE", "utf8")}',
  'constructor.mdx': '{[].constructor.constructor("return process")().env.QUIRE_CANARY}',
  'generator.mdx': '{Object.getPrototypeOf(function*(){}).constructor("yield 1")().next().value}',
  'network.mdx': '{fetch("CANARY_URL/a")} ![x](CANARY_URL/b.png)',
  'import.mdx': '{import("node:fs").then((fs) => fs.writeFileSync("CANARY_FILE.pwned", ""))}',
  'export.mdx': 'export const x = process.env.QUIRE_CANARY\n\n# {x}',
  'loop.mdx': '{(() => { for (;;) {} })()}',
  'component.mdx': 'export function Evil() { return process.env.QUIRE_CANARY }\n\n<Evil />',
  'attribute.mdx': '<Card title={process.env.QUIRE_CANARY}>x</Card>',
  'yaml.mdx': '---js\n{ title: require("fs").writeFileSync("CANARY_FILE.pwned", "") }\n---\n',
  'recursion.mdx': 'export const R = ({ n }) => <><R n={n + 1} /><R n={n + 1} /></>\n\n<R n={0} />',
  'bomb.mdx': '{"A".repeat(100 * 1024 * 1024)}',
}

describe('hostile pages', () => {
  let directory = ''
  let server: Server
  let url = ''
  let requests = 0

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'quire-hostile-'))
    await writeFile(join(directory, 'canary.txt'), 'CANARY-FILE-CONTENT')
    process.env['QUIRE_CANARY'] = 'CANARY-ENV-CONTENT'
    server = createServer((_request, response) => {
      requests++
      response.end()
    })
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    const address = server.address()
    url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
  })
  afterAll(async () => {
    delete process.env['QUIRE_CANARY']
    server.close()
    await rm(directory, { recursive: true })
  })

  function aim(text: string): string {
    return text
      .replaceAll('CANARY_FILE', join(directory, 'canary.txt'))
      .replaceAll('CANARY_URL', url)
      .replaceAll('/tmp/canary', directory)
      .replaceAll('http://127.0.0.1:39999', url)
      .replaceAll('CANARY_ENV', 'QUIRE_CANARY')
  }

  async function expectHarmless(results: Readonly<Record<string, RenderOutcome>>): Promise<void> {
    for (const [name, outcome] of Object.entries(results)) {
      expect(JSON.stringify(outcome)).not.toMatch(/CANARY-(?:FILE|ENV)-CONTENT/)
      expect((outcome.ok ? [] : outcome.errors).filter((error) => error.path !== name)).toEqual([])
    }
    expect(await readdir(directory)).toEqual(['canary.txt'])
    expect(requests).toBe(0)
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  }

  it('execute nothing, read nothing, and leave other pages alone', async () => {
    const pages = Object.fromEntries(Object.entries(attacks).map(([name, text]) => [name, aim(text)]))
    const results = await renderAll({ ...pages, 'fine.mdx': '# Fine\n\nA page.' }, 'hostile')
    await expectHarmless(results)
    expect(textOf(results['fine.mdx'])).toBe('<p>A page.</p>')
    expect(textOf(results['bomb.mdx'])).toMatch(/^bomb\.mdx: An expression makes a text of more than/)
    expect(textOf(results['recursion.mdx'])).toMatch(/^recursion\.mdx: Calls and components are nested/)
    expect(textOf(results['yaml.mdx'])).toMatch(/^yaml\.mdx: Front matter in `js`/)
    for (const name of [
      'fs',
      'constructor',
      'generator',
      'network',
      'import',
      'export',
      'loop',
      'component',
      'attribute',
    ]) {
      expect(textOf(results[`${name}.mdx`])).toContain('data-quire-island')
    }
  })

  it('of the whole collection do no harm', async () => {
    const names = (await readdir(samples)).filter((name) => name.endsWith('.mdx'))
    const pages: Record<string, string> = {}
    for (const name of names) pages[name] = aim(await readFile(join(samples, name), 'utf8'))
    await mkdir(directory, { recursive: true })
    const results = await renderAll({ ...pages, 'fine.mdx': 'A page.' }, 'shared')
    await expectHarmless(results)
    expect(Object.keys(results)).toHaveLength(names.length + 1)
    expect(textOf(results['fine.mdx'])).toBe('<p>A page.</p>')
    const refused = Object.entries(results).flatMap(([name, outcome]) => (outcome.ok ? [] : [name.slice(0, 2)]))
    expect(refused).toEqual([
      '01',
      '24',
      '25',
      '30',
      '31',
      '33',
      '34',
      '36',
      '37',
      '38',
      '60',
      '62',
      '63',
      '66',
      '70',
      '73',
    ])
    for (const outcome of Object.values(results)) {
      const written = outcome.ok ? outcome.page.artifact.html : ''
      expect(written).not.toMatch(/(?:href|src)="(?:javascript|vbscript|data:text)/i)
      expect(written.replaceAll(/="[^"<>]*"/g, '=""')).not.toMatch(/<script|<base|<meta|<link|<[^>]*\son[a-z]+=/i)
    }
  })
})
