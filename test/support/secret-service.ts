import { createCipheriv, createDecipheriv, createDiffieHellmanGroup, hkdfSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { Reader, Writer, type Value, type Variant } from './dbus-wire.ts'

/** A session bus with nothing on it but a Secret Service that holds its items in memory. */
export interface SecretService {
  /** For DBUS_SESSION_BUS_ADDRESS. */
  readonly address: string
  /** What is kept, by the attribute `username`. */
  readonly secrets: ReadonlyMap<string, string>
  /** While true, it answers no question for what it keeps, as when it waits to be unlocked. */
  silent: boolean
  close(): Promise<void>
}

interface Call {
  readonly serial: number
  readonly path: string
  readonly member: string
  readonly body: readonly Value[]
}

interface Item {
  readonly attributes: readonly (readonly [string, string])[]
  secret: Buffer
}

type Reply = readonly [signature: string, ...values: Value[]]

const greetings = new Set(['Hello', 'OpenSession'])
const collection = '/org/freedesktop/secrets/collection/login'
const fields = { path: 1, member: 3, replySerial: 5, sender: 7, signature: 8 } as const

/** @param socketPath where the bus listens. */
export async function openSecretService(socketPath: string): Promise<SecretService> {
  const keychain = new MemoryKeychain()
  const sockets = new Set<Socket>()
  const state = { silent: false }
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
    converse(socket, (call) => (state.silent && !greetings.has(call.member) ? null : keychain.answer(call)))
  })
  server.listen(socketPath)
  await once(server, 'listening')
  return {
    address: `unix:path=${socketPath}`,
    get secrets() {
      return keychain.secrets
    },
    get silent() {
      return state.silent
    },
    set silent(silent) {
      state.silent = silent
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Authentication as anybody, then calls and their replies. */
function converse(socket: Socket, answer: (call: Call) => Reply | null): void {
  let pending: Buffer = Buffer.alloc(0)
  let begun = false
  socket.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk])
    while (!begun) {
      const end = pending.indexOf('\r\n')
      if (end === -1) return
      const line = pending.toString('latin1', 0, end).replace('\0', '')
      pending = pending.subarray(end + 2)
      begun = line === 'BEGIN'
      if (!begun) socket.write(line.startsWith('AUTH') ? `OK ${'0'.repeat(32)}\r\n` : 'ERROR\r\n')
    }
    for (let taken = takeCall(pending); taken !== null; taken = takeCall(pending)) {
      pending = taken.rest
      const reply = answer(taken.call)
      if (reply !== null) socket.write(replyTo(taken.call.serial, reply))
    }
  })
}

function textOf(value: Value | undefined): string {
  return typeof value === 'string' ? value : ''
}

function takeCall(bytes: Buffer): { readonly call: Call; readonly rest: Buffer } | null {
  if (bytes.length < 16) return null
  const reader = new Reader(bytes)
  const [, , , , bodyLength, serial] = reader.all('yyyyuu') as number[]
  const bodyAt = Math.ceil((16 + bytes.readUInt32LE(12)) / 8) * 8
  const end = bodyAt + (bodyLength ?? 0)
  if (bytes.length < end) return null
  const header = new Map(reader.one('a(yv)') as unknown as [number, Variant][])
  const field = (code: number): string => textOf(header.get(code)?.value)
  const body = new Reader(bytes.subarray(bodyAt, end)).all(field(fields.signature))
  const call = { serial: serial ?? 0, path: field(fields.path), member: field(fields.member), body }
  return { call, rest: bytes.subarray(end) }
}

let lastSerial = 0

function replyTo(serial: number, [signature, ...values]: Reply): Buffer {
  const body = new Writer().all(signature, values).bytes
  const header: Value[] = [
    [fields.replySerial, { signature: 'u', value: serial }],
    [fields.sender, { signature: 's', value: 'org.freedesktop.secrets' }],
    [fields.signature, { signature: 'g', value: signature }],
  ]
  const writer = new Writer().all('yyyyuua(yv)', ['l'.charCodeAt(0), 2, 1, 1, body.length, ++lastSerial, header])
  writer.align(8)
  return Buffer.concat([writer.bytes, body])
}

/** https://specifications.freedesktop.org/secret-service-spec/latest */
class MemoryKeychain {
  readonly #items = new Map<string, Item>()
  readonly #keys = new Map<string, Buffer>()
  #count = 0

  get secrets(): ReadonlyMap<string, string> {
    return new Map(
      [...this.#items.values()].map(({ attributes, secret }) => [
        new Map(attributes).get('username') ?? '',
        secret.toString(),
      ]),
    )
  }

  answer({ path, member, body }: Call): Reply {
    switch (member) {
      case 'Hello':
        return ['s', ':1.1']
      case 'OpenSession':
        return this.#openSession(body[1] as Variant)
      case 'SearchItems':
        return ['aoao', this.#search(body[0] as Item['attributes']), []]
      case 'ReadAlias':
        return ['o', collection]
      case 'Unlock':
        return ['aoo', body[0] ?? [], '/']
      case 'Get':
        return ['v', { signature: 'b', value: 0 }]
      case 'CreateItem':
        return this.#create(body)
      case 'SetSecret':
        return this.#set(path, body[0] as readonly Value[])
      case 'GetSecret':
        return ['(oayays)', this.#sealed(textOf(body[0]), path)]
      case 'Delete':
        this.#items.delete(path)
        return ['o', '/']
      default:
        return ['']
    }
  }

  /** Secrets travel encrypted: Diffie-Hellman in the second Oakley group, HKDF, AES-128-CBC. */
  #openSession({ value }: Variant): Reply {
    const exchange = createDiffieHellmanGroup('modp2')
    exchange.generateKeys()
    const shared = exchange.computeSecret(value as Buffer)
    const padded = Buffer.concat([Buffer.alloc(128 - shared.length), shared])
    const path = `/org/freedesktop/secrets/session/${++this.#count}`
    this.#keys.set(path, Buffer.from(hkdfSync('sha256', padded, Buffer.alloc(32), Buffer.alloc(0), 16)))
    return ['vo', { signature: 'ay', value: exchange.getPublicKey() }, path]
  }

  #search(wanted: Item['attributes']): string[] {
    const has = (item: Item): boolean =>
      wanted.every(([name, value]) => item.attributes.some(([own, text]) => own === name && text === value))
    return [...this.#items].filter(([, item]) => has(item)).map(([path]) => path)
  }

  #create([properties, secret]: readonly Value[]): Reply {
    const named = new Map(properties as unknown as [string, Variant][])
    const attributes = named.get('org.freedesktop.Secret.Item.Attributes')?.value as unknown as Item['attributes']
    const path = `${collection}/${++this.#count}`
    this.#items.set(path, { attributes, secret: this.#opened(secret as readonly Value[]) })
    return ['oo', path, '/']
  }

  #set(path: string, secret: readonly Value[]): Reply {
    const item = this.#items.get(path)
    if (item !== undefined) item.secret = this.#opened(secret)
    return ['']
  }

  #opened([session, iv, value]: readonly Value[]): Buffer {
    const cipher = createDecipheriv('aes-128-cbc', this.#keyOf(textOf(session)), iv as Buffer)
    return Buffer.concat([cipher.update(value as Buffer), cipher.final()])
  }

  #sealed(session: string, path: string): Value {
    const iv = randomBytes(16)
    const cipher = createCipheriv('aes-128-cbc', this.#keyOf(session), iv)
    const secret = this.#items.get(path)?.secret ?? Buffer.alloc(0)
    return [session, iv, Buffer.concat([cipher.update(secret), cipher.final()]), 'text/plain']
  }

  #keyOf(session: string): Buffer {
    const key = this.#keys.get(session)
    if (key === undefined) throw new Error(`no session ${session}`)
    return key
  }
}
