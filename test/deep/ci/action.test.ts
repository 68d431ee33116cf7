import { access, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startGitHub } from '#test/support/fake-github.ts'
import { createProject, startService, type ProjectAccess, type ServiceProcess } from '#test/support/service-process.ts'
import { getSite } from '#test/support/site.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'
import { openRunner, readAction, type Job } from './runner.ts'

async function open(): Promise<{ service: ServiceProcess; project: ProjectAccess }> {
  const service = await startService(await temporaryDirectory())
  onTestFinished(() => service.stop())
  return { service, project: await createProject(service.url, 'manual') }
}

const push = (message: string, inputs: Job['inputs']): Job => ({
  event: 'push',
  payload: { head_commit: { message } },
  inputs,
})

it('no script has a text of others in it: inputs and events come by the environment', async () => {
  const { runs } = await readAction()
  expect(runs.using).toBe('composite')
  for (const { run } of runs.steps) expect(run).not.toContain('${{')
})

it('a push goes live, with its address and its deploy as outputs', async () => {
  const { service, project } = await open()
  const runner = await openRunner({ 'docs/index.md': '# Pushed', 'src/main.c': 'int main;' })
  const inputs = { url: `${service.url}/`, key: project.key, directory: 'docs' }
  const { code, outputs, summary, log } = await runner.run(push('A new page\n\nAnd why', inputs))
  expect({ code, log }).toMatchObject({ code: 0 })
  expect(runner.asked).toEqual([])
  expect(outputs).toEqual({
    url: `http://manual.localhost:${service.port}`,
    deploy: expect.stringMatching(/^\w+$/) as string,
  })
  expect(summary).toContain(outputs['url'])
  expect((await getSite(service.port, 'manual.localhost', '/')).text).toContain('Pushed')
  const response = await fetch(`${service.url}/api/projects/manual/deploys`, {
    headers: { authorization: `Bearer ${project.session}` },
  })
  expect(await response.json()).toMatchObject({ items: [{ id: outputs['deploy'], message: 'A new page' }] })
})

it('what does not build is told at its lines, and nothing goes live; nor what has warnings, where that is strict', async () => {
  const { service, project } = await open()
  const runner = await openRunner({ 'docs/index.md': '# Home', 'docs/broken.mdx': '# Broken\n\n<Card>\n' })
  const inputs = { url: service.url, key: project.key, directory: 'docs' }
  const broken = await runner.run(push('Break it', inputs))
  expect(broken.code).toBe(3)
  expect(broken.log).toMatch(/^::error file=docs\/broken\.mdx,line=3,/m)
  expect(broken.outputs).toEqual({ url: '', deploy: '' })
  await writeFile(join(runner.workspace, 'docs', 'broken.mdx'), '# Mended\n\n[nowhere](/nowhere)\n')
  const strict = await runner.run(push('Mend it', { ...inputs, strict: 'true' }))
  expect(strict.code).toBe(3)
  expect((await getSite(service.port, 'manual.localhost', '/')).status).toBe(404)
  expect((await runner.run(push('Mend it', inputs))).code).toBe(0)
})

it('a pull request has a preview and one comment with its address, both kept up to date, until it is closed', async () => {
  const { service, project } = await open()
  const github = await startGitHub()
  onTestFinished(() => github.close())
  const runner = await openRunner({ 'docs/index.md': '# Live' })
  const inputs = { url: service.url, key: project.key, directory: 'docs' }
  expect((await runner.run(push('First', inputs))).code).toBe(0)
  const on = (action: string): Job => ({
    event: 'pull_request',
    payload: { action, pull_request: { number: 7 } },
    inputs,
    environment: { GITHUB_API_URL: github.url, GITHUB_REPOSITORY: 'acme/docs', GITHUB_TOKEN: 'ghs_secret' },
  })
  const preview = async () => (await getSite(service.port, 'manual--pr-7.localhost', '/')).text
  const url = `http://manual--pr-7.localhost:${service.port}`
  for (const [action, text] of [
    ['opened', 'Proposed'],
    ['synchronize', 'Proposed again'],
  ] as const) {
    await writeFile(join(runner.workspace, 'docs', 'index.md'), `# ${text}`)
    const { code, outputs, summary, log } = await runner.run(on(action))
    expect({ code, log }).toMatchObject({
      code: 0,
      log: expect.stringContaining('::notice title=Quire::Preview') as string,
    })
    expect(outputs).toEqual({ url, deploy: '' })
    expect(summary).toContain(url)
    expect(await preview()).toContain(text)
    expect(github.comments).toMatchObject([{ body: expect.stringContaining(url) as string }])
  }
  expect((await getSite(service.port, 'manual.localhost', '/')).text).toContain('Live')
  expect(await runner.run(on('closed'))).toMatchObject({ code: 0 })
  expect(await preview()).not.toContain('Proposed')
  expect(github.comments).toMatchObject([{ body: expect.stringContaining('closed') as string }])
  expect((await runner.run(on('closed'))).code).toBe(0)
})

it('what is wrong with its inputs is one sentence, and what they say is never run', async () => {
  const { service, project } = await open()
  const runner = await openRunner({ 'index.md': '# Home' })
  const told = async (inputs: Job['inputs']) => (await runner.run(push('Try', inputs))).log.match(/^::error .*$/m)?.[0]
  expect(await told({ url: 'docs.example.com', key: project.key })).toMatch(/url is not the address of a service/)
  expect(await told({ url: service.url, key: '' })).toMatch(/input key is empty/)
  expect(await told({ url: service.url, key: 'quire_wrong' })).toMatch(/key/)
  const trap = join(runner.workspace, 'trap')
  const evil = `$(touch ${trap})"; touch ${trap}; echo "\`touch ${trap}\``
  await writeFile(join(runner.workspace, 'index.md'), '# Safe')
  const { code } = await runner.run(push(evil, { url: service.url, key: project.key, directory: '.', message: evil }))
  expect(code).toBe(0)
  const all = { directory: evil, branch: evil, project: evil, strict: evil, preview: evil }
  await runner.run(push(evil, { url: service.url, key: project.key, ...all }))
  for (const name of ['url', 'key']) await runner.run(push(evil, { url: service.url, key: project.key, [name]: evil }))
  await expect(access(trap)).rejects.toThrow(/ENOENT/)
})

it('pull requests of forks, and those that are to be left alone, are passed by', async () => {
  const { service, project } = await open()
  const runner = await openRunner({ 'index.md': '# Home' })
  const pull = (inputs: Job['inputs']): Job => ({
    event: 'pull_request',
    payload: { action: 'opened', pull_request: { number: 7 } },
    inputs: { url: service.url, ...inputs },
  })
  expect(await runner.run(pull({ key: '' }))).toMatchObject({
    code: 0,
    log: expect.stringContaining('secrets are not given') as string,
  })
  expect(await runner.run(pull({ key: project.key, preview: 'false' }))).toMatchObject({
    code: 0,
    log: expect.stringContaining('left alone') as string,
  })
  expect((await getSite(service.port, 'manual.localhost', '/')).status).toBe(404)
})
