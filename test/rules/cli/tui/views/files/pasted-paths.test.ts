import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pastedFiles, readingsOf } from '#cli/tui/views/files/pasted-paths.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quire-pasted-'))
  for (const name of ['a.png', "it's (1).png", 'b c.png']) await writeFile(join(folder, name), name)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const namesOf = async (text: string) => (await pastedFiles(text))?.map(({ path }) => path.slice(folder.length + 1))

test('files that were dropped are read as each kind of terminal writes them', async () => {
  expect(await namesOf(`${folder}/a.png`)).toEqual(['a.png'])
  expect(await namesOf(`${folder}/a.png ${folder}/b\\ c.png `)).toEqual(['a.png', 'b c.png'])
  expect(await namesOf(`'${folder}/it'\\''s (1).png'`)).toEqual(["it's (1).png"])
  expect(await namesOf(`"${folder}/b c.png"`)).toEqual(['b c.png'])
  expect(await namesOf(`file://${folder}/b%20c.png\nfile://somewhere${folder}/a.png\n`)).toEqual(['b c.png', 'a.png'])
})

test('a path as it is may have spaces', async () => {
  expect(await namesOf(`${folder}/b c.png`)).toEqual(['b c.png'])
  expect(await namesOf(`${folder}/it's (1).png`)).toEqual(["it's (1).png"])
})

test('what names a folder, nothing, or a file among words is a text', async () => {
  expect(await pastedFiles(folder)).toBeUndefined()
  expect(await pastedFiles(`${folder}/none.png`)).toBeUndefined()
  expect(await pastedFiles(`see ${folder}/a.png`)).toBeUndefined()
  expect(await pastedFiles(`${folder}/a.png ${folder}/none.png`)).toBeUndefined()
  expect(await pastedFiles('file://%zz')).toBeUndefined()
})

test('no text throws, and only absolute paths are looked for', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      for (const path of readingsOf(text).flat()) expect(path).toMatch(/^\//)
    }),
  )
})
