import { readFile, readdir, readlink } from 'node:fs/promises'

/** `socket:[…]` of what listens at a port. */
export async function listeningSocket(port: number): Promise<string> {
  const local = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const rows = (await readFile('/proc/net/tcp', 'utf8')).split('\n').map((row) => row.trim().split(/\s+/))
  const inode = rows.find((row) => row[1] === local && row[3] === '0A')?.[9]
  if (inode === undefined) throw new Error(`nobody listens at ${port}`)
  return `socket:[${inode}]`
}

/** What the descriptors of a process stand for. */
export async function openIn(pid: number): Promise<readonly string[]> {
  const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => [])
  return Promise.all(descriptors.map((one) => readlink(`/proc/${pid}/fd/${one}`).catch(() => '')))
}
