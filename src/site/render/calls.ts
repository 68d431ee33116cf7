/** The system calls that a child may make: a filter for the kernel (seccomp), an allow-list. */

/** How the kernel calls a platform (AUDIT_ARCH), and its numbers of calls. What a platform does not have is missing. */
interface Platform {
  readonly audit: number
  readonly calls: ReadonlyMap<string, number>
  /** Calls of which only some are allowed, by one of their arguments. */
  readonly limited: Readonly<Record<'openat' | 'ioctl' | 'fcntl' | 'tgkill', number>> & { readonly open?: number }
}

/** Reads a table of names and numbers. */
function numbered(table: string): ReadonlyMap<string, number> {
  return new Map([...table.matchAll(/(\w+) (\d+)/g)].map(([, name = '', number]) => [name, Number(number)]))
}

/** What V8, libuv and the C library need once a child has been forked and has opened its pipes; the most frequent first. */
const x64 = numbered(`
  read 0, write 1, epoll_wait 232, epoll_pwait 281, epoll_ctl 233, futex 202, getpid 39, gettid 186, mmap 9,
  mprotect 10, munmap 11, brk 12, mremap 25, madvise 28, pkey_mprotect 329, membarrier 324, pread64 17,
  readv 19, writev 20, lseek 8, close 3, dup 32, shutdown 48, getsockname 51, getsockopt 55, clock_gettime 228,
  clock_getres 229, clock_nanosleep 230, nanosleep 35, gettimeofday 96, getrusage 98, stat 4, fstat 5, lstat 6,
  newfstatat 262, statx 332, access 21, faccessat 269, faccessat2 439, readlink 89, readlinkat 267, getcwd 79,
  poll 7, ppoll 271, sched_yield 24, getrandom 318, rseq 334, rt_sigaction 13, rt_sigprocmask 14,
  rt_sigreturn 15, sigaltstack 131, restart_syscall 219, uname 63, sysinfo 99, getuid 102, getgid 104,
  geteuid 107, getegid 108, exit 60, exit_group 231
`)
const arm64 = numbered(`
  read 63, write 64, epoll_pwait 22, epoll_ctl 21, futex 98, getpid 172, gettid 178, mmap 222, mprotect 226,
  munmap 215, brk 214, mremap 216, madvise 233, pkey_mprotect 288, membarrier 283, pread64 67, readv 65,
  writev 66, lseek 62, close 57, dup 23, shutdown 210, getsockname 204, getsockopt 209, clock_gettime 113,
  clock_getres 114, clock_nanosleep 115, nanosleep 101, gettimeofday 169, getrusage 165, fstat 80,
  newfstatat 79, statx 291, faccessat 48, faccessat2 439, readlinkat 78, getcwd 17, ppoll 73, sched_yield 124,
  getrandom 278, rseq 293, rt_sigaction 134, rt_sigprocmask 135, rt_sigreturn 139, sigaltstack 132,
  restart_syscall 128, uname 160, sysinfo 179, getuid 174, getgid 176, geteuid 175, getegid 177, exit 93,
  exit_group 94
`)
const platforms: Readonly<Record<string, Platform>> = {
  x64: { audit: 0xc000003e, calls: x64, limited: { openat: 257, open: 2, ioctl: 16, fcntl: 72, tgkill: 234 } },
  arm64: { audit: 0xc00000b7, calls: arm64, limited: { openat: 56, ioctl: 29, fcntl: 25, tgkill: 131 } },
}

/** O_ACCMODE, O_CREAT, O_TRUNC and O_TMPFILE, the same on both platforms: files are opened for reading only. */
const writingFlags = 0o3 | 0o100 | 0o1000 | 0o20000000
/** FIONBIO, FIOCLEX and FIONREAD; TCGETS asks whether it is a terminal. */
const requests = [0x5421, 0x5451, 0x541b, 0x5401]
/** F_GETFD, F_SETFD, F_GETFL, F_SETFL: not who gets signals of a descriptor. */
const descriptorCommands = [1, 2, 3, 4]
const madvDontFork = 10

/** An instruction of a filter (BPF): where to go on, relative to the next, when `k` is met and when not. */
interface Instruction {
  readonly code: number
  readonly jt: number
  readonly jf: number
  readonly k: number
}
/** Length of one in an encoded filter. */
export const instructionBytes = 8

/** Reads a word of what the kernel says of a call: its number at 0, the platform at 4, arguments from 16, eight bytes each. */
const load = (k: number): Instruction => ({ code: 0x20, jt: 0, jf: 0, k })
const loadArgument = (index: number): Instruction => load(16 + 8 * index)
const skipUnless = (k: number, jf: number): Instruction => ({ code: 0x15, jt: 0, jf, k })
const skipUnlessAny = (k: number, jf: number): Instruction => ({ code: 0x45, jt: 0, jf, k })
const answer = (k: number): Instruction => ({ code: 0x06, jt: 0, jf: 0, k })
const allow = answer(0x7fff_0000)
/** The call is not made; EPERM. */
const refuse = answer(0x0005_0001)
/** The call is not made, and seems to have worked. */
const succeed = answer(0x0005_0000)
const killProcess = answer(0x8000_0000)

function platform(): Platform {
  const found = platforms[process.arch]
  if (found === undefined) throw new Error(`no numbers for ${process.arch}`)
  return found
}

/** The same on all platforms. */
const ioUringSetup = 425

/**
 * The filter of what forks: memory that V8 wants to stay behind at a fork comes along, and the loop that libuv makes in a
 * child is one without io_uring, which no filter can look into.
 * @throws Error on an unknown platform
 */
export function forkingFilter(): Buffer {
  const { audit, calls } = platform()
  const advice = on(calls.get('madvise') ?? -1, [loadArgument(2), skipUnless(madvDontFork, 1), succeed, allow])
  const rings = on(ioUringSetup, [refuse])
  return encode([load(4), skipUnless(audit, 1 + rings.length + advice.length), load(0), ...rings, ...advice, allow])
}

/** The filter of a child. @param pid Its own number: it may end itself with a signal, and no other process. */
export function childFilter(pid: number): Buffer {
  const { audit, calls, limited } = platform()
  const oneOf = (index: number, values: readonly number[]): readonly Instruction[] => [
    loadArgument(index),
    ...values.flatMap((value) => [skipUnless(value, 1), allow]),
    refuse,
  ]
  const reading = (index: number): readonly Instruction[] => [
    loadArgument(index),
    skipUnlessAny(writingFlags, 1),
    refuse,
    allow,
  ]
  return encode([
    load(4),
    ...unless(audit, [killProcess]),
    load(0),
    ...[...calls.values()].flatMap((number) => on(number, [allow])),
    ...on(limited.openat, reading(2)),
    ...(limited.open === undefined ? [] : on(limited.open, reading(1))),
    ...on(limited.ioctl, oneOf(1, requests)),
    ...on(limited.fcntl, oneOf(1, descriptorCommands)),
    ...on(limited.tgkill, oneOf(0, [pid])),
    refuse,
  ])
}

/** Instructions for everything but one value. */
const unless = (k: number, then: readonly Instruction[]): readonly Instruction[] => [
  { code: 0x15, jt: then.length, jf: 0, k },
  ...then,
]
/** Instructions for one call; they end with an answer. */
const on = (number: number, then: readonly Instruction[]): readonly Instruction[] => [
  skipUnless(number, then.length),
  ...then,
]

function encode(filter: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(filter.length * instructionBytes)
  for (const [index, { code, jt, jf, k }] of filter.entries()) {
    const at = index * instructionBytes
    bytes.writeUInt16LE(code, at)
    bytes.writeUInt8(jt, at + 2)
    bytes.writeUInt8(jf, at + 3)
    bytes.writeUInt32LE(k >>> 0, at + 4)
  }
  return bytes
}
