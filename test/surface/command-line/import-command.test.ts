import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { quire } from '#test/support/command-line.ts'
import { inDepth, isDeep } from '#test/support/depth.ts'
import { temporaryDirectory, writeFiles } from '#test/support/temporary.ts'

const run = promisify(execFile)
const site = {
  'old/docs/.vitepress/config.ts': `export default { title: 'Kettle', cleanUrls: true, themeConfig: { sidebar: [{ text: 'Guide', items: [{ text: 'Tea', link: '/tea' }] }] }, secret: require('node:fs').writeFileSync('ran', '') }`,
  'old/docs/index.md': '# Kettle\n\nSee [tea](./tea.md#hot-water).\n',
  'old/docs/tea.md': '# Tea\n\n::: warning\nHot {water}\n:::\n\n## Hot water\n\n<Chart />\n\n![pot](./pot.png)\n',
  'old/docs/pot.png': 'x',
}

describe('quire import', { timeout: 60_000 }, () => {
  it('turns a folder into a site that can go live, and says what it left', async () => {
    const home = await temporaryDirectory()
    await writeFiles(home, site)
    const { code, stdout, stderr } = await quire(['import', 'old', '--to', 'new'], { HOME: home }, home)
    expect([code, stdout]).toEqual([
      0,
      'new: 2 pages of 4 files, 0 redirects, from VitePress (docs/.vitepress/config.ts).\n',
    ])
    expect(stderr).toContain('Components of the site’s own (1)\n  docs/tea.md:9  `<Chart>`')
    expect(await readdir(home)).not.toContain('ran')
    const check = await quire(['check', 'new', '--format', 'json'], { HOME: home }, home)
    expect(JSON.parse(check.stdout)).toMatchObject({ errors: [], pages: { total: 2 } })
    if (!isDeep) return
    expect((await quire(['import', 'old', '--to', 'new'], { HOME: home }, home)).stderr).toContain(
      'new has files already.',
    )
    expect((await quire(['import', 'old', '--to', 'new', '--force'], { HOME: home }, home)).code).toBe(0)
    expect((await quire(['import', 'old', '--to', 'old'], { HOME: home }, home)).stderr).toContain('its own folder')
  })

  it('takes a branch of a repository, and leaves nothing of its copy', async () => {
    const home = await temporaryDirectory()
    await writeFiles(home, site)
    const git = (...words: string[]) => run('git', words, { cwd: join(home, 'old') })
    await git('init', '--quiet', '--initial-branch=next')
    await git('add', '.')
    await git('-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '--quiet', '-m', 'Kettle')
    const copies = join(home, 'copies')
    await writeFiles(copies, { '.keep': '' })
    const { code, stdout } = await quire(
      ['import', `file://${join(home, 'old')}#next`, '--to', 'new', '--json'],
      { HOME: home, TMPDIR: copies },
      home,
    )
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      framework: 'vitepress',
      directory: 'new',
      counts: { pages: 2 },
      files: ['docs.json', 'index.md', 'pot.png', 'tea.mdx'],
      left: expect.arrayContaining([expect.objectContaining({ kind: 'component', path: 'docs/tea.md', line: 9 })]),
    })
    expect(await readdir(copies)).toEqual(['.keep'])
    expect(await readFile(join(home, 'new', 'tea.mdx'), 'utf8')).toContain('<Warning>\n\nHot \\{water}\n\n</Warning>')
  })

  inDepth('says what is wrong with the source, and writes nothing', async () => {
    const home = await temporaryDirectory()
    await writeFiles(home, {
      'empty/notes.txt': 'x',
      'new/kept.txt': 'x',
      'site/website/docusaurus.config.js': `module.exports = { title: 'Kettle', presets: [['classic', { docs: { path: '../docs' } }]] }`,
      'site/docs/index.md': '# Kettle\n',
    })
    const said = async (...words: string[]): Promise<string> => {
      const { code, stderr } = await quire(['import', ...words], { HOME: home }, home)
      expect(code).not.toBe(0)
      return stderr
    }
    expect(await said('nowhere', '--to', 'new')).toContain('nowhere is not there.')
    expect(await said('empty')).toContain('empty has no page')
    const besides = await said('site/website')
    expect(besides).toContain('a site of Docusaurus (docusaurus.config.js), but its pages are not in this folder')
    expect(besides).toContain('quire import site')
    expect(await said(`file://${join(home, 'gone.git')}`)).toContain('There is no repository at that address.')
    expect((await readdir(home)).sort()).toEqual(expect.arrayContaining(['empty', 'new', 'site']))
    expect(await readdir(home)).not.toContain('quire-docs')
  })

  it('does not say the password of an address that cannot be cloned', async () => {
    const home = await temporaryDirectory()
    const { code, stdout, stderr } = await quire(
      ['import', 'https://me:hidden-word@127.0.0.1:1/docs.git'],
      { HOME: home },
      home,
    )
    expect(code).not.toBe(0)
    expect(stderr).toContain('https://127.0.0.1:1/docs.git could not be cloned.')
    expect(stdout + stderr).not.toContain('hidden-word')
  })
})

it(
  'is named by a check of such a folder, also where its settings are hidden or beside it',
  { timeout: 60_000 },
  async () => {
    const home = await temporaryDirectory()
    await writeFiles(home, { ...site, 'py/mkdocs.yml': 'site_name: Kettle', 'py/docs/index.md': '# Kettle\n' })
    const check = async (folder: string): Promise<string> => {
      const { stdout, stderr } = await quire(['check', folder], { HOME: home }, home)
      return stdout + stderr
    }
    expect(await check('old/docs')).toMatch(
      /a site of VitePress \(\.vitepress\/config\.ts\)[^]*quire import old\/docs --to docs/,
    )
    if (!isDeep) return
    expect(await check('py/docs')).toMatch(/a site of MkDocs \(\.\.\/mkdocs\.yml\)[^]*quire import py --to docs/)
    expect((await check('py')).match(/a site of MkDocs/g)).toHaveLength(1)
  },
)
