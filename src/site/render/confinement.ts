/** What keeps children from everything but the program and their project: prepared once, put on by each child. */
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { dist } from '../../lib/paths.ts'
import { childFilter, forkingFilter } from './calls.ts'
import { childProtections, type ChildProtection } from './isolation.ts'
import { mountFlags, type LibC } from './libc.ts'

const madvDoFork = 11
/** O_CLOEXEC */
const closedOnExec = 0o2000000
const sigkill = 9
/** Rights of Landlock to a folder: to read its files, and to list it. */
const readFiles = 1n << 2n
const listFolders = 1n << 3n
/** How many rights to files a version of Landlock knows; from the fourth on also connections, from the sixth signals and sockets. */
const fileRights = [0, 13, 14, 15, 15, 16]
const connectionRights = 0b11n
const scopes = 0b11n
/** Where the root folder of children is put together, over what is there: the service’s own view of it stays. */
const places = ['/tmp', '/mnt', '/srv', '/opt', '/media']

export class Confinement {
  readonly #libc: LibC
  /** Descriptors that children would share with the server, mostly of loops of Node’s other threads. */
  readonly #shared: ReadonlyMap<number, string>
  readonly #root: string | undefined
  readonly #rules: number | undefined
  readonly #lastCapability: number

  /**
   * Makes this process one that forks: it ends with the process that started it, no other of its user looks into it, its
   * memory comes along at a fork. It, too, gives up what it does not need.
   * @param ownMounts What it mounts is mounted for it and its children alone.
   * @throws Error where calls cannot be filtered
   */
  constructor(libc: LibC, ownMounts: boolean) {
    this.#libc = libc
    keepMemory(libc)
    this.#lastCapability = Number(readFileSync('/proc/sys/kernel/cap_last_cap', 'latin1'))
    this.#root = ownMounts ? mountRoot(libc) : undefined
    libc.dropCapabilities(this.#lastCapability)
    closeInherited(libc)
    this.#rules = fileRules(libc, [dist])
    const rules = fileRules(libc, [dist, '/proc'])
    if (rules !== undefined) {
      libc.restrict(rules)
      closeSync(rules)
    }
    libc.endWithParent()
    libc.closeMemory()
    this.#shared = channels()
  }

  /**
   * Makes this process a child: it ends with the process that forked it, and after so many seconds of processor time; it
   * cannot look into another, and sees the program alone. Comes last: after it no descriptor can be moved.
   * @param required A child without one of them ends at once.
   * @returns what holds
   */
  enter(cpuSeconds: number, required: ReadonlySet<ChildProtection> = new Set()): ReadonlySet<ChildProtection> {
    const libc = this.#libc
    this.#closeShared()
    // With it come the rights to have another root folder; they go below.
    libc.enterUserNamespace()
    const root = this.#root !== undefined && libc.chroot(this.#root)
    if (root) process.chdir('/')
    libc.closeMemory()
    libc.endWithParent()
    libc.limit(cpuSeconds)
    const landlock = this.#rules !== undefined && libc.restrict(this.#rules)
    if (this.#rules !== undefined) libc.close(this.#rules)
    const capabilities = libc.dropCapabilities(this.#lastCapability)
    const held = { root, landlock, capabilities, calls: true }
    const isWhole = [...required].every((name) => held[name])
    // Last: it refuses all that comes before.
    if (!isWhole || !libc.filter(childFilter(libc.pid()))) {
      if (required.size > 0) libc.raise(sigkill)
      held.calls = false
    }
    return new Set(childProtections.filter((name) => held[name]))
  }

  /** What is written to them would reach threads of the server. The loop of this one has made others since the fork. */
  #closeShared(): void {
    const own = this.#libc.loop
    for (const [descriptor, channel] of this.#shared)
      if (descriptor !== own && channelOf(descriptor) === channel) this.#libc.close(descriptor)
  }
}

/**
 * V8 asks the kernel that all it maps stays behind at a fork, since children commonly run another program. Ours run
 * that code. The kernel is told not to listen, and for what is mapped already the contrary: to say that before each fork
 * would be too early for what is mapped in between.
 */
function keepMemory(libc: LibC): void {
  if (!libc.filter(forkingFilter())) throw new Error('calls cannot be filtered')
  for (const [address, length] of memory()) libc.advise(address, length, madvDoFork)
}

/** All memory that V8 can have, as address and length: what lies between the system’s own mappings, which refuse advice. */
function memory(): readonly (readonly [bigint, bigint])[] {
  const ranges: (readonly [bigint, bigint])[] = []
  let from = 0n
  for (const line of readFileSync('/proc/self/maps', 'latin1').split('\n')) {
    const [, start, end] = /^([\da-f]+)-([\da-f]+) .*\[(?:stack|v\w+)\]$/.exec(line) ?? []
    if (start === undefined || end === undefined) continue
    const to = BigInt(`0x${start}`)
    if (to > from) ranges.push([from, to - from])
    from = BigInt(`0x${end}`)
  }
  return ranges
}

/**
 * Mounts a root folder that has the program alone, at its own path, read-only.
 * @returns where; undefined where the system does not allow it
 */
function mountRoot(libc: LibC): string | undefined {
  const place = places.find((path) => existsSync(path) && !dist.startsWith(`${path}/`))
  if (place === undefined) return undefined
  const { readOnly, noSuid, noDevices, noPrograms, remount, bind } = mountFlags
  const closed = noSuid | noDevices | noPrograms
  if (!libc.mount('tmpfs', place, 'tmpfs', closed, 'size=64k,mode=755')) return undefined
  const folder = place + dist
  mkdirSync(folder, { recursive: true })
  const isMounted =
    libc.mount(dist, folder, 'none', bind) &&
    libc.mount('none', folder, 'none', remount | bind | readOnly | closed) &&
    libc.mount('none', place, 'none', remount | readOnly | closed)
  return isMounted ? place : undefined
}

/**
 * Rules of Landlock: the files below these folders may be read, and nothing else be done with files, nor connections, nor
 * signals and sockets of others as far as the kernel knows rules for them.
 * @returns a descriptor; undefined where the kernel has no Landlock
 */
function fileRules(libc: LibC, folders: readonly string[]): number | undefined {
  const version = libc.landlockVersion
  if (version === 0) return undefined
  const attributes = Buffer.alloc(version >= 6 ? 24 : version >= 4 ? 16 : 8)
  const rights = fileRights[Math.min(version, fileRights.length - 1)] ?? 0
  attributes.writeBigUInt64LE((1n << BigInt(rights)) - 1n)
  if (version >= 4) attributes.writeBigUInt64LE(connectionRights, 8)
  if (version >= 6) attributes.writeBigUInt64LE(scopes, 16)
  const rules = libc.createRuleset(attributes)
  for (const folder of folders) {
    const descriptor = openSync(folder, 'r')
    const rule = Buffer.alloc(12)
    rule.writeBigUInt64LE(readFiles | listFolders)
    rule.writeInt32LE(descriptor, 8)
    libc.addRule(rules, rule)
    closeSync(descriptor)
  }
  return rules
}

/**
 * Closes what this process inherited of whoever started the service: a folder would outlast the root folder of children.
 * Node’s own descriptors, and those that it was given on purpose, are closed where another program begins.
 */
function closeInherited(libc: LibC): void {
  for (const descriptor of readdirSync('/proc/self/fd').map(Number)) {
    if (descriptor <= 2) continue
    try {
      const [, flags = ''] = /^flags:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1')) ?? []
      if ((Number.parseInt(flags, 8) & closedOnExec) === 0) libc.close(descriptor)
    } catch (error) {
      // Closed, as that is by which they are listed.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
}

/** Pipes, events and loops of this process by their descriptors. */
function channels(): ReadonlyMap<number, string> {
  const found = new Map<number, string>()
  for (const descriptor of readdirSync('/proc/self/fd').map(Number)) {
    const channel = channelOf(descriptor)
    if (channel !== undefined) found.set(descriptor, channel)
  }
  return found
}

/** Names the pipe, the event or, all by one name, a loop that a descriptor stands for; undefined for any other. */
function channelOf(descriptor: number): string | undefined {
  try {
    const target = readlinkSync(`/proc/self/fd/${descriptor}`)
    if (target.startsWith('pipe:') || target === 'anon_inode:[eventpoll]') return target
    if (target !== 'anon_inode:[eventfd]') return undefined
    const [id] = /^eventfd-id:.*$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1')) ?? []
    return id ?? target
  } catch (error) {
    // Closed, as that is by which they are listed.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
