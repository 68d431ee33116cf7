// Loaded into a service under test with `--import`: writes down each time that its event loop was held. Nobody is stalled
// by a machine that gives the processor to others: what counts is the processor time of the main thread between two
// ticks of a timer, without what the collection of garbage took. A kill loses nothing but the last tick.
import { subscribe } from 'node:diagnostics_channel'
import { appendFileSync, openSync, readSync } from 'node:fs'
import { performance, PerformanceObserver, constants } from 'node:perf_hooks'
import { cpuUsage, pid, platform } from 'node:process'
import { isMainThread } from 'node:worker_threads'

/** Milliseconds between two ticks. Short against a stall; the kernel counts in steps of up to 4 ms. */
const every = 10
/** Milliseconds of processor time from which on a stall is written down. */
const leastMs = 25

/** Processor time of the main thread in milliseconds; that of the whole process where the system does not tell. */
function processorClock() {
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

function watch(report) {
  /** Requests under way, and those that ended since the last tick. */
  const running = new Set()
  let ended = []
  let served = false
  const nameOf = ({ method, url }) => `${method} ${url.length > 200 ? `${url.slice(0, 200)}…` : url}`
  subscribe('http.server.request.start', ({ request }) => {
    served = true
    running.add(request)
    request.once('close', () => {
      if (running.delete(request)) ended.push(request)
    })
  })

  /** Pauses of the whole process, of which a tick hears after it: [start, end]. */
  let pauses = []
  new PerformanceObserver((list) => {
    for (const { startTime, duration, detail } of list.getEntries())
      if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) pauses.push([startTime, startTime + duration])
  }).observe({ entryTypes: ['gc'] })

  const processor = processorClock()
  let last = { at: performance.now(), cpu: processor() }
  let pending = null
  const settle = () => {
    if (pending === null) return
    const { from, to, cpu, requests } = pending
    pending = null
    const paused = pauses.reduce((sum, [start, end]) => sum + Math.max(0, Math.min(end, to) - Math.max(start, from)), 0)
    const ms = Math.round(cpu - paused)
    if (ms >= leastMs) appendFileSync(report, JSON.stringify({ ms, wallMs: Math.round(to - from), requests }) + '\n')
  }
  const tick = () => {
    settle()
    const now = { at: performance.now(), cpu: processor() }
    const cpu = now.cpu - last.cpu
    // What comes before the first request is the start.
    if (served && cpu >= leastMs) {
      pending = { from: last.at, to: now.at, cpu, requests: [...running, ...ended].map(nameOf) }
    } else pauses = []
    ended = []
    last = now
  }
  setInterval(tick, every).unref()
  process.once('exit', () => {
    tick()
    settle()
  })
}

if (isMainThread) watch(new URL(import.meta.url).searchParams.get('report'))
