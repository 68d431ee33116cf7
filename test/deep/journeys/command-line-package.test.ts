import { execFile } from 'node:child_process'
import { readdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it, onTestFinished } from 'vitest'
import { dist } from '#lib/paths.ts'
import { createProject, startService } from '#test/support/service-process.ts'
import { getSite } from '#test/support/site.ts'
import { temporaryDirectory, writeFiles } from '#test/support/temporary.ts'

const run = promisify(execFile)

it('is installed from a service, without any other package, into an empty folder, and deploys to it', async () => {
  const service = await startService(await temporaryDirectory())
  onTestFinished(() => service.stop())
  const { key } = await createProject(service.url, 'docs')
  const folder = await temporaryDirectory()
  await writeFiles(folder, { 'docs/index.md': '# Written here\n' })
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    // Nobody answers there: optional packages are done without.
    npm_config_registry: 'http://127.0.0.1:1',
    npm_config_fetch_retries: '0',
    QUIRE_URL: service.url,
    SERVICE_API_KEY: key,
  }
  await run('npm', ['install', '--global', '--prefix', folder, `${service.url}/cli`], { cwd: folder, env })
  expect(await readdir(join(folder, 'lib/node_modules'))).toEqual(['quire'])
  expect(await readdir(join(folder, 'lib/node_modules/quire'))).toEqual([
    'LICENSE',
    'README.md',
    'dist',
    'package.json',
  ])
  expect(await readFile(join(folder, 'share/man/man1/quire.1'), 'utf8')).toContain('.TH QUIRE 1')
  const { stdout } = await run(join(folder, 'bin/quire'), ['deploy', 'docs', '--json'], { cwd: folder, env })
  expect(JSON.parse(stdout)).toMatchObject({ status: 'live' })
  expect((await getSite(service.port, 'docs.localhost', '/')).text).toContain('Written here')
})

it('is called by a link to it in a checkout that was built', async () => {
  const folder = await temporaryDirectory()
  await symlink(join(dist, 'quire.js'), join(folder, 'quire'))
  const { stdout } = await run(join(folder, 'quire'), ['--version'], { env: { PATH: process.env['PATH'] } })
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
})
