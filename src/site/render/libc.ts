/** What forking needs of Linux, of the C library and of libuv. Node has no words for it. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { dist } from '../../lib/paths.ts'
import type koffi from 'koffi'

/** Numbers of Linux, the same on all of its platforms. */
const madvDontFork = 10
const madvDoFork = 11
const prSetPdeathsig = 1
const prSetDumpable = 4
const prSetSeccomp = 22
const prSetNoNewPrivs = 38
const seccompModeFilter = 2
const cloneNewUser = 0x1000_0000
const rlimitCpu = 0
const afUnix = 1
const sockStream = 1
const sigkill = 9

/** Numbers of a platform: how the kernel calls it (AUDIT_ARCH), and its call of `madvise`. */
const platforms: Readonly<Record<string, { readonly audit: number; readonly madvise: number }>> = {
  x64: { audit: 0xc000003e, madvise: 28 },
  arm64: { audit: 0xc00000b7, madvise: 233 },
}

/** An instruction of a filter of calls (BPF): where to go on, relative to the next, when `k` is met and when not. */
interface Instruction {
  readonly code: number
  readonly jt: number
  readonly jf: number
  readonly k: number
}

/** Reads a word of what the kernel says of a call: its number at 0, the platform at 4, arguments from 16, eight bytes each. */
const load = (k: number): Instruction => ({ code: 0x20, jt: 0, jf: 0, k })
const skipUnless = (k: number, jf: number): Instruction => ({ code: 0x15, jt: 0, jf, k })
const answer = (k: number): Instruction => ({ code: 0x06, jt: 0, jf: 0, k })
/** The call is not made, and seems to have worked. */
const succeed = answer(0x0005_0000)
const allow = answer(0x7fff_0000)

/** How a child ended, in the system’s numbers. */
export interface ExitStatus {
  readonly code: number | null
  readonly signal: number | null
}

export class LibC {
  readonly #fork: () => number
  readonly #loopFork: (loop: unknown) => number
  readonly #defaultLoop: () => unknown
  readonly #backend: (loop: unknown) => number
  readonly #advise: (address: bigint, length: bigint, advice: number) => number
  readonly #socketPair: (domain: number, type: number, protocol: number, ends: Int32Array) => number
  readonly #waitPid: (pid: number, status: Int32Array, options: number) => number
  readonly #dup2: (from: number, to: number) => number
  readonly #prctl: (option: number, two: number, three: number, four: number, five: number) => number
  readonly #filterCalls: (option: number, mode: number, program: object) => number
  readonly #setLimit: (resource: number, limits: BigUint64Array) => number
  readonly #unshare: (flags: number) => number
  readonly #alarm: (seconds: number) => number
  /** Descriptors that children would share with the server, mostly of loops of Node’s other threads. */
  #shared: ReadonlyMap<number, string> = new Map()
  readonly close: (descriptor: number) => number
  /** Ends the process at once: a forked one has none of the threads that Node would wait for. */
  readonly exit: (code: number) => never

  /** @throws where the package has no build for this platform, or what is needed is missing. */
  constructor() {
    const native = createRequire(join(dist, 'render-child.cjs'))('koffi') as typeof koffi
    // Node’s own program holds libuv, and the C library that it is linked with.
    const library = native.load(null)
    const instruction = native.struct({ code: 'uint16', jt: 'uint8', jf: 'uint8', k: 'uint32' })
    const program = native.struct({ len: 'uint16', filter: native.pointer(instruction) })
    this.#fork = library.func('int fork()')
    this.#loopFork = library.func('int uv_loop_fork(void *loop)')
    this.#defaultLoop = library.func('void *uv_default_loop()')
    this.#backend = library.func('int uv_backend_fd(void *loop)')
    this.#unshare = library.func('int unshare(int flags)')
    this.#alarm = library.func('unsigned int alarm(unsigned int seconds)')
    this.#advise = library.func('int madvise(uint64_t address, uint64_t length, int advice)')
    this.#socketPair = library.func('int socketpair(int domain, int type, int protocol, _Out_ int *ends)')
    this.#waitPid = library.func('int waitpid(int pid, _Out_ int *status, int options)')
    this.#dup2 = library.func('int dup2(int from, int to)')
    this.#prctl = library.func('int prctl(int option, uint64_t two, uint64_t three, uint64_t four, uint64_t five)')
    this.#filterCalls = library.func('prctl', 'int', ['int', 'uint64_t', native.pointer(program)])
    this.#setLimit = library.func('int setrlimit(int resource, uint64_t *limits)')
    this.close = library.func('int close(int descriptor)')
    this.exit = library.func('void _exit(int code)') as unknown as LibC['exit']
  }

  /**
   * Makes this process one that forks: it ends with the process that started it, no other of its user looks into it, and
   * its memory comes along at a fork.
   * @throws Error where calls cannot be filtered
   */
  prepare(): void {
    this.#keepMemory()
    this.#endWithParent()
    this.#prctl(prSetDumpable, 0, 0, 0, 0)
    this.#shared = channels()
  }

  /**
   * Forks this process. The child has its memory, its loop and its descriptors, and this thread alone.
   * @returns 0 in the child, else the child’s number
   * @throws Error when the system has no process to give
   */
  fork(): number {
    const pid = this.#fork()
    if (pid < 0) throw new Error('fork failed')
    // The loop’s descriptors are shared by now: it makes others.
    if (pid === 0 && this.#loopFork(this.#defaultLoop()) !== 0) this.exit(1)
    return pid
  }

  /** Two descriptors connected with one another. */
  socketPair(): readonly [number, number] {
    const ends = new Int32Array(2)
    if (this.#socketPair(afUnix, sockStream, 0, ends) !== 0) throw new Error('socketpair failed')
    return [ends[0] ?? -1, ends[1] ?? -1]
  }

  /** Makes others stand for what a descriptor stands for, and closes it. */
  move(from: number, to: readonly number[]): void {
    for (const other of to) this.#dup2(from, other)
    this.close(from)
  }

  /**
   * Makes this process a child: it ends with the process that forked it, and after so many seconds of processor time.
   * Neither it nor another child looks into the other or into the server: each has a user namespace of its own, where
   * the system has them, and in any case memory that its user may not read.
   */
  isolate(cpuSeconds: number): void {
    // What is written to them would reach threads of the server. The loop of this one has made others since the fork.
    const own = this.#backend(this.#defaultLoop())
    for (const [descriptor, channel] of this.#shared)
      if (descriptor !== own && channelOf(descriptor) === channel) this.close(descriptor)
    this.#unshare(cloneNewUser)
    this.#prctl(prSetDumpable, 0, 0, 0, 0)
    this.#endWithParent()
    // At the first the system sends SIGXCPU, which says why; at the second SIGKILL.
    this.#setLimit(rlimitCpu, BigUint64Array.of(BigInt(cpuSeconds), BigInt(cpuSeconds + 1)))
  }

  /** The system ends this process after so many seconds, whatever it does. */
  endAfter(seconds: number): void {
    this.#alarm(seconds)
  }

  #endWithParent(): void {
    this.#prctl(prSetPdeathsig, sigkill, 0, 0, 0)
  }

  /** Waits, and all of this process with it, until a child has ended. */
  wait(pid: number): ExitStatus {
    const status = new Int32Array(1)
    if (this.#waitPid(pid, status, 0) !== pid) throw new Error(`waitpid failed for ${pid}`)
    const word = status[0] ?? 0
    const signal = word & 0x7f
    return signal === 0 ? { code: (word >> 8) & 0xff, signal: null } : { code: null, signal }
  }

  /**
   * V8 asks the kernel that all it maps stays behind at a fork, since children commonly run another program. Ours run
   * that code. The kernel is told not to listen, and for what is mapped already the contrary: to say that before each fork
   * would be too early for what is mapped in between.
   */
  #keepMemory(): void {
    const platform = platforms[process.arch]
    if (platform === undefined) throw new Error(`no numbers for ${process.arch}`)
    const filter = [
      load(4),
      skipUnless(platform.audit, 5),
      load(0),
      skipUnless(platform.madvise, 3),
      load(16 + 2 * 8),
      skipUnless(madvDontFork, 1),
      succeed,
      allow,
    ]
    const isFiltered =
      this.#prctl(prSetNoNewPrivs, 1, 0, 0, 0) === 0 &&
      this.#filterCalls(prSetSeccomp, seccompModeFilter, { len: filter.length, filter }) === 0
    if (!isFiltered) throw new Error('calls cannot be filtered')
    for (const [address, length] of memory()) this.#advise(address, length, madvDoFork)
  }
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
