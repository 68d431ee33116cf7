import { connect, type Socket } from 'node:net'
import { gzipSync, constants, createGzip } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import { limits } from '#contract/limits.ts'
import { Budget } from '#lib/budget.ts'
import { inDepth, isDeep } from '#test/support/depth.ts'
import { HeldBuilder } from '#test/support/held-builder.ts'
import { createProject, type ProjectAccess } from '#test/support/service-process.ts'
import { startTestService, type TestService } from '#test/support/service.ts'

const mb = 1024 * 1024

/** Knows how much of it is taken. */
class WatchedBudget extends Budget {
  taken = 0

  override take(owner: string, amount: number): boolean {
    const isTaken = super.take(owner, amount)
    if (isTaken) this.taken += amount
    return isTaken
  }

  override giveBack(owner: string, amount: number): void {
    this.taken -= amount
    super.giveBack(owner, amount)
  }
}

let service: TestService
const sockets: Socket[] = []
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await service.close()
})

/** A service whose accounts may have 2 MB of bodies under way each, and 6 MB together, and where silence ends soon. */
async function start(pace = { graceMs: 60_000, bytesPerSecond: 1 }) {
  const builder = new HeldBuilder()
  const memory = new WatchedBudget(2 * mb, 6 * mb)
  service = await startTestService({}, { builder, bodies: { memory, pace } })
  return { builder, memory }
}

interface Unfinished {
  /** The first line of the answer, when it comes. */
  readonly answer: Promise<string>
}

/** A deploy whose body says that it is longer than what comes. */
function begin(project: ProjectAccess, body: Uint8Array, headers = ''): Unfinished {
  const socket = connect(service.port, '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => undefined)
  socket.write(
    `POST /api/deploy HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${project.key}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length + 1000}\r\n${headers}\r\n`,
  )
  socket.write(body)
  return {
    answer: new Promise((resolve) =>
      socket.once('data', (chunk: Buffer) => resolve(chunk.toString().split('\r\n', 1)[0] ?? '')),
    ),
  }
}

const beginning = (bytes: number): Buffer => Buffer.from(`{"files":[{"path":"a.txt","content":"${'a'.repeat(bytes)}`)

function deploy(project: ProjectAccess, bytes: number, headers: Record<string, string> = {}) {
  const files = [
    { path: 'index.md', content: '# Hello' },
    { path: 'a.txt', content: 'a'.repeat(bytes) },
  ]
  return fetch(`${service.url}/api/deploy`, {
    method: 'POST',
    headers: { authorization: `Bearer ${project.key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ files }),
  })
}

describe('bodies that are under way', () => {
  const ways = [
    ['as gzip', 'content-encoding: gzip\r\n', flushed],
    ['as they are', '', async (text: Buffer) => text],
  ] as const
  it.each(isDeep ? ways : ways.slice(0, 1))(
    'are bounded by account: those that do not end, sent %s',
    async (_, header, coded) => {
      const { memory } = await start()
      const [project, neighbour] = [await createProject(service.url, 'large'), await createProject(service.url, 'next')]
      const body = await coded(beginning(1.8 * mb))
      begin(project, body, header)
      await expect.poll(() => memory.taken).toBeGreaterThan(1.8 * mb)
      const refusal = await deploy(project, mb)
      expect(refusal.status).toBe(503)
      expect(refusal.headers.get('retry-after')).toBe('5')
      expect(await refusal.json()).toMatchObject({
        code: 'unavailable',
        detail: 'The requests of this account that are under way are as large as they may be now.',
      })
      expect(await begin(project, body, header).answer).toBe('HTTP/1.1 503 Service Unavailable')
      // What is small always has room, and so do others.
      expect((await deploy(project, limits.bodyBytes / 2)).status).toBe(201)
      expect((await deploy(neighbour, 1.5 * mb)).status).toBe(201)
      // When it has ended, there is room again.
      sockets[0]?.destroy()
      await expect.poll(async () => (await deploy(project, mb)).status).toBe(201)
    },
  )

  inDepth('leave room for whoever comes next, however many accounts have taken all that they can get', async () => {
    const { memory } = await start()
    for (let number = 0; number < 6; number++) {
      const project = await createProject(service.url, `attacker-${number}`)
      const answers: string[] = []
      while (answers.length === 0) {
        const before = memory.taken
        void begin(project, beginning(0.4 * mb)).answer.then((line) => answers.push(line))
        await expect.poll(() => answers.length > 0 || memory.taken > before + 0.4 * mb).toBe(true)
        if (answers.length > 0) await expect.poll(() => memory.taken).toBe(before)
      }
    }
    expect(memory.taken).toBeLessThan(6 * mb)
    const project = await createProject(service.url, 'honest')
    expect((await deploy(project, 0.3 * mb)).status).toBe(201)
  })

  it('count for as long as a build needs their content: also when nobody waits for it any more', async () => {
    const { builder } = await start()
    const project = await createProject(service.url, 'building')
    builder.holding = true
    const accepted = await deploy(project, 1.5 * mb, { prefer: 'respond-async' })
    expect(accepted.status).toBe(202)
    expect((await deploy(project, mb)).status).toBe(503)
    builder.release()
    await expect.poll(async () => (await deploy(project, mb)).status).toBe(201)
  })
})

describe('a body that does not come to its end', () => {
  it.each([
    ['nothing more of it comes', ''],
    ['it is gzip of which nothing more comes', 'content-encoding: gzip\r\n'],
  ])('is refused when %s', async (_, header) => {
    await start({ graceMs: 300, bytesPerSecond: 1 })
    const project = await createProject(service.url, 'silent')
    const body = beginning(1000)
    const { answer } = begin(project, header === '' ? body : gzipSync(body).subarray(0, 20), header)
    expect(await answer).toBe('HTTP/1.1 503 Service Unavailable')
  })

  it('is refused when it comes too slowly', async () => {
    await start({ graceMs: 300, bytesPerSecond: 1000 })
    const project = await createProject(service.url, 'slow')
    const { answer } = begin(project, beginning(1))
    const drip = setInterval(() => sockets[0]?.write('a'), 50)
    expect(await answer).toBe('HTTP/1.1 503 Service Unavailable')
    clearInterval(drip)
  })
})

/** What of a gzip stream comes out when all of the text has gone in and its end is still to come. */
function flushed(text: Buffer): Promise<Buffer> {
  return new Promise((resolve) => {
    const gzip = createGzip()
    const parts: Buffer[] = []
    gzip.on('data', (part: Buffer) => parts.push(part))
    gzip.write(text)
    gzip.flush(constants.Z_SYNC_FLUSH, () => resolve(Buffer.concat(parts)))
  })
}
