import { expect, it, onTestFinished } from 'vitest'
import { contract } from '#contract/index.ts'
import type { Desk } from '#test/support/branching/support.ts'
import { answer, bothOn, search, siteWith, view } from '#test/support/http/support-analytics.ts'
import { quire } from '#test/support/command-line.ts'
import { createProject, startService } from '#test/support/service-process.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

it('shows what readers did and wrote, backs it up and restores it, and deletes a note', async () => {
  const directory = await temporaryDirectory()
  const service = await startService(directory)
  onTestFinished(() => service.stop())
  const { client, key } = await createProject(service.url, 'told')
  const run = async (words: string) => {
    const environment = { SERVICE_API_KEY: key, QUIRE_URL: service.url }
    const { code, stdout, stderr } = await quire(words.split(' '), environment)
    return { code, stdout: stdout.trim(), stderr }
  }
  const deploy = (on: object) =>
    client.call(contract.deploys.create, {
      body: { files: Object.entries(siteWith(on)).map(([path, content]) => ({ path, content })) },
    })
  await deploy({})
  expect((await run('analytics')).stdout).toContain(
    'analytics is off: put "analytics": { "enabled": true } into docs.json',
  )
  expect(await run('feedback')).toMatchObject({ code: 0, stdout: 'told has no such notes of readers.' })

  await deploy(bothOn)
  const site = { slug: 'told', port: service.port } as Desk
  await view(site, '/guide/keys')
  for (let times = 0; times < 2; times++) await search(site, 'quantum', 'no')
  await answer(site, { path: '/guide/keys', helpful: 'no', note: 'Where?\n\u001b[31mHere' })
  const { stdout } = await run('analytics --days 7')
  expect(stdout).toContain('1 view  ·  2 searches, 2 without results  ·  helpful: 0 % of 1 answer')
  expect(stdout).toMatch(/Pages\n +1 {2}\/guide\/keys {2}\(helpful: 0 % of 1 answer\)/)
  expect(stdout).toMatch(/Searches without results\n +2 {2}quantum/)
  expect(stdout).not.toContain('is off')
  expect(JSON.parse((await run('analytics --json')).stdout)).toMatchObject({ views: 1, terms: [{ term: 'quantum' }] })
  expect((await run('analytics --days 0')).code).toBe(2)

  const listed = await run('feedback --helpful no --page /guide/keys')
  expect(listed.stdout).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d {2}no {2}\/guide\/keys {2}f\w+\n {2}Where\?\n/)
  expect(listed.stdout).not.toContain('\u001b')
  expect((await run('feedback --helpful yes')).stdout).toContain('no such notes')
  const [note] = (JSON.parse((await run('feedback --json')).stdout) as { items: { id: string }[] }).items

  const archive = `${await temporaryDirectory()}/all.quire`
  expect((await quire(['admin', 'backup', archive], { DATA_DIR: directory })).code).toBe(0)
  expect(await run(`feedback delete ${note?.id ?? ''} --yes`)).toMatchObject({ code: 0 })
  expect((await run('feedback')).stdout).toContain('no such notes')
  await service.stop()
  expect((await quire(['admin', 'check'], { DATA_DIR: directory })).code).toBe(0)
  const restored = `${await temporaryDirectory()}/restored`
  expect((await quire(['admin', 'restore', archive], { DATA_DIR: restored })).code).toBe(0)
  expect((await quire(['admin', 'check'], { DATA_DIR: restored })).code).toBe(0)
  const again = await startService(restored)
  onTestFinished(() => again.stop())
  const environment = { SERVICE_API_KEY: key, QUIRE_URL: again.url }
  expect((await quire(['analytics'], environment)).stdout).toContain('1 view  ·  2 searches')
  expect((await quire(['feedback'], environment)).stdout).toContain('Where?')
})
