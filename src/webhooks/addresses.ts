import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

type Range = [address: ipaddr.IPv4 | ipaddr.IPv6, bits: number]

/** IANA’s special-purpose registry, and what only one cloud uses. All other IPv4 addresses are public. */
const special4: readonly (readonly [range: string, what: string])[] = [
  ['0.0.0.0/8', 'this host'],
  ['10.0.0.0/8', 'a private network'],
  ['100.64.0.0/10', 'a carrier’s private network'],
  ['127.0.0.0/8', 'loopback'],
  ['168.63.129.16/32', 'a cloud’s internal service'],
  ['169.254.0.0/16', 'link-local'],
  ['172.16.0.0/12', 'a private network'],
  ['192.0.0.0/24', 'reserved'],
  ['192.0.2.0/24', 'for documentation'],
  ['192.88.99.0/24', 'a 6to4 relay'],
  ['192.168.0.0/16', 'a private network'],
  ['198.18.0.0/15', 'for benchmarks'],
  ['198.51.100.0/24', 'for documentation'],
  ['203.0.113.0/24', 'for documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['240.0.0.0/4', 'reserved'],
]

/** Of IPv6 only this is given out; loopback, private, mapped, translated and future ranges are outside. */
const global6 = '2000::/3'
const special6: readonly (readonly [range: string, what: string])[] = [
  ['2001::/23', 'a protocol’s range (Teredo, benchmarks)'],
  ['2001:db8::/32', 'for documentation'],
  ['2002::/16', '6to4'],
  ['3fff::/20', 'for documentation'],
]

const parsed = (ranges: typeof special4): (readonly [Range, string])[] =>
  ranges.map(([range, what]) => [ipaddr.parseCIDR(range), what] as const)
const ranges4 = parsed(special4)
const ranges6 = parsed(special6)
const globalRange = ipaddr.parseCIDR(global6)

/**
 * What an IP address is when it is not a public one, such as `loopback`; null for a public one.
 *
 * @param address dotted decimal, or IPv6 without brackets. Anything else, zone ids included, is not public either.
 */
export function specialPurpose(address: string): string | null {
  const family = isIP(address)
  if (family === 0 || address.includes('%')) return 'no plain IP address'
  const ip = ipaddr.parse(address)
  if (family === 6 && !ip.match(globalRange)) return 'outside the public range of IPv6'
  const ranges = family === 4 ? ranges4 : ranges6
  return ranges.find(([range]) => ip.match(range))?.[1] ?? null
}

/** Whether an address is this machine’s own loopback. */
export function isLoopback(address: string): boolean {
  if (isIP(address) === 0 || address.includes('%')) return false
  return ipaddr.process(address).range() === 'loopback'
}
