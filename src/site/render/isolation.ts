/** What keeps a child, should a page ever take it over, from everything else: the names, the levels, and what to do. */
import { Failure } from '../../contract/failure.ts'

/** Seconds of processor time that a child has in its whole life; the kernel ends it then. */
export const childCpuSeconds = 60

/** Protections by their names, as the log says them. What holds is tried when the service starts, not believed. */
export const protections = {
  limits: 'limits of the kernel',
  user: 'unprivileged user',
  namespaces: 'namespaces (user, mount, network, IPC)',
  capabilities: 'no capabilities',
  calls: 'allow-list of system calls (seccomp)',
  root: 'root folder of its own',
  landlock: 'closed files (Landlock)',
} as const
export type Protection = keyof typeof protections

/** Those that each child puts on by itself; the others it has from the process that forked it. */
export const childProtections = ['capabilities', 'calls', 'root', 'landlock'] as const satisfies readonly Protection[]
export type ChildProtection = (typeof childProtections)[number]

/** Tells the process that forks children that what it mounts is mounted for it alone. */
export const ownMountsArgument = '--own-mounts'

/**
 * `strong`: it sees the program and no other file, process, socket or network; starts nothing, has no rights and limited
 * memory and time. Two protections close the files; one of them is enough. `weak`: anything less.
 */
export interface Isolation {
  readonly level: 'strong' | 'weak'
  readonly holds: readonly Protection[]
}

export function isolationOf(holds: ReadonlySet<Protection>): Isolation {
  const names = (Object.keys(protections) as Protection[]).filter((name) => holds.has(name))
  return { level: lacksOf(names).length === 0 ? 'strong' : 'weak', holds: names }
}

/** What an operator can do about a weak isolation, a sentence for each thing that is missing. */
export function lacksOf(holds: readonly Protection[], platform: string = process.platform): readonly string[] {
  if (platform !== 'linux') return ['Only Linux can isolate render children: run the service there.']
  const has = (name: Protection): boolean => holds.includes(name)
  const lacks: string[] = []
  if (!has('calls') || !has('capabilities'))
    lacks.push(
      'Install the optional package koffi (npm install --include=optional), on x64 or arm64, and run a kernel with seccomp.',
    )
  else if (!has('root') && !has('landlock'))
    lacks.push(
      'Run a kernel with Landlock (Linux 5.13 or newer, `landlock` in the setting `lsm`), or install util-linux and allow ' +
        'unprivileged user namespaces (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone=1, ' +
        'kernel.apparmor_restrict_unprivileged_userns=0).',
    )
  if (!has('limits')) lacks.push('Install a shell as /bin/sh that knows `ulimit`.')
  if (!has('user'))
    lacks.push('Run the service as an ordinary user, or let it become another one (CAP_SETUID, CAP_SETGID).')
  return lacks
}

/** @throws Failure `unavailable` with what to do, for a weak isolation that no setting allows */
export function requireIsolation({ level, holds }: Isolation, allowsWeak: boolean): void {
  if (level === 'strong' || allowsWeak) return
  throw new Failure('unavailable', 'What renders the pages of strangers cannot be isolated well enough here.', {
    hint: [
      ...lacksOf(holds),
      'ALLOW_WEAK_ISOLATION=yes starts the service all the same: only where you trust every author. See SECURITY.md.',
    ].join('\n'),
  })
}
