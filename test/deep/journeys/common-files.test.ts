import { execFileSync } from 'node:child_process'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { quire } from '#test/support/command-line.ts'
import { createProject, startService } from '#test/support/service-process.ts'
import { getSite } from '#test/support/site.ts'
import { deploy } from '#test/support/operator/support.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

/** The drawing library of diagrams alone is larger. */
const themeBytes = 2_900_000

/** Bytes on the disk, each file once. */
function diskUse(directory: string): number {
  return Number(execFileSync('du', ['-sb', directory], { encoding: 'utf8' }).split('\t')[0])
}

async function admin(...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await quire(['admin', ...words])
  expect({ code, said: code === 0 ? '' : stderr + stdout }).toEqual({ code: 0, said: '' })
  return stdout
}

async function diagramsOf(port: number, slug: string): Promise<number> {
  const { text } = await getSite(port, `${slug}.localhost`, '/')
  const [script = ''] = /\/_quire\/mermaid-[\w-]+\.js/.exec(text) ?? []
  const frame = /\/_quire\/mermaid-[\w-]+\.html/.exec((await getSite(port, `${slug}.localhost`, script)).text)?.[0]
  return (await getSite(port, `${slug}.localhost`, frame ?? '/none')).text.length
}

it('what all sites have of the theme lies once in a data directory, in its backup and in what is restored', async () => {
  const home = await temporaryDirectory()
  const [data, restored, archive] = [join(home, 'data'), join(home, 'restored'), join(home, 'backup.tar.gz')]
  const slugs = ['one', 'two', 'three']
  const service = await startService(data)
  for (const slug of slugs) {
    const { client } = await createProject(service.url, slug)
    await deploy(client, { 'index.md': `# ${slug}\n\n\`\`\`mermaid\ngraph TD; A --> B\n\`\`\`` })
  }
  await service.stop()
  expect(diskUse(data)).toBeLessThan(2 * themeBytes)

  await admin('--data', data, 'backup', archive)
  const entries = execFileSync('tar', ['tzvf', archive], { encoding: 'utf8' }).split('\n')
  expect(entries.filter((line) => Number(line.split(/\s+/)[2]) > themeBytes)).toEqual([
    expect.stringMatching(/ common\/[0-9a-f]{64}\.pack$/),
  ])

  await admin('restore', archive, '--into', restored)
  expect(diskUse(restored)).toBeLessThan(2 * themeBytes)
  expect(await admin('--data', restored, 'check')).toMatch(/Everything is as it should be/)
  const again = await startService(restored)
  try {
    for (const slug of slugs) expect(await diagramsOf(again.port, slug)).toBeGreaterThan(themeBytes)
  } finally {
    await again.stop()
  }

  const [unpacked, broken] = [join(home, 'unpacked'), join(home, 'broken.tar.gz')]
  execFileSync('mkdir', [unpacked])
  execFileSync('tar', ['xzf', archive, '-C', unpacked])
  const [file = ''] = await readdir(join(unpacked, 'common'))
  const names = execFileSync('tar', ['tzf', archive], { encoding: 'utf8' }).trim().split('\n')
  const others = names.filter((name) => name !== `common/${file}`)
  execFileSync('tar', ['czf', broken, '-C', unpacked, ...others])
  const refused = await quire(['admin', 'restore', broken, '--into', join(home, 'nothing')])
  expect(refused.stderr).toContain(`common/${file} is missing`)
  expect(await readdir(home)).not.toContain('nothing')
})

it('a damaged file that all sites have is told of each of them, and mended for each', async () => {
  const home = await temporaryDirectory()
  const data = join(home, 'data')
  const service = await startService(data)
  for (const slug of ['one', 'two']) {
    const { client } = await createProject(service.url, slug)
    await deploy(client, { 'index.md': `# ${slug}` })
  }
  await service.stop()
  const largest = async (): Promise<string> => {
    for (const name of await readdir(join(data, '.common'))) {
      const path = join(data, '.common', name)
      if ((await stat(path)).size > themeBytes) return path
    }
    throw new Error('the theme is not there')
  }
  const path = await largest()
  const bytes = await readFile(path)
  execFileSync('sh', ['-c', `printf x | dd of="$0" bs=1 seek=1000 conv=notrunc 2>/dev/null`, path])
  const told = await quire(['admin', '--data', data, 'check'])
  expect(told.code).toBe(1)
  expect(told.stdout.match(/\/_quire\/mermaid-\S+ \(file [0-9a-f]{64}\) is damaged/g)).toHaveLength(2)
  await admin('--data', data, 'repair', '--all')
  expect((await readFile(await largest())).equals(bytes)).toBe(true)
  expect(await admin('--data', data, 'check')).toMatch(/Everything is as it should be/)
  expect(diskUse(data)).toBeLessThan(2 * themeBytes)
})
