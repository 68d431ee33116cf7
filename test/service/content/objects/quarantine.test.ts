import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { Quarantine } from '#content/objects/quarantine.ts'
import { Repositories } from '#content/repositories.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'
import { author, filesOf, git, newGit } from '#test/support/content/support.ts'

it.each(['plain', 'with:colon', 'with "quotes" and \\ more:'])(
  'reads repository and quarantine in a folder %s',
  async (name) => {
    const directory = join(await temporaryDirectory(), name)
    const repositories = new Repositories({ directory, git: newGit() })
    onTestFinished(() => repositories.close())
    const [source, target] = [await repositories.create('source'), await repositories.create('target')]
    const files = filesOf({ 'index.mdx': '# One', 'a/b.mdx': 'b' })
    const { commit, tree } = await source.replaceTree({ files, parent: null, author, message: 'one' })
    await source.updateRefs([{ ref: 'refs/heads/main', old: null, new: commit }])
    const [blob = ''] = await target.writeBlobs([Buffer.from('here already')])
    const pack = await newGit().check(['pack-objects', '--all', '--stdout', '-q'], { directory: source.directory })

    const quarantine = await Quarantine.open(newGit(), target.directory)
    await quarantine.git.check(['index-pack', '--stdin'], { directory: target.directory, input: pack })
    expect(await quarantine.objects()).toEqual(expect.arrayContaining([commit, tree]))
    for (const [oid, type] of [
      [commit, 'commit'],
      [blob, 'blob'],
    ] as const)
      expect(
        (await quarantine.git.check(['cat-file', '-t', oid], { directory: target.directory })).toString().trim(),
      ).toBe(type)
    await expect(git(target.directory, 'cat-file', '-t', commit)).rejects.toThrow('cat-file')

    await quarantine.migrate()
    await quarantine.remove()
    expect(await git(target.directory, 'cat-file', '-t', commit)).toBe('commit')
    expect((await readdir(join(target.directory, 'objects'))).filter((entry) => entry.startsWith('tmp_'))).toEqual([])
  },
)
