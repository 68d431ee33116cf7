import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RenderOutcome, RenderPool } from '#site/page.ts'
import { openRenderPool } from '#site/render/pool.ts'
import { hostile } from '#test/support/shared.ts'
import { renderAll, textOf } from '#test/support/site/render/rendering.ts'

const samples = join(hostile, 'mdx')
let pool: RenderPool

beforeAll(async () => {
  pool = await openRenderPool({ children: 2 })
})
afterAll(() => pool.close())

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
    const results = await renderAll(pool, { ...pages, 'fine.mdx': '# Fine\n\nA page.' }, 'hostile')
    await expectHarmless(results)
    expect(textOf(results['fine.mdx'])).toBe('<p>A page.</p>')
    expect(textOf(results['bomb.mdx'])).toMatch(/^bomb\.mdx: An expression makes a text of more than/)
    expect(textOf(results['recursion.mdx'])).toMatch(/^recursion\.mdx: Calls and components are nested/)
    expect(textOf(results['yaml.mdx'])).toMatch(/^yaml\.mdx: Front matter in `js`/)
    for (const name of ['fs', 'constructor', 'generator', 'network', 'import', 'export', 'loop', 'component']) {
      expect(textOf(results[`${name}.mdx`])).toContain('q-island')
    }
    const attribute = results['attribute.mdx']
    expect(textOf(attribute)).toMatch(/^<div class="q-card">.*x<\/div>/)
    expect(attribute?.ok === true && attribute.page.summary.warnings).toHaveLength(1)
  })

  it('of the whole collection do no harm', async () => {
    const names = (await readdir(samples)).filter((name) => name.endsWith('.mdx'))
    const pages: Record<string, string> = {}
    for (const name of names) pages[name] = aim(await readFile(join(samples, name), 'utf8'))
    await mkdir(directory, { recursive: true })
    const results = await renderAll(pool, { ...pages, 'fine.mdx': 'A page.' }, 'shared')
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
