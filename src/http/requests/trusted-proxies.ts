import { BlockList, isIP } from 'node:net'

/** The names that Fastify has for private networks. */
const named: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  linklocal: ['169.254.0.0/16', 'fe80::/10'],
  uniquelocal: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/** Whose word about a request counts: addresses and networks of proxies, as `TRUST_PROXY` names them. */
export class TrustedProxies {
  readonly #list: BlockList | undefined

  constructor(setting: false | string) {
    this.#list = setting === false ? undefined : listOf(setting)
  }

  has(address: string | undefined): boolean {
    return this.#list !== undefined && address !== undefined && this.#list.check(address, familyOf(address))
  }
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

function listOf(setting: string): BlockList {
  const list = new BlockList()
  const parts = setting.split(',').map((part) => part.trim())
  for (const part of parts.flatMap((name) => named[name] ?? [name])) {
    const [address = '', bits] = part.split('/')
    const family = familyOf(address)
    list.addSubnet(address, bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number(bits), family)
  }
  return list
}
