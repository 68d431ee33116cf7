import { mkdtemp, readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient, type Client } from '#client/client.ts'
import { contract } from '#contract/index.ts'
import { createProject, startService, unlimited, type ServiceProcess } from '#test/support/service-process.ts'
import { removeDirectory } from '#test/support/temporary.ts'

/** In all that a project shows: no answer of another host may have it. */
export const marks = { own: 'mark-of-our-own', foreign: 'mark-of-the-foreigner', draft: 'mark-of-a-draft' } as const

const rates = ['SIGN_INS_PER_MINUTE', 'RATE_DEVICE', 'RATE_OBJECTS', 'RATE_WEBHOOKS', 'RATE_STRANGERS', 'RATE_FAILURES']

const filesOf = (mark: string) => {
  const redirects = [
    { source: '/old', destination: '/guide/start' },
    { source: '/from/:name', destination: '/to/:name' },
    { source: '/all/:rest*', destination: 'https://example.com/:rest*' },
  ]
  const navigation = { pages: ['index', 'guide/start', 'ä/ö'] }
  return [
    { path: 'docs.json', content: JSON.stringify({ name: mark, navigation, redirects }) },
    { path: 'index.mdx', content: `---\ntitle: Home\n---\n\n# Home\n\n${mark} [start](/guide/start)\n` },
    { path: 'guide/start.mdx', content: `# Start\n\n${`${mark} and more of it.\n\n`.repeat(200)}` },
    { path: 'ä/ö.mdx', content: `# Ö\n\n${mark}\n` },
    { path: 'images/logo.svg', content: `<svg xmlns="http://www.w3.org/2000/svg"><title>${mark}</title></svg>` },
    { path: 'images/film.bin', content: Buffer.alloc(300_000, mark).toString('base64'), encoding: 'base64' as const },
  ]
}

export interface Answer {
  /** 0 where the connection ended without one. */
  readonly status: number
  /** In lower case. */
  readonly head: string
  readonly body: Buffer
}

/** A service in a process of its own with two projects: sites, a preview, a changelog, keys. */
export class Served {
  readonly directory: string
  readonly service: ServiceProcess
  readonly client: Client
  readonly foreign: Client
  /** Keys of the first project by what they may do, and one of the other project. */
  readonly keys: Readonly<Record<'all' | 'read' | 'write' | 'foreign', string>>
  readonly session: string
  readonly previewHost: string
  readonly entry: string

  private constructor(given: {
    readonly directory: string
    readonly service: ServiceProcess
    readonly client: Client
    readonly foreign: Client
    readonly keys: Served['keys']
    readonly session: string
    readonly previewHost: string
    readonly entry: string
  }) {
    ;({ directory: this.directory, service: this.service, client: this.client, foreign: this.foreign } = given)
    ;({ keys: this.keys, session: this.session, previewHost: this.previewHost, entry: this.entry } = given)
  }

  static async start(): Promise<Served> {
    const directory = await mkdtemp(join(tmpdir(), 'quire-fuzz-'))
    const settings = { ...unlimited, ...Object.fromEntries(rates.map((name) => [name, '1000000'])) }
    const service = await startService(directory, settings)
    const own = await createProject(service.url, 'own')
    const other = await createProject(service.url, 'foreign')
    await own.client.call(contract.deploys.create, { body: { files: filesOf(marks.own) } })
    await other.client.call(contract.deploys.create, { body: { files: filesOf(marks.foreign) } })
    const params = { slug: 'own' }
    const client = createClient({ baseUrl: service.url, token: own.session })
    const keyOf = async (scopes: ('read' | 'write' | 'deploy')[]) =>
      (await client.call(contract.keys.create, { params, body: { name: scopes.join(), scopes } })).key
    const keys = { all: own.key, read: await keyOf(['read']), write: await keyOf(['write']), foreign: other.key }
    const branch = await client.call(contract.branches.create, { params, body: { name: 'draft' } })
    const shown = async () =>
      (await client.call(contract.branches.read, { params: { ...params, id: branch.id } })).preview
    while ((await shown()).served === undefined) await sleep(50)
    const entry = { title: 'Published', content: `Text\n\n${marks.own}`, tags: ['one'], is_draft: false }
    const { id } = await client.call(contract.changelog.create, { params, body: entry })
    await client.call(contract.changelog.create, { params, body: { title: 'Draft', content: marks.draft } })
    const previewHost = new URL(branch.previewUrl).hostname
    const foreign = createClient({ baseUrl: service.url, token: other.session })
    return new Served({ directory, service, client, foreign, keys, session: own.session, previewHost, entry: id })
  }

  async close(): Promise<void> {
    await this.service.stop()
    await removeDirectory(this.directory)
  }

  /** The key that an operator shows. */
  operatorKey(): Promise<string> {
    return readFile(join(this.directory, '.admin.key'), 'utf8')
  }

  /** Sends bytes over a connection of its own and reads to its end; of a stream of events, what comes at once. */
  exchange(bytes: Buffer, socket = false): Promise<Answer> {
    const to = socket ? { path: join(this.directory, '.admin.sock') } : { host: '127.0.0.1', port: this.service.port }
    return new Promise((resolve, reject) => {
      const connection = connect(to, () => connection.write(bytes))
      const chunks: Buffer[] = []
      const patience = setTimeout(() => connection.destroy(new Error('no answer within 20 seconds')), 20_000)
      let streams = false
      connection.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        if (streams || !/\r\ncontent-type: text\/event-stream/i.test(chunk.toString('latin1'))) return
        streams = true
        setTimeout(() => connection.destroy(), 50)
      })
      // A connection that is reset after its answer has answered.
      connection.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error)
      })
      connection.on('close', () => {
        clearTimeout(patience)
        resolve(answerOf(Buffer.concat(chunks)))
      })
    })
  }
}

/** The last answer, after those that only say to go on. */
function answerOf(all: Buffer): Answer {
  const bytes = all.subarray(/^(?:HTTP\/1\.1 1\d\d [^\r]*\r\n\r\n)*/.exec(all.toString('latin1'))?.[0].length ?? 0)
  const end = bytes.indexOf('\r\n\r\n')
  const head = bytes.toString('latin1', 0, end === -1 ? bytes.length : end).toLowerCase()
  const body = end === -1 ? Buffer.alloc(0) : bytes.subarray(end + 4)
  const [, status = '0'] = /^http\/1\.1 (\d{3}) /.exec(head) ?? []
  return { status: Number(status), head, body: head.includes('\r\ntransfer-encoding: chunked') ? joined(body) : body }
}

/** https://www.rfc-editor.org/rfc/rfc9112#section-7.1 */
function joined(chunked: Buffer): Buffer {
  const chunks: Buffer[] = []
  for (let at = 0; at < chunked.length;) {
    const start = chunked.indexOf('\r\n', at) + 2
    const length = Number.parseInt(chunked.toString('latin1', at, start), 16)
    if (!(length > 0)) break
    chunks.push(chunked.subarray(start, start + length))
    at = start + length + 2
  }
  return Buffer.concat(chunks)
}

/** A request as it goes over the wire. Headers may be there twice. */
export function wire(
  line: string,
  headers: readonly (readonly [string, string])[],
  body: Buffer = Buffer.alloc(0),
): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`${line}\r\n${lines.join('')}\r\n`, 'latin1'), body])
}
