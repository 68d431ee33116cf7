import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { dist } from '../../lib/paths.ts'
import { startProcess } from '../../lib/processes.ts'
import { childCpuSeconds, ownMountsArgument, type Protection } from './isolation.ts'

/** CPU seconds of the process that forks children; they have less. */
const serverCpuSeconds = 3600
/** Limits in the kernel: no core files, 1 GB of data, CPU seconds, no files written, few descriptors. */
const limitsOf = (cpuSeconds: number): readonly (readonly [flag: string, value: number])[] => [
  ['-c', 0],
  ['-d', 1_048_576],
  ['-t', cpuSeconds],
  ['-f', 0],
  ['-n', 64],
]

const nodeFlags = [
  '--max-old-space-size=512',
  // Highlighting makes much garbage, and patterns that run once: collecting and interpreting them costs more.
  '--max-semi-space-size=16',
  '--min-semi-space-size=16',
  '--no-regexp-tier-up',
  // Four times V8’s own: functions of a child that renders a few pages and ends are not worth optimising. Node 22 has
  // no such flag, and a compiler between the two.
  ...(process.versions.node.startsWith('20.') ? ['--interrupt-budget=540000'] : []),
  // What is forked has one thread: V8 must not count on others.
  '--single-threaded',
  '--v8-pool-size=0',
  '--disable-proto=delete',
  '--disallow-code-generation-from-strings',
]
const nobody = 65_534

/** What the process that forks children is started with, and they have from it. */
export interface Surroundings {
  /** Limits set by `ulimit`. */
  readonly limits: boolean
  /** Whom it runs as, where not as the user that starts it. */
  readonly user: number | undefined
  /** Namespaces of its own: no network, and mounts that nobody else sees. */
  readonly namespaces: boolean
}

/** Built from `start.ts`. */
const entry = join(dist, 'render-child.cjs')
/** What it is started with: the code that was compiled ahead is good for the same flags only. */
export const childArguments: readonly string[] = [...nodeFlags, entry]
const shell = '/bin/sh'
const unshare = ['/usr/bin/unshare', '/bin/unshare'].find((path) => existsSync(path))

function quote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`
}

/** glibc: one heap for all threads. Here only one of them allocates much; the heaps of others would stay half empty. */
const environment = { NODE_ENV: 'production', MALLOC_ARENA_MAX: '1' }

/**
 * Starts what forks children, or is one where nothing can be forked: nothing of our environment, the root folder, pipes
 * and nothing else.
 * @param program A file that begins what `start.ts` begins.
 */
export function startForkServer(
  { limits, user, namespaces }: Surroundings,
  canFork: boolean,
  program: string = entry,
): ChildProcess {
  const node = [process.execPath, ...nodeFlags, program, ...(namespaces ? [ownMountsArgument] : [])]
  const limited = limits
    ? [
        shell,
        '-c',
        `${limitsOf(canFork ? serverCpuSeconds : childCpuSeconds)
          .map(([flag, value]) => `ulimit ${flag} ${value}`)
          .join(' && ')} && exec ${node.map(quote).join(' ')}`,
      ]
    : node
  const [command = '', ...args] = namespaces && unshare !== undefined ? [unshare, '-Urmni', '--', ...limited] : limited
  return startProcess(command, args, {
    cwd: '/',
    env: environment,
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    windowsHide: true,
    ...(user === undefined ? {} : { uid: user, gid: user }),
  })
}

/** All combinations worth trying on this machine, the strongest first. */
export function candidates(): readonly Surroundings[] {
  const hasShell = existsSync(shell)
  const isRoot = process.getuid?.() === 0
  const all = [true, false].flatMap((limits) =>
    [nobody, undefined].flatMap((user) => [true, false].map((namespaces) => ({ limits, user, namespaces }))),
  )
  return all.filter(
    ({ limits, user, namespaces }) =>
      (!limits || hasShell) && (user === undefined || isRoot) && (!namespaces || unshare !== undefined),
  )
}

/** For pages of whoever runs this: limits of the kernel would end a child that stays for a day. */
export const ownSurroundings: Surroundings = { limits: false, user: undefined, namespaces: false }

/** What children have of how they are started. */
export function protectionsOf({ limits, user, namespaces }: Surroundings): readonly Protection[] {
  const isOrdinary = user !== undefined || process.getuid?.() !== 0
  return [
    ...(limits ? ['limits' as const] : []),
    ...(isOrdinary ? ['user' as const] : []),
    ...(namespaces ? ['namespaces' as const] : []),
  ]
}
