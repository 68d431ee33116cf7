import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { root } from '#lib/paths.ts'
import { Forker, type Child, type Exit } from '#site/render/forker.ts'
import { candidates, childArguments, startForkServer } from '#site/render/process.ts'
import { encodeFrame, FrameReader, FromChild } from '#site/render/protocol.ts'
import { Value } from 'typebox/value'

const [surroundings] = candidates()
const servers: ChildProcess[] = []
let forker: Forker

function open(start: (canFork: boolean) => ChildProcess): Forker {
  forker = new Forker((canFork) => {
    const server = start(canFork)
    servers.push(server)
    return server
  })
  return forker
}

function openProtected(): Forker {
  return open((canFork) => {
    if (surroundings === undefined) throw new Error('there is no way to start it')
    return startForkServer(surroundings, canFork)
  })
}

afterEach(() => {
  forker.close()
  servers.splice(0)
})

/** A child, what it said, and its end. */
class Started {
  readonly child: Child
  readonly said: FromChild[] = []
  readonly end: Promise<Exit>
  readonly #frames = new FrameReader((message): message is FromChild => Value.Check(FromChild, message))

  private constructor(from: Forker, started: () => void) {
    let ended: (exit: Exit) => void = () => undefined
    this.end = new Promise((resolve) => {
      ended = resolve
    })
    this.child = from.fork({ started, read: (chunk) => this.said.push(...this.#frames.push(chunk)), ended })
  }

  static async fork(from: Forker): Promise<Started> {
    let child: Started | undefined
    await new Promise<void>((resolve) => {
      child = new Started(from, resolve)
    })
    if (child === undefined) throw new Error('there is no child')
    return child
  }

  get pid(): number {
    return this.child.pid ?? 0
  }

  async render(source: string): Promise<string> {
    this.child.write(encodeFrame({ type: 'render', id: 1, build: 1, path: 'a.mdx', oid: 'a', source }))
    const { outcome } = await vi.waitUntil(() => this.said.find((message) => message.type === 'outcome'), 5000)
    return outcome.ok ? outcome.page.artifact.html : JSON.stringify(outcome.errors)
  }
}

/** Sockets, pipes and events that a process has: what another has, too, connects the two. */
function channelsOf(pid: number): Set<string> {
  const targets = readdirSync(`/proc/${pid}/fd`).map((descriptor) => {
    const target = readlinkSync(`/proc/${pid}/fd/${descriptor}`)
    const [event] = /eventfd-id:\s+\d+/.exec(readFileSync(`/proc/${pid}/fdinfo/${descriptor}`, 'utf8')) ?? []
    return event ?? target
  })
  return new Set(targets.filter((target) => /^(?:socket|pipe|eventfd)/.test(target)))
}

describe.skipIf(!existsSync('/proc/self/fd'))('a child (needs /proc)', () => {
  it('renders, and is a process of its own that the server has forked', async () => {
    expect(await openProtected().start()).toBeUndefined()
    const [one, other] = [await Started.fork(forker), await Started.fork(forker)]
    expect(await one.render('from **one**')).toBe('<p>from <strong>one</strong></p>')
    expect(await other.render('from **the other**')).toBe('<p>from <strong>the other</strong></p>')
    expect(servers).toHaveLength(1)
    for (const { pid } of [one, other])
      expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(
        new RegExp(String.raw`^PPid:\t${servers[0]?.pid}$`, 'm'),
      )
  })

  it('holds no descriptor of another child, nor of the server', async () => {
    await openProtected().start()
    const children = [await Started.fork(forker), await Started.fork(forker), await Started.fork(forker)]
    for (const child of children) await child.render('so that all has been opened')
    const sets = [servers[0]?.pid ?? 0, ...children.map(({ pid }) => pid)].map(channelsOf)
    // Pages in and out, and errors.
    for (const set of sets.slice(1)) expect([...set].filter((name) => name.startsWith('socket:'))).toHaveLength(2)
    expect(new Set(sets.flatMap((set) => [...set])).size).toBe(sets.reduce((sum, set) => sum + set.size, 0))
  })

  it('tells how it ended', async () => {
    await openProtected().start()
    const [killed, crashed] = [await Started.fork(forker), await Started.fork(forker)]
    killed.child.kill()
    expect(await killed.end).toEqual({ code: null, signal: 'SIGKILL', stderr: '', isOrphan: false })
    process.kill(crashed.pid, 'SIGSEGV')
    expect(await crashed.end).toEqual({ code: null, signal: 'SIGSEGV', stderr: '', isOrphan: false })
  })

  it('that is told what it cannot read ends with the reason', async () => {
    await openProtected().start()
    const child = await Started.fork(forker)
    child.child.write(Buffer.from([0, 0, 0, 2, 0x7b, 0x7d]))
    expect(await child.end).toMatchObject({ code: 1, stderr: expect.stringContaining('the protocol does not know') })
  })

  it('that is killed before it was forked ends all the same', async () => {
    await openProtected().start()
    const end = new Promise<Exit>((resolve, reject) => {
      forker.fork({ started: () => reject(new Error('it was started')), read: () => undefined, ended: resolve }).kill()
    })
    expect(await end).toMatchObject({ signal: 'SIGKILL' })
  })

  it('ends with the process that forked it; the next child comes from another', async () => {
    await openProtected().start()
    const child = await Started.fork(forker)
    servers[0]?.kill('SIGKILL')
    expect(await child.end).toMatchObject({ signal: 'SIGKILL' })
    await vi.waitUntil(() => !existsSync(`/proc/${child.pid}`), 5000)
    const next = await Started.fork(forker)
    expect(await next.render('again')).toBe('<p>again</p>')
    expect(servers).toHaveLength(2)
  })
})

it('has nothing that the service was started with, and neither have its children', async () => {
  open(() =>
    spawn('bash', ['-c', 'exec 251</etc && exec "$@"', 'bash', process.execPath, ...childArguments], {
      stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    }),
  )
  await forker.start()
  const child = await Started.fork(forker)
  const opened = [servers[0]?.pid, child.pid].flatMap((pid) => readdirSync(`/proc/${pid}/fd`))
  expect(opened).toContain('1')
  expect(opened).not.toContain('251')
})

describe('where nothing can be forked', () => {
  it('each child is a process of its own that was started for it', async () => {
    const preloaded = join(root, 'test/support/site/render/no-fork.cjs')
    open(() =>
      spawn(process.execPath, ['--require', preloaded, ...childArguments], { stdio: ['pipe', 'pipe', 'pipe', 'ipc'] }),
    )
    expect(await forker.start()).toBeUndefined()
    const [one, other] = [await Started.fork(forker), await Started.fork(forker)]
    expect([one.pid, other.pid]).toEqual(servers.map((server) => server.pid))
    expect(await one.render('one')).toBe('<p>one</p>')
    expect(await other.render('other')).toBe('<p>other</p>')
    one.child.kill()
    expect(await one.end).toMatchObject({ signal: 'SIGKILL' })
  })
})
