import { execFile } from 'node:child_process'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { candidatesFor } from '#cli/completion/candidates.ts'
import { program } from '#cli/program.ts'
import { describeProgram } from '#cli/reference/command-tree.ts'
import { contract } from '#contract/index.ts'
import { dist } from '#lib/paths.ts'
import { quire } from '#test/support/command-line.ts'
import { createProject, type ProjectAccess } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'
import { removeDirectory } from '#test/support/temporary.ts'

const run = promisify(execFile)

let service: TestService
let project: ProjectAccess
/** A folder for `PATH` that has `quire`. */
let bin: string
let environment: Record<string, string>

beforeAll(async () => {
  service = await startTestService()
  project = await createProject(service.url, 'docs')
  const params = { slug: 'docs' }
  await project.client.call(contract.deploys.create, { body: { files: [{ path: 'index.md', content: '# Home' }] } })
  await project.client.call(contract.branches.create, { params, body: { name: 'new-api' } })
  bin = await mkdtemp(join(tmpdir(), 'quire-completion-'))
  const wrapper = `#!/bin/sh\nexec '${process.execPath}' '${join(dist, 'quire.js')}' "$@"\n`
  await writeFile(join(bin, 'quire'), wrapper, { mode: 0o755 })
  environment = { SERVICE_API_KEY: project.key, QUIRE_URL: service.url }
})
afterAll(async () => {
  await service.close()
  await removeDirectory(bin)
})

async function describedProgram(): Promise<typeof program> {
  await describeProgram()
  return program
}

/** What may stand at the end of a line. */
async function candidates(...words: string[]): Promise<string[]> {
  const { stdout, stderr, code } = await quire(['complete', '--', ...words], environment)
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 })
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t', 1)[0] ?? '')
}

describe('completion offers', () => {
  it('commands, those below them, and their options with the ones of all', async () => {
    expect(await candidates('depl')).toEqual(['deploy', 'deploys'])
    expect(await candidates('branch', 'cr')).toEqual(['create'])
    expect(await candidates('deploy', '--st')).toEqual(['--strict'])
    expect(await candidates('deploy', '--dry-run', '--js')).toEqual(['--json'])
    expect(await candidates('--project', 'docs', 'whoa')).toEqual(['whoami'])
  })

  it('values that are to be chosen from', async () => {
    expect(await candidates('completion', '')).toEqual(['bash', 'zsh', 'fish'])
  })

  it('names that the service has', async () => {
    expect(await candidates('publish', '')).toEqual(['new-api'])
    expect(await candidates('deploy', '--branch', 'new')).toEqual(['new-api'])
    expect(await candidates('deploy', '--project', '')).toEqual(['docs'])
  })

  it('no name of a service’s that a shell would run', async () => {
    const names = ['$(touch x)', '`x`', 'a b', "'", '-rf', 'feature/one', 'v1.0']
    const found = await candidatesFor(await describedProgram(), ['publish', ''], () => Promise.resolve(names))
    expect(found.map(({ word }) => word)).toEqual(['feature/one', 'v1.0'])
  })

  it('nothing, in silence, where the service does not answer', async () => {
    environment = { ...environment, QUIRE_URL: 'http://127.0.0.1:1' }
    expect(await candidates('publish', '')).toEqual([])
    environment = { ...environment, QUIRE_URL: service.url }
  })
})

describe('a shell completes', () => {
  async function said(shell: string, ...words: string[]): Promise<string[]> {
    const { stdout } = await run(shell, words, {
      env: { PATH: `${bin}:${process.env['PATH'] ?? ''}`, HOME: bin, ...environment },
      cwd: bin,
    })
    return stdout.trim().split('\n')
  }

  it('in bash', async () => {
    const script = `
      eval "$(quire completion bash)"
      COMP_WORDS=(quire publish new); COMP_CWORD=2; _quire
      printf '%s\\n' "\${COMPREPLY[@]}"`
    expect(await said('bash', '--norc', '-c', script)).toEqual(['new-api'])
  })

  it('in fish, with what each means, and names of files where nothing else is known', async () => {
    const ask = (line: string): string => `quire completion fish | source; complete -C '${line}'`
    expect(await said('fish', '--no-config', '-c', ask('quire whoa'))).toEqual([
      'whoami\tshow who you are, and where the credential is kept',
    ])
    expect(await said('fish', '--no-config', '-c', ask('quire deploy qui'))).toEqual(['quire'])
  })

  it('in zsh, with what each means, and names of files where nothing else is known', async () => {
    const script = `
      compdef() { }; _files() { print files }; _describe() { print -l $found }
      eval "$(quire completion zsh)"
      words=(quire whoa); CURRENT=2; _quire
      words=(quire deploy qui); CURRENT=3; _quire`
    expect(await said('zsh', '-f', '-c', script)).toEqual([
      'whoami:show who you are, and where the credential is kept',
      'files',
    ])
  })
})
