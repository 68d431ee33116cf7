// Somebody who has just found Quire: another user of the machine with an empty home, nothing in the environment, and a
// folder whose name has spaces and letters of other languages. Plain JavaScript, since nothing is installed yet.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** Minutes that one command may take: a first one installs and builds. */
const patience = 15

/** `nobody` of Debian, where the machine is ours to try another user. */
const otherUser = 65_534
const isRoot = process.getuid?.() === 0

/** What belongs to the machine and its network, such as the registry of npm, and not to a person. */
const machineSettings = Object.fromEntries(
  Object.entries(process.env).filter(([name]) =>
    /^(?:npm_config_(?:registry|cafile|nodedir)|node_extra_ca_certs|ssl_cert_file|https?_proxy|no_proxy)$/i.test(name),
  ),
)

export class Stranger {
  /** @param node the program to run as Node */
  constructor(checkout, node) {
    this.folder = mkdtempSync(join(tmpdir(), 'Quire für Gäste – '))
    this.home = join(this.folder, 'Zuhause')
    this.checkout = join(this.folder, 'quire – копия')
    const bin = join(this.folder, 'bin')
    for (const path of [this.home, bin]) mkdirSync(path)
    // `npm` is the machine's, run by the Node that is tried.
    symlinkSync(node, join(bin, 'node'))
    for (const name of ['npm', 'npx']) symlinkSync(join(dirname(process.execPath), name), join(bin, name))
    this.environment = {
      ...machineSettings,
      HOME: this.home,
      LANG: 'C.UTF-8',
      PATH: [join(this.home, '.local', 'bin'), bin, '/usr/bin', '/bin'].join(':'),
      // As a Node that one has installed for oneself has it.
      npm_config_prefix: join(this.home, '.local'),
    }
    execFileSync('git', ['clone', '--quiet', '--no-hardlinks', checkout, this.checkout])
    if (isRoot) this.#own(this.folder)
    this.running = new Set()
  }

  #own(path) {
    chownSync(path, otherUser, otherUser)
    for (const entry of readdirSync(path, { withFileTypes: true, recursive: true }))
      if (!entry.isSymbolicLink()) chownSync(join(entry.parentPath ?? entry.path, entry.name), otherUser, otherUser)
  }

  #spawn(command, { folder = this.checkout, settings = {} } = {}) {
    const environment = Object.entries({ ...this.environment, ...settings }).map(([name, value]) => `${name}=${value}`)
    const words = ['env', '-i', ...environment, 'bash', '-euo', 'pipefail', '-c', command]
    const as = isRoot ? ['setpriv', `--reuid=${otherUser}`, `--regid=${otherUser}`, '--clear-groups'] : []
    const [program, ...rest] = [...as, ...words]
    return spawn(program, rest, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  }

  /** Starts a command that goes on. */
  start(command, options) {
    const child = this.#spawn(command, options)
    const started = { child, command, said: '', closed: once(child, 'close') }
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        started.said += text
        if (process.env.VERBOSE) process.stderr.write(text)
      })
    this.running.add(started)
    void started.closed.then(() => this.running.delete(started))
    return started
  }

  /** Resolves with what a pattern found in what a command says. */
  async heard(started, pattern) {
    const until = Date.now() + patience * 60_000
    for (;;) {
      const found = pattern.exec(started.said)
      if (found !== null) return found
      if (!this.running.has(started)) throw new Error(`${started.command}: ended without ${pattern}\n${started.said}`)
      if (Date.now() > until) throw new Error(`${started.command}: no ${pattern}\n${started.said}`)
      await sleep(50)
    }
  }

  /** Does a command to its end. @returns what it said; throws where it ends with another code. */
  async does(command, { code: wanted = 0, ...options } = {}) {
    const started = this.start(command, options)
    const timer = setTimeout(() => this.#signal(started, 'SIGKILL'), patience * 60_000)
    const [code] = await started.closed
    clearTimeout(timer)
    if (code !== wanted) throw new Error(`${command}: ended with ${code}, not ${wanted}\n${started.said}`)
    return started.said
  }

  /** Ends a command as a person does who stops it, and sees that nothing of it goes on. */
  async ends(started, signal = 'SIGTERM') {
    started.child.kill(signal)
    const [code] = await started.closed
    const until = Date.now() + 30_000
    // What runs beside it stays.
    const others = new Set([...this.running].map((other) => other.child.pid))
    while (this.processes(others).length > 0 && Date.now() < until) await sleep(100)
    const left = this.processes(others)
    if (left.length > 0) throw new Error(`${started.command}: left processes behind: ${left.join('; ')}`)
    return code
  }

  #signal({ child }, signal) {
    try {
      process.kill(-child.pid, signal)
    } catch {
      // It has ended meanwhile.
    }
  }

  /** Command lines of all processes of this stranger. @param others sessions whose processes are left out */
  processes(others = new Set()) {
    const mine = []
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
        if (!environment.includes(`HOME=${this.home}`)) continue
        // proc(5): state, parent, group and session follow the name, which may hold anything.
        const [, , , session] = readFileSync(`/proc/${pid}/stat`, 'utf8')
          .replace(/^.*\) /s, '')
          .split(' ')
        if (others.has(Number(session))) continue
        mine.push(`${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()}`)
      } catch {
        // Gone, or not ours to look at.
      }
    }
    return mine
  }

  async leave() {
    for (const started of this.running) this.#signal(started, 'SIGKILL')
    for (const line of this.processes()) {
      try {
        process.kill(Number.parseInt(line, 10), 'SIGKILL')
      } catch {
        // It has ended meanwhile.
      }
    }
    await Promise.all([...this.running].map(({ closed }) => closed))
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
