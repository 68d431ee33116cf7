/** What forking and confining need of Linux, of the C library and of libuv. Node has no words for it. */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { dist } from '../../lib/paths.ts'
import { instructionBytes } from './calls.ts'
import type koffi from 'koffi'

/** Numbers of Linux, the same on all of its platforms. */
const prSetPdeathsig = 1
const prSetDumpable = 4
const prSetSeccomp = 22
const prCapbsetDrop = 24
const prSetNoNewPrivs = 38
const prCapAmbient = 47
const prCapAmbientClearAll = 4
const seccompModeFilter = 2
const capabilityVersion3 = 0x2008_0522
const landlockCreateRuleset = 444n
const landlockAddRule = 445n
const landlockRestrictSelf = 446n
const landlockVersion = 1n
const landlockPathBeneath = 1n
const cloneNewUser = 0x1000_0000
const rlimitCpu = 0
const rlimitProcesses = 6
const afUnix = 1
const sockStream = 1
const sigkill = 9

/** Flags of `mount`. */
export const mountFlags = {
  readOnly: 1n,
  noSuid: 2n,
  noDevices: 4n,
  noPrograms: 8n,
  remount: 32n,
  bind: 4096n,
} as const

/** How a child ended, in the system’s numbers. */
export interface ExitStatus {
  readonly code: number | null
  readonly signal: number | null
}

type Prctl = (option: number, two: number, three: number, four: number, five: number) => number

/** Calls of the C library. Where nothing else is said, each tells whether it worked. */
export class LibC {
  readonly #fork: () => number
  readonly #loopFork: (loop: unknown) => number
  readonly #defaultLoop: () => unknown
  readonly #backend: (loop: unknown) => number
  readonly #advise: (address: bigint, length: bigint, advice: number) => number
  readonly #socketPair: (domain: number, type: number, protocol: number, ends: Int32Array) => number
  readonly #waitPid: (pid: number, status: Int32Array, options: number) => number
  readonly #dup2: (from: number, to: number) => number
  readonly #prctl: Prctl
  readonly #filterCalls: (option: number, mode: number, program: object) => number
  readonly #setLimit: (resource: number, limits: BigUint64Array) => number
  readonly #unshare: (flags: number) => number
  readonly #chroot: (path: string) => number
  readonly #mount: (from: string, to: string, type: string, flags: bigint, data: string) => number
  readonly #getCapabilities: (header: Uint32Array, sets: Uint32Array) => number
  readonly #setCapabilities: (header: Uint32Array, sets: Uint32Array) => number
  readonly #callWithBytes: (call: bigint, bytes: Buffer | null, two: bigint, three: bigint) => number
  readonly #callWithRule: (call: bigint, ruleset: bigint, type: bigint, rule: Buffer, flags: bigint) => number
  readonly #call: (call: bigint, one: bigint, two: bigint) => number
  readonly #alarm: (seconds: number) => number
  /** Number of this process: Node’s own word for it is, after a fork, that of the server. */
  readonly pid: () => number
  /** Sends this process a signal. */
  readonly raise: (signal: number) => number
  readonly close: (descriptor: number) => number
  /** Ends the process at once: a forked one has none of the threads that Node would wait for. */
  readonly exit: (code: number) => never

  /** @throws where the package has no build for this platform, or what is needed is missing. */
  constructor() {
    const native = createRequire(join(dist, 'render-child.cjs'))('koffi') as typeof koffi
    // Node’s own program holds libuv, and the C library that it is linked with.
    const library = native.load(null)
    const program = native.struct({ length: 'uint16', filter: 'uint8_t *' })
    this.#fork = library.func('int fork()')
    this.#loopFork = library.func('int uv_loop_fork(void *loop)')
    this.#defaultLoop = library.func('void *uv_default_loop()')
    this.#backend = library.func('int uv_backend_fd(void *loop)')
    this.#unshare = library.func('int unshare(int flags)')
    this.#chroot = library.func('int chroot(const char *path)')
    this.#mount = library.func(
      'int mount(const char *from, const char *to, const char *type, uint64_t flags, const char *data)',
    )
    this.#alarm = library.func('unsigned int alarm(unsigned int seconds)')
    this.#advise = library.func('int madvise(uint64_t address, uint64_t length, int advice)')
    this.#socketPair = library.func('int socketpair(int domain, int type, int protocol, _Out_ int *ends)')
    this.#waitPid = library.func('int waitpid(int pid, _Out_ int *status, int options)')
    this.#dup2 = library.func('int dup2(int from, int to)')
    this.#prctl = library.func('int prctl(int option, uint64_t two, uint64_t three, uint64_t four, uint64_t five)')
    this.#filterCalls = library.func('prctl', 'int', ['int', 'uint64_t', native.pointer(program)])
    this.#setLimit = library.func('int setrlimit(int resource, uint64_t *limits)')
    this.#getCapabilities = library.func('int capget(uint32_t *header, _Out_ uint32_t *sets)')
    this.#setCapabilities = library.func('int capset(uint32_t *header, uint32_t *sets)')
    const [long, bytes] = ['int64_t', 'uint8_t *']
    this.#callWithBytes = library.func('syscall', 'int64_t', [long, bytes, long, long])
    this.#callWithRule = library.func('syscall', 'int64_t', [long, long, long, bytes, long])
    this.#call = library.func('syscall', 'int64_t', [long, long, long])
    this.pid = library.func('int getpid()')
    this.raise = library.func('int raise(int signal)')
    this.close = library.func('int close(int descriptor)')
    this.exit = library.func('void _exit(int code)') as unknown as LibC['exit']
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

  /** Waits, and all of this process with it, until a child has ended. */
  wait(pid: number): ExitStatus {
    const status = new Int32Array(1)
    if (this.#waitPid(pid, status, 0) !== pid) throw new Error(`waitpid failed for ${pid}`)
    const word = status[0] ?? 0
    const signal = word & 0x7f
    return signal === 0 ? { code: (word >> 8) & 0xff, signal: null } : { code: null, signal }
  }

  /** Two descriptors connected with one another. @throws Error when the system, or a filter of calls, has none to give */
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

  /** Descriptor of the loop of this thread. */
  get loop(): number {
    return this.#backend(this.#defaultLoop())
  }

  /** The system ends this process with the one that started or forked it. */
  endWithParent(): void {
    this.#prctl(prSetPdeathsig, sigkill, 0, 0, 0)
  }

  /** The system ends this process after so many seconds, whatever it does. */
  endAfter(seconds: number): void {
    this.#alarm(seconds)
  }

  /** No other process of its user reads its memory. */
  closeMemory(): void {
    this.#prctl(prSetDumpable, 0, 0, 0, 0)
  }

  /** Says what becomes of memory at a fork. */
  advise(address: bigint, length: bigint, advice: number): void {
    this.#advise(address, length, advice)
  }

  /** Limits what it uses of the processor, and leaves it no other process to start. */
  limit(cpuSeconds: number): boolean {
    // At the first the system sends SIGXCPU, which says why; at the second SIGKILL.
    const cpu = this.#setLimit(rlimitCpu, BigUint64Array.of(BigInt(cpuSeconds), BigInt(cpuSeconds + 1)))
    return cpu === 0 && this.#setLimit(rlimitProcesses, BigUint64Array.of(0n, 0n)) === 0
  }

  /** From now on the kernel asks this filter, too, before it does what this process calls for. Nothing takes it back. */
  filter(instructions: Buffer): boolean {
    return (
      this.#prctl(prSetNoNewPrivs, 1, 0, 0, 0) === 0 &&
      this.#filterCalls(prSetSeccomp, seccompModeFilter, {
        length: instructions.length / instructionBytes,
        filter: instructions,
      }) === 0
    )
  }

  /** A user namespace of its own, with all rights inside it. */
  enterUserNamespace(): boolean {
    return this.#unshare(cloneNewUser) === 0
  }

  chroot(path: string): boolean {
    return this.#chroot(path) === 0
  }

  mount(from: string, to: string, type: string, flags: bigint, data = ''): boolean {
    return this.#mount(from, to, type, flags, data) === 0
  }

  /** Gives up all rights of this thread, for ever: nothing that it starts gets one back. */
  dropCapabilities(last: number): boolean {
    this.#prctl(prSetNoNewPrivs, 1, 0, 0, 0)
    // Only who has rights may say that; who has none has nothing to lose.
    for (let capability = 0; capability <= last; capability++) this.#prctl(prCapbsetDrop, capability, 0, 0, 0)
    this.#prctl(prCapAmbient, prCapAmbientClearAll, 0, 0, 0)
    const header = Uint32Array.of(capabilityVersion3, 0)
    if (this.#setCapabilities(header, new Uint32Array(6)) !== 0) return false
    const sets = new Uint32Array(6).fill(1)
    return this.#getCapabilities(header, sets) === 0 && sets.every((word) => word === 0)
  }

  /** Version of Landlock that the kernel has; 0 for none. */
  get landlockVersion(): number {
    return Math.max(0, this.#callWithBytes(landlockCreateRuleset, null, 0n, landlockVersion))
  }

  /** @returns a descriptor. @throws Error */
  createRuleset(attributes: Buffer): number {
    return worked(this.#callWithBytes(landlockCreateRuleset, attributes, BigInt(attributes.length), 0n))
  }

  /** @throws Error */
  addRule(ruleset: number, rule: Buffer): void {
    worked(this.#callWithRule(landlockAddRule, BigInt(ruleset), landlockPathBeneath, rule, 0n))
  }

  /** Rules of files hold for this thread from now on, and for what it forks. */
  restrict(ruleset: number): boolean {
    this.#prctl(prSetNoNewPrivs, 1, 0, 0, 0)
    return this.#call(landlockRestrictSelf, BigInt(ruleset), 0n) === 0
  }
}

function worked(result: number): number {
  if (result < 0) throw new Error('the kernel takes no such rules of files')
  return result
}
