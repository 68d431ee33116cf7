import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { IslandBundler } from '#site/islands/bundler.ts'
import type { IslandModule, IslandSource } from '#site/page.ts'
import { inDepth } from '#test/support/depth.ts'

const runtime = '/_quire/island-runtime-x.js'
const components = '/_quire/island-components-x.js'
const bundler = new IslandBundler({ runtime, components })
afterAll(() => bundler.close())

type Given = Partial<IslandModule> & { readonly code: string }

let turn = 0
/** A source of these modules, the first of them the one that is bundled. */
function source(...modules: readonly Given[]): IslandSource {
  turn += 1
  return {
    id: turn.toString(16).padStart(16, '0'),
    modules: modules.map((module, index) => ({ path: `snippets/${index}.jsx`, imports: {}, ...module })),
  }
}

const codeOf = async (...modules: readonly Given[]): Promise<string> => {
  const reply = await bundler.bundle('acme', source(...modules))
  if ('error' in reply) throw new Error(JSON.stringify(reply.error))
  return reply.code
}
const errorOf = async (...modules: readonly Given[]): Promise<unknown> => {
  const reply = await bundler.bundle('acme', source(...modules))
  if ('code' in reply) throw new Error(reply.code)
  return reply.error
}

describe('the bundle of an island', () => {
  it('imports one runtime, with hooks that nobody had to import, and nothing else', async () => {
    const code = await codeOf(
      {
        code: 'import { name } from "./1"\nimport logo from "/logo.png"\nimport "./style.css"\nimport React from "react"\nexport const A = () => { const [x] = useState(name); React.useEffect(() => {}); return <b title={logo}>{x}</b> }\nexport { A as $A }',
        imports: {
          './1': 'snippets/1.tsx',
          '/logo.png': 'asset:/logo.png',
          './style.css': 'asset:/style.css',
          react: 'react',
        },
      },
      { path: 'snippets/1.tsx', code: 'type T = string\nexport const name: T = "n" as T' },
    )
    expect([...code.matchAll(/from\s*"([^"]+)"/g)].map(([, from]) => from)).toEqual([
      runtime.replace('/_quire/', '../'),
    ])
    expect(code).toContain('/logo.png')
    expect(code).toMatch(/as \$A/)
  })

  it('leaves names alone that a module declares itself', async () => {
    const code = await codeOf({ code: 'const useState = () => [1]\nexport const A = () => <b>{useState()[0]}</b>' })
    expect(code).not.toMatch(/useState/)
  })

  it.each([
    ['a package', 'import x from "lodash"\nexport const A = x', /`lodash` cannot be imported/],
    ['a file of the machine', 'import x from "/etc/passwd"\nexport const A = x', /`\/etc\/passwd` cannot be imported/],
    ['a file beside it that it was not given', 'import x from "./2.jsx"\nexport const A = x', /cannot be imported/],
    ['a file with its query', 'import x from "/etc/passwd?raw"\nexport const A = x', /cannot be imported/],
    ['all files', 'export const A = import.meta.glob("/**")', /`import.meta` are not there/],
    [
      'a file by its address',
      'export const A = new URL("/etc/passwd", import.meta.url).href',
      /`import.meta` are not there/,
    ],
    ['something while it runs', 'export const A = () => import("/etc/passwd")', /`import\(\)`/],
    ['a worker', 'export const A = new Worker(new URL("./w.js", import.meta.url))', /not there/],
    ['the environment', 'export const A = import.meta.env', /not there/],
  ])('does not read %s', async (_what, code, message) => {
    expect(await errorOf({ code })).toMatchObject({ message: expect.stringMatching(message) })
  })

  it.each([
    ['a file by its address', (file: string) => `new URL('${file}', import.meta.url)`],
    ['a worker', (file: string) => `new Worker(new URL('${file}', import.meta.url))`],
    ['files by a pattern', (file: string) => `import.meta.glob('${file}', eager)`],
  ])('shows words that look like %s as words, and reads nothing', async (_what, words) => {
    const folder = await mkdtemp(join(tmpdir(), 'quire-island-'))
    try {
      await writeFile(join(folder, 'secret.txt'), 'xyzzy')
      const written = words(join(folder, 'secret.txt'))
      const code = await codeOf({ code: `export const A = () => <p>${written}</p>` })
      expect(code).toContain(written)
      expect(code).not.toContain(Buffer.from('xyzzy').toString('base64').slice(0, 6))
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it.each(['snippets/a.css?inline&b.jsx', 'snippets/a.json?b.jsx', 'snippets/a.jsx?worker&.jsx', 'x?raw.jsx'])(
    'reads a file as its ending says whatever else its name holds: %s',
    async (path) => {
      expect(await codeOf({ path, code: 'export const A = () => <b>bold</b>' })).toContain('bold')
      expect(await errorOf({ path, code: 'export const A = (' })).toEqual({ message: 'Expected `)` but found `EOF`' })
    },
  )

  it('says which name is not exported, and where it is asked for', async () => {
    expect(
      await errorOf(
        {
          code: '\nimport { B } from "./1.jsx"\nexport const A = () => <B />',
          imports: { './1.jsx': 'snippets/1.jsx' },
        },
        { code: 'export const C = 1' },
      ),
    ).toMatchObject({ message: expect.stringContaining('B'), path: 'snippets/0.jsx', line: 2 })
  })

  it('knows nothing of the process that asks', async () => {
    process.env['QUIRE_SECRET'] = 'xyzzy'
    try {
      expect(await codeOf({ code: 'export const A = [process.env.QUIRE_SECRET, process.env.NODE_ENV]' })).not.toContain(
        'xyzzy',
      )
    } finally {
      delete process.env['QUIRE_SECRET']
    }
  })

  it('is made once for all of a project who ask for it at the same time', async () => {
    const one = source({ code: 'export const A = 1' })
    const [first, second] = [bundler.bundle('acme', one), bundler.bundle('acme', one)]
    expect(await first).toBe(await second)
  })

  it('is never that of another project, whatever id a child says', async () => {
    const mine = source({ code: 'export const A = "mine"' })
    await bundler.bundle('acme', {
      ...mine,
      modules: [{ path: 'a.jsx', imports: {}, code: 'export const A = "theirs"' }],
    })
    expect(await bundler.bundle('other', mine)).toMatchObject({ code: expect.stringContaining('mine') })
  })
})

describe('the bundler', () => {
  it('gives up what takes too long, and goes on with the next', async () => {
    const hasty = new IslandBundler({ runtime, components, patienceMs: 1 })
    try {
      expect(await hasty.bundle('acme', source({ code: 'export const A = 1' }))).toEqual({
        error: { message: expect.stringContaining('takes more than 0.001 s') },
        isCostly: true,
      })
    } finally {
      hasty.close()
    }
  })

  inDepth('stays with source that nests deep, is long, or is no code', { timeout: 120_000 }, async () => {
    for (const code of [
      `export const A = ${'('.repeat(20_000)}1${')'.repeat(20_000)}`,
      `export const A = ${'[1,'.repeat(20_000)}1${']'.repeat(20_000)}`,
      `export const A = ${'<b>'.repeat(20_000)}`,
      `export const A = "${'x'.repeat(3 << 20)}"`,
      '\u0000\u0001',
    ]) {
      const reply = await bundler.bundle('acme', source({ code }))
      expect('error' in reply || reply.code.length > 0).toBe(true)
    }
    expect(await codeOf({ code: 'export const A = 2' })).toContain('2')
  })

  inDepth.skipIf(process.platform !== 'linux')(
    'ends what grows without end, and goes on with what others ask for',
    { timeout: 120_000 },
    async () => {
      // Each is twice the one before, and the bundler computes them.
      const lines = Array.from({ length: 30 }, (_, index) => `const a${index + 1} = a${index} + a${index}`)
      const hostile = source({ code: `const a0 = "${'x'.repeat(100)}"\n${lines.join('\n')}\nexport const A = a30` })
      const small = new IslandBundler({ runtime, components, memory: 200, patienceMs: 100_000 })
      onTestFinished(() => small.close())
      const [lost, other] = await Promise.all([
        small.bundle('acme', hostile),
        small.bundle('other', source({ code: 'export const A = 4' })),
      ])
      expect(lost).toEqual({
        error: { message: expect.stringContaining('more than 200 MB of memory') },
        isCostly: true,
      })
      expect(other).toMatchObject({ code: expect.stringContaining('4') })
    },
  )

  inDepth('says what nests too deep', { timeout: 60_000 }, async () => {
    const deep = source({ code: `export const A = () => ${'<b>'.repeat(5000)}1${'</b>'.repeat(5000)}` })
    expect(await bundler.bundle('acme', deep)).toMatchObject({
      error: { message: expect.stringContaining('nests too deep') },
    })
  })

  it('rejects for who no longer waits', async () => {
    const controller = new AbortController()
    const made = bundler.bundle('acme', source({ code: 'export const A = 3' }), controller.signal)
    controller.abort(new Error('gone'))
    await expect(made).rejects.toThrow('gone')
  })
})
