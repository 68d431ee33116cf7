import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pino } from 'pino'
import { describe, expect, it, onTestFinished } from 'vitest'
import { root } from '#lib/paths.ts'
import { readConfig } from '#config.ts'
import { isolationOf, lacksOf, type Protection } from '#site/render/isolation.ts'
import { createService } from '#wire.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

const all: readonly Protection[] = ['limits', 'user', 'capabilities', 'calls', 'root', 'landlock']
const without = (...names: readonly Protection[]): Protection[] => all.filter((name) => !names.includes(name))

describe.skipIf(process.platform !== 'linux')('isolation (of Linux)', () => {
  it.each([['nothing', []] as const, ['Landlock', ['landlock']] as const, ['a root folder', ['root']] as const])(
    'is strong without %s',
    (_, names) => {
      expect(isolationOf(new Set(without(...names))).level).toBe('strong')
    },
  )

  it.each([
    [['calls'], /koffi/],
    [['capabilities'], /koffi/],
    [['root', 'landlock'], /Landlock.*unprivileged user namespaces/],
    [['limits'], /\/bin\/sh/],
    [['user'], /ordinary user/],
  ] as const)('is weak without %j, and says what to do', (names, advice) => {
    const { level, holds } = isolationOf(new Set(without(...names)))
    expect(level).toBe('weak')
    expect(lacksOf(holds)).toEqual([expect.stringMatching(advice)])
  })
})

it('isolation is weak on another system than Linux', () => {
  expect(lacksOf(all, 'darwin')).toEqual([expect.stringContaining('Only Linux')])
})

describe.skipIf(process.platform !== 'linux')('a service whose children cannot be isolated', () => {
  /** What forks children starts as ever, and finds no koffi. */
  async function hideKoffi(): Promise<void> {
    const directory = await temporaryDirectory()
    const program = join(directory, 'node')
    const preloaded = join(root, 'test/support/site/render/no-fork.cjs')
    const real = process.execPath
    await writeFile(program, `#!/bin/sh\nexec '${real}' --require '${preloaded}' "$@"\n`)
    await chmod(program, 0o755)
    await chmod(directory, 0o755)
    process.execPath = program
    onTestFinished(() => {
      process.execPath = real
    })
  }

  it('does not start and says what to install, unless a setting allows it; its log tells', async () => {
    await hideKoffi()
    const settings = { PATH: process.env['PATH'], DATA_DIR: await temporaryDirectory(), RENDER_CHILDREN: '1' }
    await expect(createService(readConfig(settings))).rejects.toMatchObject({
      code: 'unavailable',
      hint: expect.stringMatching(/koffi[^]*ALLOW_WEAK_ISOLATION=yes/),
    })
    const lines: string[] = []
    const logger = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
    const service = await createService(readConfig({ ...settings, ALLOW_WEAK_ISOLATION: 'yes' }), { logger })
    await service.close()
    expect(lines.join('')).toContain('"isolation":"weak"')
  })
})
