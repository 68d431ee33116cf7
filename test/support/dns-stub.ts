import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { onTestFinished } from 'vitest'

/** What a name has at its n-th question (from 0): addresses, or texts for TXT, or null where the name does not exist. */
export type Zone = (name: string, asked: number) => readonly string[] | null

export interface DnsStub {
  /** Asks this server and no other. */
  readonly resolver: Resolver
  /** Where it listens, with its port. */
  readonly server: string
  /** Questions for an IPv4 address, by name: each lookup asks one. */
  readonly asked: Map<string, number>
}

const types = { A: 1, CNAME: 5, TXT: 16, AAAA: 28 } as const

/**
 * A name server on loopback. Every answer with addresses leads over a CNAME; all may be kept for no time at all.
 */
export async function startDns(zone: Zone): Promise<DnsStub> {
  const asked = new Map<string, number>()
  const socket = createSocket('udp4')
  const seen = new Map<string, number>()
  socket.on('message', (question, peer) => {
    const { name, type, end } = readQuestion(question)
    const key = `${name} ${type}`
    const count = seen.get(key) ?? 0
    seen.set(key, count + 1)
    if (type === types.A) asked.set(name, count + 1)
    const found = zone(name, count)
    const records = type === types.TXT ? textRecords(found ?? []) : addressRecords(found ?? [], { name, type })
    const header = Buffer.alloc(12)
    question.copy(header, 0, 0, 2)
    header.writeUInt16BE(0x8180 | (found === null ? 3 : 0), 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(records.length, 6)
    socket.send(Buffer.concat([header, question.subarray(12, end), ...records]), peer.port, peer.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  onTestFinished(() => void socket.close())
  const resolver = new Resolver({ timeout: 30_000, tries: 1 })
  const server = `127.0.0.1:${socket.address().port}`
  resolver.setServers([server])
  return { resolver, server, asked }
}

/** A record holds strings of 255 bytes at most: a longer text is several. */
function textRecords(texts: readonly string[]): Buffer[] {
  return texts.map((text) => {
    const bytes = Buffer.from(text)
    const parts: Buffer[] = []
    for (let at = 0; at < bytes.length; at += 255) {
      const part = bytes.subarray(at, at + 255)
      parts.push(Buffer.from([part.length]), part)
    }
    return recordOf(pointer(12), types.TXT, Buffer.concat(parts))
  })
}

function addressRecords(
  addresses: readonly string[],
  { name, type }: { readonly name: string; readonly type: number },
): Buffer[] {
  const family = type === types.A ? 4 : 6
  const own = addresses.filter((address) => isIP(address) === family)
  const alias = encodeName(`alias.${name}`)
  const records = own.length === 0 ? [] : [recordOf(pointer(12), types.CNAME, alias)]
  for (const address of own) records.push(recordOf(alias, type, bytesOf(address)))
  return records
}

function readQuestion(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 }
}

function encodeName(name: string): Buffer {
  const labels = name
    .split('.')
    .map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, 'latin1')]))
  return Buffer.concat([...labels, Buffer.from([0])])
}

const pointer = (offset: number): Buffer => Buffer.from([0xc0, offset])

/** Class IN, no time to live. */
function recordOf(name: Buffer, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10)
  fixed.writeUInt16BE(type, 0)
  fixed.writeUInt16BE(1, 2)
  fixed.writeUInt16BE(data.length, 8)
  return Buffer.concat([name, fixed, data])
}

function bytesOf(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number))
  const groups = new URL(`http://[${address}]/`).hostname.slice(1, -1)
  const [head = '', tail] = groups.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0')
  const bytes = Buffer.alloc(16)
  ;[...left, ...zeros, ...right].forEach((group, index) => bytes.writeUInt16BE(Number.parseInt(group, 16), index * 2))
  return bytes
}
