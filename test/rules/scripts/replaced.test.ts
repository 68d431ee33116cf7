import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { root } from '#lib/paths.ts'
import { temporaryDirectory, writeFiles } from '#test/support/temporary.ts'

interface Program {
  readonly removeReplaced: (folder: string, written: ReadonlySet<string>, record: string, now: number) => void
}

const dayMs = 24 * 60 * 60 * 1000

it('code that a build has replaced stays for a day from then on, however old it is', async () => {
  const { removeReplaced } = (await import(pathToFileURL(join(root, 'scripts/build/replaced.mjs')).href)) as Program
  const directory = await temporaryDirectory()
  const folder = join(directory, 'admin')
  const build = async (name: string, now: number): Promise<string[]> => {
    await writeFiles(folder, { [name]: '' })
    removeReplaced(folder, new Set([join(folder, name)]), join(directory, '.parts', 'admin.replaced.json'), now)
    return (await readdir(folder)).sort()
  }
  const start = Date.parse('2026-11-20T12:00:00Z')
  await writeFiles(folder, { 'main.js': '' })
  expect(await build('one.js', start)).toEqual(['main.js', 'one.js'])
  // Three days later, and twice in a day: a service that was started with the first goes on.
  expect(await build('two.js', start + 3 * dayMs)).toEqual(['main.js', 'one.js', 'two.js'])
  expect(await build('three.js', start + 3.5 * dayMs)).toEqual(['main.js', 'one.js', 'three.js', 'two.js'])
  expect(await build('four.js', start + 4.1 * dayMs)).toEqual(['four.js', 'main.js', 'three.js', 'two.js'])
  // One that comes back is the newest again.
  expect(await build('two.js', start + 4.6 * dayMs)).toEqual(['four.js', 'main.js', 'three.js', 'two.js'])
  expect(await build('five.js', start + 9 * dayMs)).toEqual(['five.js', 'main.js', 'two.js'])
})
