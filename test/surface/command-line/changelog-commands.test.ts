import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import Parser from 'rss-parser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dist } from '#lib/paths.ts'
import { quire as run, type Finished } from '#test/support/command-line.ts'
import { inDepth, isDeep } from '#test/support/depth.ts'
import { createProject, type ProjectAccess } from '#test/support/service-process.ts'
import type { TestService } from '#test/support/service.ts'
import { sharedService } from '#test/support/shared-service.ts'
import { removeDirectory } from '#test/support/temporary.ts'

const execute = promisify(execFile)

describe('the changelog on the command line', () => {
  let directory: string
  let service: TestService
  let project: ProjectAccess
  const quire = (...words: string[]): Promise<Finished> =>
    run(['--url', service.url, 'changelog', ...words], { SERVICE_API_KEY: project.key }, directory)
  const feed = () => new Parser().parseURL(`${service.url}/api/projects/${project.slug}/changelog/rss`)
  const idOf = async (...words: string[]): Promise<string> => (await quire(...words)).stdout.trim()

  /** Runs `quire changelog …` on a terminal, with a shell script for an editor. */
  const onTerminal = async (words: string, editor: string): Promise<string> => {
    const program = join(directory, 'editor')
    await writeFile(program, `#!/bin/sh\n${editor}\n`)
    await chmod(program, 0o700)
    const command = `${process.execPath} ${join(dist, 'quire.js')} --url ${service.url} changelog ${words}`
    const env = {
      PATH: process.env['PATH'],
      HOME: directory,
      TMPDIR: directory,
      SERVICE_API_KEY: project.key,
      EDITOR: program,
      TERM: 'xterm',
    }
    const { stdout } = await execute('script', ['-qec', `stty cols 300; ${command}`, '/dev/null'], {
      env,
      cwd: directory,
    }).catch((error: { stdout: string }) => error)
    return stdout
  }

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'quire-changelog-'))
    service = await sharedService()
    project = await createProject(service.url, 'logged')
  })
  afterAll(() => removeDirectory(directory))

  it('adds a draft from a file, publishes it, and readers get it', async () => {
    await writeFile(
      join(directory, 'news.md'),
      '---\nversion: 2.0\ntags: [search]\n---\n# Faster search\n\nIt is *fast*.\n',
    )
    const added = await quire('add', 'news.md')
    expect(added.code).toBe(0)
    expect(added.stderr).toContain('added “Faster search”. It is a draft')
    const id = added.stdout.trim()
    expect((await feed()).items).toEqual([])
    expect((await quire('list')).stdout).toMatch(/^draft {6}.*Faster search 2\.0\n/)

    const published = await quire('publish', id)
    expect(published.stderr).toContain(
      `It is in the feeds and at http://localhost:${service.port}/dashboard/logged/changelog/${id}`,
    )
    const { items } = await feed()
    expect(items).toEqual([
      expect.objectContaining({ title: 'Faster search (2.0)', content: 'It is fast.', categories: ['search'] }),
    ])
    if (isDeep) expect((await quire('show', id)).stdout).toBe('It is *fast*.\n')
  })

  it('changes, withdraws and deletes an entry', async () => {
    const id = await idOf('add', 'news.md', '--title', 'Second', '--publish')
    expect(JSON.parse((await quire('edit', id, '--version-tag', '3', '--json')).stdout)).toMatchObject({ version: '3' })
    expect((await feed()).items.map(({ title }) => title)).toContain('Second (3)')
    expect((await quire('withdraw', id)).code).toBe(0)
    expect((await feed()).items.map(({ title }) => title)).not.toContain('Second (3)')

    if (isDeep) {
      const refused = await quire('delete', id)
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('Add --yes')])
    }
    expect((await quire('delete', id, '--yes')).code).toBe(0)
    if (!isDeep) return
    const gone = await quire('show', id)
    expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining(id)])
  })

  inDepth('schedules an entry', async () => {
    const added = await quire('add', 'news.md', '--title', 'Later', '--at', '2100-01-01T00:00:00Z')
    expect(added.stderr).toContain('It appears at 2100-01-01T00:00:00.000Z')
    expect((await quire('list', '--status', 'scheduled')).stdout).toMatch(/^scheduled {2}2100-01-01T00:00 {2}Later/)
    expect((await feed()).items.map(({ title }) => title)).not.toContain('Later')
  })

  inDepth('says what is missing or wrong', async () => {
    const nothing = await quire('add')
    expect([nothing.code, nothing.stderr]).toEqual([2, expect.stringContaining('Name a Markdown file')])
    await writeFile(join(directory, 'untitled.md'), 'Only text.')
    expect((await quire('add', 'untitled.md')).stderr).toContain('The entry has no title')
    await writeFile(join(directory, 'broken.md'), '# Broken\n\n<Note>never closed\n')
    const broken = await quire('add', 'broken.md')
    expect([broken.code, broken.stderr]).toEqual([3, expect.stringMatching(/line 1.*Note|Note.*line 1/s)])
    expect((await quire('add', 'news.md', '--at', 'soon')).stderr).toContain('"soon" is not a time')
  })

  it('opens the editor for a new entry and for a change', async () => {
    const write = `sed -i 's/^title:.*/title: Written here/' "$1"; echo 'The text.' >> "$1"`
    expect(await onTerminal('add --publish', write)).toContain('added “Written here”')
    expect((await feed()).items.map(({ title }) => title)).toContain('Written here')
    if (!isDeep) return
    const { items } = JSON.parse((await quire('list', '--json')).stdout) as { items: { id: string; title: string }[] }
    const id = items.find(({ title }) => title === 'Written here')?.id ?? ''

    expect(await onTerminal(`edit ${id}`, `sed -i 's/The text/Another text/' "$1"`)).toContain('changed “Written here”')
    expect((await quire('show', id)).stdout).toBe('Another text.\n')
    expect(await onTerminal(`edit ${id}`, 'true')).toContain('Nothing was written')
    const failed = await onTerminal(`edit ${id}`, 'exit 3')
    expect(failed).toContain('ended with code 3')
    expect(failed).not.toContain('entry.md')
  })

  it('keeps what was written when it cannot be sent', async () => {
    const screen = await onTerminal('add', `printf '%s\\n' '---' 'titel: Oops' '---' 'A long text.' > "$1"`)
    expect(screen).toContain('titel is not known')
    const [folder, more] = (await readdir(directory)).filter((name) => name.startsWith('quire-entry-'))
    expect(more).toBeUndefined()
    expect(screen).toContain(`What you wrote is in ${join(directory, folder ?? '', 'entry.md')}`)
    expect(await readFile(join(directory, folder ?? '', 'entry.md'), 'utf8')).toContain('A long text.')
  })
})
