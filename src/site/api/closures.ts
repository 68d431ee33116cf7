import { createHash } from 'node:crypto'

/**
 * For each node of a graph a hash of its text and of all that can be reached from it: it changes when any of that does.
 * Linear in nodes and edges, whatever circles there are: nodes that reach each other are one (Tarjan, 1972).
 * @param texts of the nodes. @param edges to the nodes that each refers to
 */
export function closureHashes(texts: readonly string[], edges: readonly (readonly number[])[]): readonly string[] {
  const hashes = Array.from({ length: texts.length }, () => '')
  const order = new Uint32Array(texts.length)
  const lowest = new Uint32Array(texts.length)
  const next = new Uint32Array(texts.length)
  const open: number[] = []
  const isOpen = new Uint8Array(texts.length)
  let counter = 0
  const path: number[] = []
  const enter = (node: number): void => {
    order[node] = lowest[node] = ++counter
    open.push(node)
    isOpen[node] = 1
    path.push(node)
  }
  for (let root = 0; root < texts.length; root++) {
    if (order[root] !== 0) continue
    enter(root)
    for (let node = path.at(-1); node !== undefined; node = path.at(-1)) {
      const targets = edges[node] ?? []
      const at = next[node] ?? 0
      next[node] = at + 1
      const target = targets[at]
      if (target !== undefined) {
        if (order[target] === 0) enter(target)
        else if (isOpen[target] === 1) lowest[node] = Math.min(lowest[node] ?? 0, order[target] ?? 0)
        continue
      }
      path.pop()
      const parent = path.at(-1)
      if (parent !== undefined) lowest[parent] = Math.min(lowest[parent] ?? 0, lowest[node] ?? 0)
      if (lowest[node] === order[node]) close(node)
    }
  }
  return hashes

  /** All that is open from a node on reaches each other. */
  function close(node: number): void {
    const members = open.splice(open.lastIndexOf(node))
    const together = createHash('sha256')
    const below = new Set<string>()
    for (const member of members) {
      isOpen[member] = 0
      for (const target of edges[member] ?? [])
        if (hashes[target] !== undefined && hashes[target] !== '') below.add(hashes[target])
    }
    for (const hash of [...below].sort()) together.update(hash)
    for (const text of members.map((member) => texts[member] ?? '').sort()) together.update(`\0${text}`)
    const shared = together.digest('hex')
    for (const member of members)
      hashes[member] = createHash('sha256')
        .update(shared)
        .update(texts[member] ?? '')
        .digest('hex')
        .slice(0, 40)
  }
}
