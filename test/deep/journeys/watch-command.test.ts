import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dist } from '#lib/paths.ts'
import { createProject, startService, type ProjectAccess, type ServiceProcess } from '#test/support/service-process.ts'
import { getSite } from '#test/support/site.ts'
import { removeDirectory, writeFiles } from '#test/support/temporary.ts'

describe('quire deploy --watch', () => {
  let directory: string
  let service: ServiceProcess
  let project: ProjectAccess
  const page = async (path: string): Promise<string> => (await getSite(service.port, 'docs.localhost', path)).text

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'quire-watch-command-'))
    service = await startService(join(directory, 'data'))
    project = await createProject(service.url, 'docs')
    await writeFiles(directory, { 'docs/index.md': '# First\n', 'docs/node_modules/x.md': 'x' })
  })
  afterAll(async () => {
    await service.stop()
    await removeDirectory(directory)
  })

  it('deploys what changes, in new folders too, goes on after a mistake, and ends with Ctrl-C', async () => {
    const words = ['--url', service.url, 'deploy', 'docs', '--watch']
    const child = spawn(process.execPath, [join(dist, 'quire.js'), ...words], {
      env: { PATH: process.env['PATH'], HOME: directory, SERVICE_API_KEY: project.key },
      cwd: directory,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
    const ended = once(child, 'exit')
    const patience = { timeout: 60_000 }
    try {
      await expect.poll(() => said, patience).toContain('watching for changes')
      expect(await page('/')).toContain('First')
      await writeFiles(directory, { 'docs/guides/new/start.md': '# Start\n' })
      await expect.poll(() => page('/guides/new/start'), patience).toContain('Start')
      await writeFiles(directory, { 'docs/guides/broken.mdx': '# Second\n\n<Card\n' })
      await expect.poll(() => said, patience).toContain('guides/broken.mdx:')
      await writeFiles(directory, { 'docs/guides/broken.mdx': '# Mended\n', 'docs/index.md': '# Third\n' })
      await expect.poll(() => page('/'), patience).toContain('Third')
      await expect.poll(() => said, patience).toMatch(/3 files[^]*watching for changes[^]*\n$/)
      // As a generator, or Git from one branch to another.
      await rm(join(directory, 'docs/guides'), { recursive: true })
      await writeFiles(directory, { 'docs/guides/again.md': '# Again\n' })
      await expect.poll(() => page('/guides/again'), patience).toContain('Again')
      await writeFiles(directory, { 'docs/guides/again.md': '# Once more\n' })
      await expect.poll(() => page('/guides/again'), patience).toContain('Once more')
      await rename(join(directory, 'docs'), join(directory, 'old'))
      await writeFiles(directory, { 'docs/index.md': '# Another folder\n' })
      await expect.poll(() => page('/'), patience).toContain('Another folder')
      await writeFiles(directory, { 'docs/index.md': '# Its second\n' })
      await expect.poll(() => page('/'), patience).toContain('Its second')
      child.kill('SIGINT')
      expect((await ended)[0]).toBe(0)
    } finally {
      child.kill('SIGKILL')
    }
  })
})
