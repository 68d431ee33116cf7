import ipaddr from 'ipaddr.js'

/**
 * The network that one party is counted by: an IPv4 address, or the /64 of an IPv6 address, of which one customer has
 * all. What is no address stands for itself.
 */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/64`).toString()}/64`
}
