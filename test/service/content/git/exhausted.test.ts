import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { Git } from '#content/git/git.ts'
import { Transport } from '#content/git/transport.ts'
import { GitObjectDatabase } from '#content/objects/git-object-database.ts'
import { Refs } from '#content/refs/refs.ts'
import { shortageOf } from '#lib/processes.ts'
import { startForkServer } from '#site/render/process.ts'
import { newRepository } from '#test/support/content/support.ts'

/** What the function gives while this process can open nothing more. */
async function withoutDescriptors<T>(work: () => Promise<T>): Promise<T> {
  const [, soft = ''] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
  const limit = (descriptors: string) => `prlimit --pid ${process.pid} --nofile=${descriptors}:`
  // Started before: it has to give the limit back.
  const helper = spawn('/bin/sh', ['-c', `${limit('4')} && echo taken; read line; ${limit(soft)} && echo given`])
  await once(helper.stdout, 'data')
  try {
    return await work()
  } finally {
    helper.stdin.end('\n')
    await once(helper.stdout, 'data')
  }
}

it('refuses for the moment what needs a process where no descriptor is left, and ends nothing else', async () => {
  const { directory } = await newRepository()
  const git = new Git({ searchPath: process.env['PATH'] })
  const objects = new GitObjectDatabase(git, directory)
  const refs = new Refs(git, directory)
  const transport = new Transport({ git, concurrency: 1 })
  const signal = new AbortController().signal
  const none = '0'.repeat(40)
  const fetchOf = (input: Readable | null) =>
    transport.uploadPack({ directory, protocol: 'version=2', input, signal, onError: () => undefined })
  const asked: Readonly<Record<string, () => Promise<unknown>>> = {
    'a git that runs to its end': () => git.run(['--version']),
    'one whose lines are read': () => git.lines(['rev-list', '--stdin'], { directory, input: [none], signal }).next(),
    'an object': () => objects.read(none),
    'a ref': () => refs.update([{ ref: 'refs/heads/main', old: null, new: none }]),
    'a fetch': () => fetchOf(null),
    'the renderer': async () => startForkServer({ limits: false, user: undefined, namespaces: false }, false),
  }
  const told = await withoutDescriptors(async () => {
    const answers: Record<string, unknown> = {}
    for (const [name, ask] of Object.entries(asked))
      answers[name] = await ask().catch((error: unknown) => (shortageOf(error) ?? (error as { code?: unknown })).code)
    return answers
  })
  expect(told).toEqual(Object.fromEntries(Object.keys(asked).map((name) => [name, 'unavailable'])))
  // The place of the fetch was given back, and all of it works again.
  expect(await objects.read(none)).toBeNull()
  const answer = await fetchOf(null)
  expect(Buffer.concat(await answer.toArray()).toString()).toContain('ls-refs')
  await Promise.all([objects.close(), refs.close()])
})
