import { monitorEventLoopDelay } from 'node:perf_hooks'
import { expect, it } from 'vitest'
import { SiteIndex } from '#answers/site-index.ts'
import type { Release, Route } from '#contract/release.ts'
import { isDeep } from '#test/support/depth.ts'
import { MemoryReleases } from '#test/support/memory-releases.ts'
import { artifact } from './support.ts'

const common = Array.from({ length: 4000 }, (_, index) => `term${index.toString(36)}`)

/** A page with six sections of some hundred words. */
function page(number: number): Buffer {
  let seed = number * 7919 + 1
  const word = (): string => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    // Some words are on nearly all pages, most on few.
    return common[Math.floor((seed / 2_147_483_648) ** 3 * common.length)] ?? ''
  }
  const section = (at: number): string =>
    `<h2 id="part-${at}">Part ${at}</h2><p>${Array.from({ length: 120 }, word).join(' ')} unique${number}at${at}</p>`
  return artifact(Array.from({ length: 6 }, (_, at) => section(at)).join(''), { title: `Page ${number}` })
}

const pages = isDeep ? 5000 : 200
const wanted = pages - 79

it(
  `of ${pages} pages an index takes little memory, and finds one section among ${6 * pages}`,
  { timeout: 120_000 },
  async () => {
    const releases = new MemoryReleases()
    const routes: Record<string, Route> = {}
    const places: Record<string, object> = {}
    const blobs = new Map<string, Uint8Array>()
    for (let number = 0; number < pages; number += 1) {
      const path = `/guide/page-${number}`
      blobs.set(`page${number}`, page(number))
      routes[path] = { kind: 'page', blob: `page${number}` }
      places[path] = { section: 0, trail: [] }
    }
    const shell = {
      places,
      sections: [{ switches: [], href: '/', items: [] }],
      ask: { dailyLimit: 100, pages: 'navigable' },
    }
    blobs.set('shell', Buffer.from(JSON.stringify(shell)))
    const release = {
      format: 1,
      id: 'r',
      commit: '',
      tree: '',
      createdAt: '',
      shell: 'shell',
      routes,
      redirects: [],
      pages: {},
    }
    await releases.publish(release as unknown as Release, blobs)
    const { signal } = new AbortController()
    const stalls = monitorEventLoopDelay({ resolution: 5 })
    stalls.enable()
    const began = performance.now()
    const index = await SiteIndex.of(async () => releases, 'r', signal)
    const built = performance.now()
    const found = await index.sections(`where is unique${wanted}at3?`, undefined, signal)
    const asked = performance.now()
    await index.sections(common.slice(0, 60).join(' '), undefined, signal)
    if (process.env['FIGURES'] !== undefined)
      console.log({
        build: built - began,
        query: asked - built,
        worst: performance.now() - asked,
        bytes: index.weight,
        longestMs: stalls.max / 1e6,
        heap: process.memoryUsage().heapUsed,
      })
    expect(found[0]).toMatchObject({ href: `/guide/page-${wanted}#part-3`, page: `Page ${wanted}`, heading: 'Part 3' })
    expect(index.weight).toBeLessThan(pages << 13)
  },
)
