// Writes down each time that an event loop was held. Nobody is stalled by a machine that gives the processor to others:
// what counts is the processor time of the main thread between two ticks of a timer. Loaded into a service under test with
// `--import` it watches all of the time, and a kill loses nothing but the last tick.
import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync, openSync, readSync } from 'node:fs'
import { constants, performance, PerformanceObserver } from 'node:perf_hooks'
import { cpuUsage, pid, platform } from 'node:process'
import { isMainThread } from 'node:worker_threads'

/** Milliseconds between two ticks. Short against a stall; the kernel counts in steps of up to 4 ms. */
const every = 10
/** Milliseconds of processor time from which on a stall is written down. */
const leastMs = 25

/**
 * A clock of the processor time of the main thread in milliseconds; of that of the whole process where the system does not
 * tell.
 */
export function processorClock() {
  if (platform !== 'linux') {
    return () => {
      const { user, system } = cpuUsage()
      return (user + system) / 1000
    }
  }
  const file = openSync(`/proc/self/task/${pid}/schedstat`)
  const bytes = Buffer.alloc(64)
  return () => {
    const length = readSync(file, bytes, 0, bytes.length, 0)
    return Number(bytes.toString('latin1', 0, length).split(' ', 1)[0]) / 1e6
  }
}

/**
 * Watches the event loop of this process.
 *
 * @param tell gets each stall; see `Stall` in stalls.ts.
 * @param onlyRequests counts only from when a request comes until the last one is answered. In the process of a test the
 * rest is the test's own work; what it does while it waits for an answer is none.
 * @returns tells what is still to be told.
 */
export function watchEventLoop(tell, { onlyRequests = false } = {}) {
  const processor = processorClock()
  const sample = () => ({ at: performance.now(), cpu: processor() })
  /** Requests under way, and those that ended since the last tick. */
  const running = new Set()
  let ended = []
  let served = false
  let last = sample()
  let pending = null
  /** Pauses of the whole process, of which a tick hears after it. A test that measures memory asks for some of them. */
  let pauses = []
  new PerformanceObserver((list) => {
    for (const { startTime, duration, detail } of list.getEntries()) {
      const isAsked = (detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0
      pauses.push({ start: startTime, end: startTime + duration, isAsked })
    }
  }).observe({ entryTypes: ['gc'] })

  const nameOf = ({ method, url }) => `${method} ${url.length > 200 ? `${url.slice(0, 200)}…` : url}`
  const settle = () => {
    if (pending === null) return
    const { from, to, cpu, requests } = pending
    pending = null
    // A pause is known by the clock on the wall only: of that, the thread had the processor for as much as of the whole.
    const cpuOf = (some) => {
      const paused = some.reduce(
        (sum, { start, end }) => sum + Math.max(0, Math.min(end, to) - Math.max(start, from)),
        0,
      )
      return cpu * Math.min(1, paused / (to - from))
    }
    const own = cpu - cpuOf(pauses.filter(({ isAsked }) => isAsked))
    const collectorMs = Math.round(cpuOf(pauses.filter(({ isAsked }) => !isAsked)))
    if (own >= leastMs)
      tell({ ms: Math.round(own) - collectorMs, collectorMs, wallMs: Math.round(to - from), requests })
  }
  const tick = () => {
    settle()
    const now = sample()
    const cpu = now.cpu - last.cpu
    // What comes before the first request is the start.
    const counts = onlyRequests ? running.size > 0 || ended.length > 0 : served
    if (counts && cpu >= leastMs) {
      pending = { from: last.at, to: now.at, cpu, requests: [...running, ...ended].map(nameOf) }
    } else pauses = []
    ended = []
    last = now
  }
  subscribe('http.server.request.start', ({ request, response }) => {
    // A browser asks for these amid the test's own work, which would be taken for theirs: they are given from memory.
    if (onlyRequests && request.url.startsWith('/dashboard/_assets/')) return
    served = true
    if (onlyRequests && running.size === 0) {
      settle()
      last = sample()
    }
    running.add(request)
    // Its body read, a request is closed; answered it is when the response is.
    response.once('close', () => {
      if (!running.delete(request)) return
      ended.push(request)
      if (onlyRequests && running.size === 0) tick()
    })
  })
  setInterval(tick, every).unref()
  return () => {
    tick()
    settle()
  }
}

const report = new URL(import.meta.url).searchParams.get('report')
if (isMainThread && report !== null)
  process.once(
    'exit',
    watchEventLoop((stall) => appendFileSync(report, JSON.stringify(stall) + '\n')),
  )
