// Asks for the address in its argument every 5 ms until it gets a message, and sends how many milliseconds each answer
// took. Run by generation.ts in a process of its own, so that what the bench does itself is not measured.
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

const agent = new Agent({ keepAlive: true })
const times = []
const stopped = new AbortController()
process.once('message', () => stopped.abort())

while (!stopped.signal.aborted) {
  const started = performance.now()
  const [response] = await once(get(process.argv[2], { agent }), 'response')
  await once(response.resume(), 'end')
  times.push(performance.now() - started)
  await sleep(5)
}
process.send(times, () => process.exit())
