import { link, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { diskUseOf, otherDiskUse } from '#storage/directory/disk-use.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

const block = 64 * 1024

async function write(directory: string, path: string, blocks: number): Promise<void> {
  await mkdir(dirname(join(directory, path)), { recursive: true })
  await writeFile(join(directory, path), Buffer.alloc(blocks * block, 'x'))
}

it('tells repository, releases, records and documents of each project apart, and what is nobody’s', async () => {
  const directory = await temporaryDirectory()
  await write(directory, 'docs.git/objects/pack/a.pack', 10)
  await write(directory, 'docs/packs/a.pack', 20)
  await write(directory, 'docs/releases/r.json', 2)
  await write(directory, 'docs/audit/00000001.jsonl', 5)
  await write(directory, 'docs.json', 1)
  await write(directory, 'docs.json.previous', 1)
  await write(directory, 'docs-2/packs/a.pack', 3)
  await write(directory, '_service.json', 7)
  // Two projects have a second name of it.
  await write(directory, '.common/theme.pack', 30)
  for (const id of ['docs', 'docs-2'])
    await link(join(directory, '.common/theme.pack'), join(directory, id, 'packs/theme.pack'))

  const uses = await diskUseOf(directory, ['docs', 'docs-2', 'gone'])
  const blocks = (bytes = 0): number => Math.floor(bytes / block)
  const rounded = (id: string) => Object.fromEntries(Object.entries(uses.get(id) ?? {}).map(([k, v]) => [k, blocks(v)]))
  expect(rounded('docs')).toEqual({ repository: 10, releases: 22, records: 5, documents: 2 })
  expect(rounded('docs-2')).toEqual({ repository: 0, releases: 3, records: 0, documents: 0 })
  expect(uses.get('gone')).toEqual({ repository: 0, releases: 0, records: 0, documents: 0 })
  expect(blocks(await otherDiskUse(directory, ['docs', 'docs-2']))).toBe(37)
})
