import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Deploy } from '../../src/contract/deploys.ts'
import { quire } from '../support/command-line.ts'
import { createProject, startService, type ServiceProcess } from '../support/service-process.ts'
import { hasCorpora, unpackCorpus } from '../support/shared.ts'
import { getSite } from '../support/site.ts'
import { removeDirectory } from '../support/temporary.ts'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'

/** Page references of a docs.json, wherever `pages` (or a group's `root`) stand in it. */
function navigationPages(node: unknown, key = ''): string[] {
  if (Array.isArray(node))
    return node.flatMap((item: unknown) =>
      typeof item === 'string' && key === 'pages' ? [item] : navigationPages(item),
    )
  if (typeof node !== 'object' || node === null) return []
  return Object.entries(node).flatMap(([name, value]) =>
    name === 'root' && typeof value === 'string' ? [value] : navigationPages(value, name),
  )
}

const hrefs = (html: string): string[] =>
  [...html.matchAll(/<a\b[^>]*?\shref="(\/[^"]*)"/g)].map((match) =>
    (match[1] ?? '').replaceAll('&amp;', '&').replaceAll('&#38;', '&'),
  )

/** What a browser goes to: an element of that id, or an `<a>` of that name. */
const hasAnchor = (html: string, anchor: string): boolean =>
  html.includes(`id="${anchor}"`) || html.includes(`<a name="${anchor}"`)

// Hundreds of pages each: minutes where cores are few.
describe.skipIf(!hasCorpora)('real documentation, unmodified', { timeout: 300_000 }, () => {
  let directory: string
  let service: ServiceProcess
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'quire-corpora-'))
    service = await startService(join(directory, 'data'))
  })
  afterAll(async () => {
    await service.stop()
    await removeDirectory(directory)
  })

  it.each([
    ['turso-docs', 306],
    ['mem0-docs', 247],
    ['mcp-docs', 344],
  ])(
    '%s deploys through the command line; every page of the navigation and every link that is right answers',
    async (name, sources) => {
      const folder = await unpackCorpus(name, await mkdtemp(join(directory, 'docs-')))
      const project = await createProject(service.url, name)
      const { code, stdout, stderr } = await quire(['deploy', folder, '--url', service.url, '--json'], {
        SERVICE_API_KEY: project.key,
      })
      expect(code, stderr).toBe(0)
      const deploy = JSON.parse(stdout) as Deploy
      expect(deploy.errors).toEqual([])
      expect(deploy.pages.total).toBeGreaterThan(sources * 0.8)

      const host = `${name}.localhost`
      const config: { navigation: unknown } = JSON.parse(await readFile(join(folder, 'docs.json'), 'utf8'))
      const pages = navigationPages(config.navigation)
        .filter((page) => !/^https?:/.test(page))
        .map((page) => `/${page.replace(/^\//, '')}`)
      const bad: string[] = []
      const links = new Map<string, string>()
      for (const page of new Set(pages)) {
        const path = page.replace(/\/index$/, '') || '/'
        const reply = await getSite(service.port, host, path)
        if (reply.status !== 200) bad.push(`${path}: ${reply.status}`)
        for (const href of hrefs(reply.text)) links.set(href, path)
      }
      expect(bad).toEqual([])

      const reported = new Set(deploy.warnings.map((warning) => warning.message))
      for (const [href, from] of links) {
        const [path = '', anchor] = href.split('#')
        let reply = await getSite(service.port, host, path)
        const direct = reply.status === 200
        for (let hops = 0; hops < 3 && reply.status >= 300 && reply.status < 400; hops++) {
          const location = String(reply.headers['location'])
          if (!location.startsWith('/')) break
          reply = await getSite(service.port, host, location.split('#')[0] ?? '/')
        }
        // Where a redirect leads is another page than the writer had in mind: its anchors are not checked.
        const answers =
          reply.status < 400 && (!anchor || !direct || !path || hasAnchor(reply.text, decodeURIComponent(anchor)))
        if (!answers && ![...reported].some((message) => message.includes(path)))
          bad.push(`${from} → ${href}: ${reply.status}`)
      }
      expect(bad).toEqual([])
    },
  )
})
