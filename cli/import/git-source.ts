import { spawn } from 'node:child_process'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Failure } from '../../src/contract/failure.ts'

/** A repository of more is looked at by cloning it first. */
const maxBytes = 2 * 1024 * 1024 * 1024
const checkEvery = 500
const longest = 15 * 60_000
const keptWords = 2_000

const address = /^(?:https?:\/\/|ssh:\/\/|git:\/\/|file:\/\/|[\w.-]+@[\w.-]+:)/

/** Whether somebody means a repository elsewhere and no folder. */
export const isGitAddress = (text: string): boolean => address.test(text)

/** An address without what opens a door. */
export const withoutSecrets = (text: string): string => text.replaceAll(/(\w+:\/\/)[^/@\s]+@/g, '$1')

export interface Cloned {
  readonly directory: string
  readonly remove: () => Promise<void>
}

/**
 * The newest commit of a repository in a folder of its own, which goes with it. Nothing of it is run: no hooks, no filters,
 * no submodules; links become files.
 * @param named `https://…/site.git`, perhaps with `#branch`
 */
export async function cloneShallow(named: string, signal: AbortSignal): Promise<Cloned> {
  const [, url = named, branch] = /^(.*?)(?:#([\w./-]+))?$/.exec(named) ?? []
  const directory = await mkdtemp(join(tmpdir(), 'quire-import-'))
  const remove = (): Promise<void> => rm(directory, { recursive: true, force: true, maxRetries: 3 })
  try {
    await clone(url, { directory, branch, signal })
  } catch (error) {
    await remove()
    throw error
  }
  return { directory, remove }
}

interface CloneOptions {
  readonly directory: string
  readonly branch: string | undefined
  readonly signal: AbortSignal
}

async function clone(url: string, { directory, branch, signal }: CloneOptions): Promise<void> {
  const settings = [
    'core.hooksPath=/dev/null',
    'core.symlinks=false',
    'protocol.ext.allow=never',
    'filter.lfs.smudge=',
    'filter.lfs.required=false',
  ]
  const words = [
    ...settings.flatMap((setting) => ['-c', setting]),
    'clone',
    '--quiet',
    '--depth=1',
    '--single-branch',
    '--no-tags',
    '--template=',
    ...(branch === undefined ? [] : ['--branch', branch]),
    '--',
    url,
    directory,
  ]
  const git = spawn('git', words, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, GIT_TERMINAL_PROMPT: '0', GIT_LFS_SKIP_SMUDGE: '1' },
  })
  let said = ''
  let isTooLarge = false
  git.stderr.on('data', (bytes: Buffer) => (said = (said + bytes.toString('utf8')).slice(-keptWords)))
  const end = (): void => void git.kill()
  signal.addEventListener('abort', end, { once: true })
  const deadline = setTimeout(end, longest)
  const look = async (): Promise<void> => {
    if ((await sizeOf(join(directory, '.git', 'objects'))) <= maxBytes) return
    isTooLarge = true
    end()
  }
  const watch = setInterval(() => void look(), checkEvery)
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      git.once('error', reject)
      git.once('close', resolve)
    })
    signal.throwIfAborted()
    if (code === 0) return
  } catch (error) {
    signal.throwIfAborted()
    throw new Failure('unavailable', 'git could not be started.', {
      hint: 'Install git, or name a folder.',
      cause: error,
    })
  } finally {
    clearTimeout(deadline)
    clearInterval(watch)
    signal.removeEventListener('abort', end)
  }
  const why = isTooLarge ? `It has more than ${maxBytes / 1024 ** 3} GB.` : reasonOf(said, branch)
  throw new Failure('invalid_request', `${withoutSecrets(url)} could not be cloned. ${why}`.trim(), {
    hint: 'Clone it yourself, and name the folder: quire import <folder>',
  })
}

/** What git says, in words that tell what to do; the first of these that it says. */
const reasons: readonly (readonly [RegExp, string])[] = [
  [/Remote branch .* not found/i, 'It has no branch of that name.'],
  [
    /Could not resolve host|Connection refused|timed out|Network is unreachable|Failed to connect/i,
    'Its host cannot be reached.',
  ],
  [
    /Authentication failed|could not read (?:Username|Password)|Permission denied|error: 40[13]/i,
    'It is private, or not there: it asks for a password or a key.',
  ],
  [
    /not found|does not exist|does not appear to be a git repository|error: 404/i,
    'There is no repository at that address.',
  ],
]

function reasonOf(said: string, branch: string | undefined): string {
  const known = reasons.find(([pattern]) => pattern.test(said))?.[1]
  if (known !== undefined) return branch === undefined ? known : known.replace('of that name', branch)
  const lines = said.trim().split('\n')
  return withoutSecrets(
    (lines.find((line) => /^(?:fatal|error):/.test(line)) ?? lines.at(-1) ?? '').replace(/^(?:fatal|error): /, ''),
  )
}

/** Bytes of the files in a folder; of those that are there at the moment. */
async function sizeOf(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => [])
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) =>
        stat(join(entry.parentPath, entry.name)).then(
          ({ size }) => size,
          () => 0,
        ),
      ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
