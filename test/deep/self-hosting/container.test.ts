import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, cp, mkdir, readFile, stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import ignore from 'ignore'
import { expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { contract } from '#contract/index.ts'
import { root } from '#lib/paths.ts'
import { createProject, freePort } from '#test/support/service-process.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

const run = promisify(execFile)
const folder = join(root, 'self-hosting')
const isRoot = process.getuid?.() === 0
const nobody = 65_534

interface Instruction {
  readonly name: string
  readonly text: string
}

/** The stages of a Dockerfile: `FROM` begins one. */
async function stagesOf(file: string): Promise<Instruction[][]> {
  const text = (await readFile(join(folder, file), 'utf8')).replaceAll(/^#.*\n/gm, '').replaceAll(/\\\n/g, ' ')
  const stages: Instruction[][] = []
  for (const line of text.split('\n').filter((one) => one.trim() !== '')) {
    const [, name = '', rest = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? []
    if (name === 'FROM') stages.push([])
    stages.at(-1)?.push({ name, text: rest.trim() })
  }
  return stages
}

const textsOf = (stage: readonly Instruction[] | undefined, name: string): string[] =>
  (stage ?? []).filter((one) => one.name === name).map((one) => one.text)

it('the image is built of files that there are, and that nothing keeps from it', async () => {
  const excluded = ignore().add(
    (await readFile(join(folder, 'Dockerfile.dockerignore'), 'utf8'))
      .replaceAll(/^\*$/gm, '/*')
      .replaceAll(/^!(.+)$/gm, '!/$1'),
  )
  const stages = await stagesOf('Dockerfile')
  const names = stages.map((stage) => / AS (\w+)$/.exec(textsOf(stage, 'FROM')[0] ?? '')?.[1])
  expect(new Set(stages.map((stage) => textsOf(stage, 'FROM')[0]?.split(' ')[0]))).toEqual(
    new Set(['node:22-bookworm-slim']),
  )
  for (const copy of stages.flatMap((stage) => textsOf(stage, 'COPY'))) {
    const words = copy.split(/\s+/)
    const from = /^--from=(\w+)$/.exec(words[0] ?? '')?.[1]
    if (from !== undefined) expect(names).toContain(from)
    for (const source of from === undefined ? words.slice(0, -1) : []) {
      if (source === '.') continue
      await stat(join(root, source))
      expect({ source, excluded: excluded.ignores(source) }).toEqual({ source, excluded: false })
    }
  }
  for (const name of ['src', 'cli', 'scripts', 'test', 'tsconfig.json']) expect(excluded.ignores(name)).toBe(false)
  for (const name of ['node_modules', 'dist', 'repos', '.git']) expect(excluded.ignores(name)).toBe(true)
})

/** What the last stage is given: the packages that run, and `dist`. */
async function image(): Promise<{ readonly directory: string; readonly data: string }> {
  const home = await temporaryDirectory()
  await chmod(home, 0o711)
  const [directory, data] = [join(home, 'quire'), join(home, 'data')]
  const { stdout } = await run('npm', ['ls', '--omit=dev', '--all', '--parseable'], { cwd: root })
  for (const path of stdout.trim().split('\n').slice(1)) {
    const to = join(directory, relative(root, path))
    await mkdir(dirname(to), { recursive: true })
    await cp(path, to, { recursive: true })
  }
  await cp(join(root, 'package.json'), join(directory, 'package.json'))
  await cp(join(root, 'dist'), join(directory, 'dist'), { recursive: true })
  await mkdir(data)
  if (isRoot) await chown(data, nobody, nobody)
  return { directory, data }
}

it('the image runs as an ordinary user, knows whether it is well, and ends what it has begun before it goes', async () => {
  const stage = (await stagesOf('Dockerfile')).at(-1)
  expect(textsOf(stage, 'USER')).toEqual(['node'])
  const { directory, data } = await image()
  const port = await freePort()
  const settings = Object.fromEntries(
    textsOf(stage, 'ENV').flatMap((line) => line.split(/\s+/).map((pair) => pair.split('='))),
  )
  const env = {
    PATH: process.env['PATH'],
    ...settings,
    PORT: String(port),
    HOST: '127.0.0.1',
    DATA_DIR: data,
    RENDER_CHILDREN: '1',
  }
  const start = (command: readonly string[]): ChildProcess => {
    const as = isRoot
      ? [
          'setpriv',
          `--reuid=${nobody}`,
          `--regid=${nobody}`,
          '--clear-groups',
          '--no-new-privs',
          '--bounding-set=-all',
          '--inh-caps=-all',
        ]
      : []
    const [program = '', ...words] = [...as, ...command]
    return spawn(program, words, { cwd: directory, env, stdio: ['ignore', 'pipe', 'inherit'] })
  }
  const [command = '[]'] = textsOf(stage, 'CMD')
  const [health = '[]'] = textsOf(stage, 'HEALTHCHECK').map((text) => text.slice(text.indexOf('CMD ') + 4))
  const isWell = async (): Promise<boolean> => {
    const [code]: unknown[] = await once(start(JSON.parse(health) as string[]), 'exit')
    return code === 0
  }
  expect(await isWell()).toBe(false)
  const service = start(JSON.parse(command) as string[])
  const ended = once(service, 'exit')
  onTestFinished(() => void service.kill('SIGKILL'))
  while (!(await isWell())) {
    expect(service.exitCode).toBeNull()
    await sleep(100)
  }
  const { client } = await createProject(`http://localhost:${port}`, 'docs')
  const files = Array.from({ length: 200 }, (_, i) => ({
    path: `page-${i}.md`,
    content: `# ${i}\n\n${'text '.repeat(200)}`,
  }))
  const deploying = client.call(contract.deploys.create, {
    body: { files: [{ path: 'index.md', content: '# Home' }, ...files] },
  })
  const { slug } = { slug: 'docs' }
  for (;;) {
    const { items } = await client.call(contract.deploys.list, { params: { slug } })
    if (items.some(({ status }) => status === 'building')) break
  }
  service.kill('SIGTERM')
  expect((await deploying).status).toBe('live')
  expect(await ended).toEqual([0, null])
})

it('compose gives the service and the proxy what their files ask for', async () => {
  const { services } = parse(await readFile(join(folder, 'compose.yml'), 'utf8')) as {
    services: Record<
      'quire' | 'caddy',
      {
        build: { context: string; dockerfile: string }
        volumes: string[]
        stop_grace_period?: string
        environment: Record<string, string>
      }
    >
  }
  const { quire, caddy } = services
  await stat(join(folder, quire.build.context, quire.build.dockerfile))
  await stat(join(folder, caddy.build.dockerfile))
  for (const [from = ''] of caddy.volumes.map((volume) => volume.split(':')))
    if (from.startsWith('.')) await stat(join(folder, from))
  const given = [
    ...Object.keys(caddy.environment),
    ...(await readFile(join(folder, 'quire.env.example'), 'utf8')).matchAll(/^(\w+)=/gm),
  ].map((one) => (typeof one === 'string' ? one : one[1]))
  for (const file of ['Caddyfile', 'wildcard.caddy'])
    for (const [, name] of (await readFile(join(folder, file), 'utf8')).matchAll(/\{\$(\w+)/g))
      expect(given).toContain(name)
  expect(Number.parseInt(quire.stop_grace_period ?? '', 10)).toBeGreaterThan(30)
})
