// Stands in the place of what forks children, where nothing can be forked: a child that has been taken over, and says
// what its argument names.
const { writeSync } = require('node:fs')

const frame = (message) => {
  const body = Buffer.from(JSON.stringify(message))
  const head = Buffer.alloc(4)
  head.writeUInt32BE(body.length)
  return Buffer.concat([head, body])
}
const load = frame({ type: 'load', path: 'a.mdx' })

/** As fast as it goes, or once for each file that has arrived. */
const says = {
  loads: () => {
    const many = Buffer.concat(Array.from({ length: 1000 }, () => load))
    const more = () => process.stdout.write(many, more)
    more()
  },
  'loads in order': () => {
    let left = -1
    process.stdin.on('data', (chunk) => {
      for (let at = 0; at < chunk.length;) {
        if (left < 0) [left, at] = [chunk.readUInt32BE(at), at + 4]
        const taken = Math.min(left, chunk.length - at)
        ;[left, at] = [left - taken, at + taken]
        if (left > 0) continue
        left = -1
        process.stdout.write(load)
      }
    })
  },
  'a long frame': () => process.stdout.write(Buffer.from([0xff, 0, 0, 0])),
  'a long path': () => process.stdout.write(frame({ type: 'load', path: 'a'.repeat(100_000) })),
  'another outcome': () =>
    process.stdout.write(frame({ type: 'outcome', id: 4711, outcome: { ok: false, errors: [] } })),
  'long pieces': () => {
    const piece = frame({ type: 'piece', id: 1, text: 'a'.repeat(7 * 1024 * 1024) })
    let left = 5
    const more = () => left-- > 0 && process.stdout.write(piece, more)
    more()
  },
  'a long index': () => {
    process.stdout.write(frame({ type: 'described', id: 1, index: 5 * 1024 * 1024 }))
  },
  errors: () => {
    const text = 'x'.repeat(60_000)
    for (;;) writeSync(2, text)
  },
}

process.on('message', ({ type, id }) => {
  if (type !== 'fork') return
  process.send({ type: 'forked', id, pid: process.pid }, () => {
    process.disconnect()
    process.stdin.once('data', (chunk) => {
      says[process.argv[2]]()
      process.stdin.emit('data', chunk)
    })
  })
})
process.send({ type: 'ready', forks: false, holds: [] })
