import ipaddr from 'ipaddr.js'

/**
 * The network that one party is counted by: an IPv4 address, or the /64 of an IPv6 address, of which one customer has
 * all. What is no address stands for itself.
 */
export function networkOf(address: string): string {
  return prefixOf(address, { ipv4: 32, ipv6: 64 })
}

/** What one party may well have many networks of: the /24 of an IPv4 address, the /48 of an IPv6 address. */
export function wideNetworkOf(address: string): string {
  return prefixOf(address, { ipv4: 24, ipv6: 48 })
}

function prefixOf(address: string, bits: Readonly<Record<'ipv4' | 'ipv6', number>>): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  const kind = parsed.kind()
  const range = `${parsed.toString()}/${bits[kind]}`
  if (kind === 'ipv6') return `${ipaddr.IPv6.networkAddressFromCIDR(range).toString()}/${bits.ipv6}`
  return bits.ipv4 === 32 ? parsed.toString() : `${ipaddr.IPv4.networkAddressFromCIDR(range).toString()}/${bits.ipv4}`
}
