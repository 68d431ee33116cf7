// Stands in the place of the render child’s program, or, with `--unprotected`, alone: tries what a page could that has
// taken over its child. Is told its targets in a first frame, and writes to standard output what came of each attempt:
// `done`, or why not. Native calls, as machine code would make them.
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const { createRequire } = require('node:module')
const paths = require('node:path')

const join = (...parts) => paths.join(...parts)
const program = join(__dirname, '../../../../dist/render-child.cjs')
const koffi = createRequire(program)('koffi')
const library = koffi.load(null)
const long = 'int64_t'
const call = library.func('syscall', long, [long, long, long, long, long, long, long])
const withText = library.func('syscall', long, [long, 'const char *', 'const char *', 'const char *', long, 'void *'])
const fork = library.func('int fork()')
const exit = library.func('void _exit(int code)')
const setOwner = library.func('fcntl', 'int', ['int', 'int', 'int'])
const socket = library.func('int socket(int domain, int type, int protocol)')
const connect = library.func('int connect(int descriptor, uint8_t *address, uint32_t length)')
const map = library.func('mmap', 'intptr_t', ['void *', 'uint64_t', 'int', 'int', 'int', long])

const nameOf = (number) => Object.entries(koffi.os.errno).find(([, value]) => value === number)?.[0] ?? String(number)
/** Throws what the system says where it does not do it. */
function must(result) {
  if (Number(result) < 0) throw new Error(nameOf(koffi.errno()))
  return Number(result)
}
const raw = (number, ...words) => must(call(number, ...Array.from({ length: 6 }, (_, index) => words[index] ?? 0)))

/** Numbers of x64: called with nothing, by which the kernel would say that this makes no sense. EPERM means: not even asked. */
const closedCalls = `
  execve 59, execveat 322, vfork 58, clone3 435, ptrace 101, process_vm_readv 310, process_vm_writev 311,
  socket 41, socketpair 53, connect 42, bind 49, listen 50, accept 43, accept4 288, sendto 44, sendmsg 46,
  recvmsg 47, mount 165, umount2 166, move_mount 429, open_tree 428, fsopen 430, fsmount 432, fspick 433,
  mount_setattr 442, pivot_root 155, chroot 161, unshare 272, setns 308, kill 62, tkill 200, tgkill 234,
  rt_sigqueueinfo 129, rt_tgsigqueueinfo 297, pidfd_open 434, pidfd_send_signal 424, pidfd_getfd 438,
  keyctl 250, add_key 248, request_key 249, bpf 321, perf_event_open 298, userfaultfd 323, kcmp 312,
  io_uring_setup 425, io_uring_enter 426, io_uring_register 427, open_by_handle_at 304, name_to_handle_at 303,
  memfd_create 319, memfd_secret 447, openat2 437, creat 85, truncate 76, ftruncate 77, unlink 87, unlinkat 263,
  rename 82, renameat2 316, link 86, symlink 88, mkdir 83, rmdir 84, chmod 90, chown 92, mknod 133,
  utimensat 280, setxattr 188, getdents64 217, chdir 80, fchdir 81, prctl 157, seccomp 317, prlimit64 302,
  setrlimit 160, capget 125, capset 126, setuid 105, setgid 106, setresuid 117, personality 135, shmget 29,
  msgget 68, semget 64, mq_open 240, inotify_init1 294, fanotify_init 300, init_module 175, finit_module 313,
  kexec_load 246, reboot 169, sethostname 170, swapon 167, acct 163, iopl 172, ioperm 173, settimeofday 164,
  adjtimex 159, syslog 103, quotactl 179, move_pages 279, migrate_pages 256, setpriority 141,
  sched_setaffinity 203, setpgid 109, setsid 112, vmsplice 278, landlock 444, landlock_add_rule 445,
  landlock_restrict_self 446, fork 57, clone 56, dup2 33, dup3 292, pipe 22, pipe2 293, eventfd2 290,
  timerfd_create 283, signalfd4 289, recvfrom 45, sendmmsg 307, recvmmsg 299, setsockopt 54, splice 275, tee 276,
  sendfile 40, copy_file_range 326, process_madvise 440, process_mrelease 448, io_setup 206, io_submit 209,
  mlock 149, mlockall 151, shmat 30, msgsnd 69, semop 65, mq_timedsend 242, arch_prctl 158, modify_ldt 154,
  get_robust_list 274, alarm 37, setitimer 38, timer_create 222, wait4 61, waitid 247, fallocate 285, flock 73,
  fsync 74, sync 162, syncfs 306, umask 95, fchmod 91, fchown 93, fchmodat 268, fchmodat2 452, mkdirat 258,
  mknodat 259, linkat 265, symlinkat 266, renameat 264, utime 132, pwrite64 18, pwritev 296, setgroups 116,
  sched_setscheduler 144, ioprio_set 251, mbind 237, set_mempolicy 238, remap_file_pages 216, pkey_alloc 330,
  futex_waitv 449, quotactl_fd 443, close_range 436, kexec_file_load 320, delete_module 176, vhangup 153,
  lsm_set_self_attr 460, listmount 458, clock_settime 227, getppid 110, getpgid 121,
  sched_getaffinity 204, tgkill_of_another 234, x32_read 1073741824, x32_write 1073741825, x32_openat 1073742081,
  x32_execve 1073742344, x32_ptrace 1073742345, x32_socket 1073741865, x32_kill 1073741886
`

/**
 * Calls of which only some may be made, each with words that none of those has: a command that pushes letters into a
 * terminal, that asks for signals, leases, seals or copies of a descriptor; files that are made, emptied or nameless.
 */
const closedForms = {
  'ioctl TIOCSTI': [16, 0, 0x5412],
  'ioctl TIOCSCTTY': [16, 0, 0x540e],
  'ioctl FIOASYNC': [16, 0, 0x5452],
  'ioctl FS_IOC_SETFLAGS': [16, 0, 0x4008_6602],
  'fcntl F_DUPFD': [72, 0, 0],
  'fcntl F_SETLK': [72, 0, 6],
  'fcntl F_SETSIG': [72, 0, 10],
  'fcntl F_SETLEASE': [72, 0, 1024],
  'fcntl F_NOTIFY': [72, 0, 1026],
  'fcntl F_SETPIPE_SZ': [72, 0, 1031],
  'fcntl F_ADD_SEALS': [72, 0, 1033],
  'open O_WRONLY': [2, 0, 1],
  'open O_CREAT': [2, 0, 0o100],
  'openat O_RDWR': [257, -100, 0, 2],
  'openat O_TRUNC': [257, -100, 0, 0o1000],
  'openat O_TMPFILE': [257, -100, 0, 0o20200000],
}

/** Of a name without a file, too, as older libuv makes it: the rest is zeros. */
function unixAddress(path) {
  const bytes = Buffer.alloc(110)
  bytes.writeUInt16LE(1)
  bytes.write(path, 2)
  return [bytes, bytes.length]
}

function loopback(port) {
  const bytes = Buffer.alloc(16)
  bytes.writeUInt16LE(2)
  bytes.writeUInt16BE(port, 2)
  bytes.set([127, 0, 0, 1], 4)
  return [bytes, 16]
}

function connected(domain, [address, length]) {
  const descriptor = must(socket(domain, 1, 0))
  must(connect(descriptor, address, length))
  return descriptor
}

/** As `quire admin` does it, with the key where it can be had. */
function resetPassword({ data, email }) {
  const key = fs.existsSync(join(data, '.admin.key')) ? fs.readFileSync(join(data, '.admin.key'), 'utf8') : ''
  const body = JSON.stringify({ email, password: 'taken over by a page' })
  const descriptor = connected(1, unixAddress(join(data, '.admin.sock')))
  fs.writeSync(
    descriptor,
    `POST /operator/accounts/password HTTP/1.1\r\nhost: operator\r\nauthorization: Bearer ${key}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  )
  const answer = Buffer.alloc(1000)
  const text = answer.toString('utf8', 0, fs.readSync(descriptor, answer))
  if (!text.startsWith('HTTP/1.1 200')) throw new Error(text.slice(0, 40))
}

function forked() {
  const pid = must(fork())
  if (pid === 0) exit(0)
}

const attempts = {
  'read the accounts': ({ data }) => fs.readFileSync(join(data, '_service.json')),
  'list the data directory': ({ data }) => fs.readdirSync(data),
  'read the repository of another': ({ data, repository }) => fs.readFileSync(join(data, repository, 'HEAD')),
  'open a file of the data directory for writing': ({ data }) => fs.closeSync(fs.openSync(join(data, 'victim'), 'r+')),
  'make a file in the data directory': ({ data }) => fs.closeSync(fs.openSync(join(data, 'made'), 'w')),
  'rename a file of the data directory': ({ data }) => fs.renameSync(join(data, 'victim'), join(data, 'moved')),
  'delete a file of the data directory': ({ data }) => fs.unlinkSync(join(data, 'moved')),
  'write to /tmp': ({ folder }) => fs.closeSync(fs.openSync(join(folder, 'made'), 'w')),
  'change the program': () => fs.accessSync(program, fs.constants.W_OK) || fs.closeSync(fs.openSync(program, 'r+')),
  'read a file of the system': () => fs.readFileSync('/etc/passwd'),
  'read a file through parents of the root folder': () => fs.readFileSync('../../../../../../../../etc/passwd'),
  'read the program of Node': () => fs.closeSync(fs.openSync(process.execPath, 'r')),
  'list the root folder': () => fs.readdirSync('/'),
  'reset a password through the socket of the operator': resetPassword,
  'connect to a port': ({ port }) => connected(2, loopback(port)),
  'connect to an abstract socket': ({ abstract }) => {
    const [address, length] = unixAddress(abstract)
    try {
      connected(1, [address, length])
    } catch {
      connected(1, [address, 2 + abstract.length])
    }
  },
  'see processes': () => fs.readdirSync('/proc').find((name) => /^\d+$/.test(name)).length,
  'read what another process was started with': ({ victim }) => fs.readFileSync(`/proc/${victim}/environ`),
  'open the memory of another process': ({ victim }) => fs.openSync(`/proc/${victim}/mem`, 'r+'),
  'read the memory of its parent': () => fs.openSync(`/proc/${process.ppid}/mem`, 'r'),
  'signal another process': ({ victim }) => raw(62, victim),
  'have another process signalled': ({ victim }) => must(setOwner(0, 8, victim)),
  'signal a thread of another process': ({ victim }) => raw(234, victim, victim, 0),
  'trace another process': ({ victim }) => raw(101, 0x4206, victim),
  'make a process': forked,
  'make many processes': () => Array.from({ length: 200 }, forked),
  'run a program': () => execFileSync('/bin/true'),
  'run Node': () => execFileSync(process.execPath, ['-e', '0']),
  'make namespaces by a program': () => execFileSync('/usr/bin/unshare', ['-Urmn', '/bin/true']),
  'make a user namespace': () => raw(272, 0x1000_0000),
  mount: () => must(withText(165, 'tmpfs', '/tmp', 'tmpfs', 0, null)),
  'map 2 GB of memory': () => must(map(null, 2 ** 31, 3, 0x4022, -1, 0)),
  'open a hundred files': () => Array.from({ length: 100 }, () => fs.openSync(program, 'r')).map(fs.closeSync),
}
/** Only EPERM says that the kernel was not asked. */
const tryCall = (name, words) => {
  attempts[`call ${name}`] = () => {
    const result = Number(call(...Array.from({ length: 7 }, (_, index) => words[index] ?? 0)))
    const error = nameOf(koffi.errno())
    if (result < 0 && error === 'EPERM') throw new Error(error)
  }
}
if (process.arch === 'x64' && !process.argv.includes('--unprotected')) {
  for (const [, name, number] of closedCalls.matchAll(/(\w+) (\d+)/g)) tryCall(name, [Number(number), -1])
  for (const [name, words] of Object.entries(closedForms)) tryCall(name, words)
}

/** Answers the first frame. */
function attempt() {
  const read = (length) => {
    const bytes = Buffer.alloc(length)
    for (let at = 0; at < length;) at += fs.readSync(0, bytes, at, length - at, null)
    return bytes
  }
  const targets = JSON.parse(JSON.parse(read(read(4).readUInt32BE()).toString()).source)
  const came = Object.entries(attempts).map(([name, run]) => {
    try {
      run(targets)
      return [name, 'done']
    } catch (error) {
      return [name, error.code ?? error.message]
    }
  })
  fs.writeSync(1, JSON.stringify(Object.fromEntries(came)))
}

if (process.argv.includes('--unprotected')) attempt()
else {
  // Only children call it.
  const disconnect = process.disconnect.bind(process)
  process.disconnect = () => {
    disconnect()
    attempt()
    exit(0)
  }
  require(program)
}
