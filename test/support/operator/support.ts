import { execFileSync } from 'node:child_process'
import { createWriteStream, createReadStream } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, readdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { createClient, type Client } from '#client/client.ts'
import { readConfig } from '#config.ts'
import { Git } from '#content/git/git.ts'
import { Repositories } from '#content/repositories.ts'
import type { BackupSummary, CheckReport, RestoreSummary } from '#contract/operator.ts'
import { contract } from '#contract/index.ts'
import { backup } from '#operator/backup.ts'
import { check } from '#operator/check/check.ts'
import { createOperatorApp, type OperatorAppOptions } from '#http/operator/app.ts'
import { fetchFrom } from '#http/operator/in-process.ts'
import { readSnapshot, type Hold, type OperatedDirectory } from '#operator/projects.ts'
import { restore } from '#operator/restore.ts'
import { DataDirectory } from '#storage/directory/data-directory.ts'
import { createService, type Service } from '#wire.ts'
import { quickPasswords } from '#test/support/access.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { createProject, freePort } from '#test/support/service-process.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

export const git = new Git({ searchPath: process.env['PATH'] })
export const slug = 'docs'
const version = '0.0.0-test'
const quietly = (): void => undefined

/** A service in this process on a data directory. */
export async function serviceOn(directory: string): Promise<{ readonly service: Service; readonly port: number }> {
  const port = await freePort()
  const config = readConfig({ PATH: process.env['PATH'], PORT: String(port), DATA_DIR: directory })
  const service = await createService(config, {
    logger: pino({ level: 'silent' }),
    builder: new FakeBuilder(),
    passwords: quickPasswords(),
  })
  await service.listen()
  return { service, port }
}

/** A data directory as a service leaves it: a project with deploys, a branch with a preview, an account. */
export async function makeData(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'quire-operator-'))
  const { service, port } = await serviceOn(directory)
  const { client } = await createProject(`http://127.0.0.1:${port}`, slug)
  await deploy(client, { 'index.mdx': '# One', 'big.txt': 'a long text\n'.repeat(1000) })
  await deploy(client, { 'index.mdx': '# Two', 'big.txt': 'a long text\n'.repeat(1000) })
  const branch = await client.call(contract.branches.create, { params: { slug }, body: { name: 'work' } })
  await client.call(contract.comments.create, { params: { slug, id: branch.id }, body: { text: 'Good.' } })
  await previewed(client, branch.id)
  await service.close()
  const records = join(directory, slug, 'deliveries')
  await mkdir(records, { recursive: true })
  await writeFile(join(records, '00000001.jsonl'), '{"id":1}\n{"id":2}\n')
  return directory
}

export function deploy(client: Client, files: Readonly<Record<string, string>>): Promise<unknown> {
  return client.call(contract.deploys.create, {
    body: { files: Object.entries(files).map(([path, content]) => ({ path, content })) },
  })
}

async function previewed(client: Client, id: string): Promise<void> {
  // No `expect.poll`: this runs before the tests. One that never comes ends with the time of the hook.
  for (;;) {
    const { preview } = await client.call(contract.branches.read, { params: { slug, id } })
    if (preview.status === 'live') return
    await sleep(50)
  }
}

/** A copy that goes with the test. */
export async function copyOf(data: string): Promise<string> {
  const directory = join(await temporaryDirectory(), 'data')
  await cp(data, directory, { recursive: true })
  return directory
}

/** A client of an operator's endpoints in this process; those of accounts fail without rooms. */
export async function operatorClient(options: Partial<OperatorAppOptions>): Promise<Client> {
  const app = await createOperatorApp({
    rooms: () => Promise.reject(new Error('nothing is to be opened')),
    hold: () => Promise.reject(new Error('nothing is to be held')),
    logger: pino({ level: 'silent' }),
    ...options,
  })
  return createClient({ baseUrl: 'http://operator', fetch: fetchFrom(app) })
}

/** A directory as the operator reads it; only who asks for objects starts processes. */
export function operated(directory: string): OperatedDirectory {
  return { directory: new DataDirectory(directory), repositories: new Repositories({ directory, git }) }
}

/** Holds a project of a directory that nobody uses. */
export async function holdUnused(directory: string, name: string): Promise<Hold> {
  return { snapshot: await readSnapshot(operated(directory), name), release: () => undefined }
}

/** The operator of a directory that nobody uses. */
export function unused(directory: string): Promise<Client> {
  return operatorClient({ hold: (name) => holdUnused(directory, name) })
}

export async function checkOf(directory: string): Promise<CheckReport> {
  return check({ ...operated(directory), client: await unused(directory), shared: false, onProgress: quietly })
}

export async function backupOf(directory: string, file: string): Promise<BackupSummary> {
  return backupTo(directory, createWriteStream(file), await unused(directory))
}

export function backupTo(directory: string, sink: Writable, client: Client): Promise<BackupSummary> {
  return backup({ ...operated(directory), git, client, sink, version, now: () => new Date(), onProgress: quietly })
}

export function restoreInto(directory: string, file: string): Promise<RestoreSummary> {
  return restore({ source: createReadStream(file), directory, git, onProgress: quietly })
}

/** Runs git on the repository of the project. */
export function gitIn(directory: string, ...args: string[]): string {
  return execFileSync('git', ['--git-dir', join(directory, `${slug}.git`), ...args], { encoding: 'utf8' }).trim()
}

/**
 * Paths of all files of a folder with their bytes; without the repositories, whose packs may differ, and what a backup
 * does not have.
 */
export async function filesIn(directory: string): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const name = path.slice(directory.length + 1)
    if (entry.isFile() && !/^\.(?:lock|inventory|format)|\.previous$|^[^/]+\.git\//.test(name))
      files.set(name, await readFile(path, 'base64'))
  }
  return files
}
