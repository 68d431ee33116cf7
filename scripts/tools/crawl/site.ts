import { readFile, readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { Deploy } from '#contract/deploys.ts'
import { quire } from '#test/support/command-line.ts'
import { createProject, type ServiceProcess } from '#test/support/service-process.ts'
import { getSite, type SiteReply } from '#test/support/site.ts'

/** A folder that was deployed as its owner would do it. */
export interface Site {
  readonly folder: string
  readonly host: string
  readonly origin: string
  readonly deploy: Deploy
  /** @param path encoded, with its query. */
  get(path: string): Promise<SiteReply>
}

/** @throws Error with what the command said, where the folder does not build. */
export async function deployFolder(service: ServiceProcess, folder: string, slug: string): Promise<Site> {
  const { key } = await createProject(service.url, slug)
  const { code, stdout, stderr } = await quire(['deploy', folder, '--url', service.url, '--json'], {
    SERVICE_API_KEY: key,
  })
  if (code !== 0) throw new Error(stdout + stderr)
  const host = `${slug}.localhost`
  const deploy: Deploy = JSON.parse(stdout)
  const origin = `http://${host}:${service.port}`
  return { folder, host, origin, deploy, get: (path) => getSite(service.port, host, path) }
}

/** URL paths, encoded, at which pages of the folder may be. */
export async function pathsOf(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && /\.mdx?$/i.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .map((path) => `/${path.replace(/\.mdx?$/i, '').replace(/(?:^|\/)index$/i, '')}`)
    .map((path) => path.split('/').map(encodeURIComponent).join('/'))
}

/** Pages that the navigation of a folder names, as encoded URL paths. */
export async function navigationOf(folder: string): Promise<readonly string[]> {
  const text = await readFile(join(folder, 'docs.json'), 'utf8').catch(() => '{}')
  const { navigation } = JSON.parse(text) as { navigation?: unknown }
  const named = new Set<string>()
  const look = (node: unknown, key: string): void => {
    if (Array.isArray(node)) for (const item of node) look(item, key)
    else if (typeof node === 'object' && node !== null)
      for (const [name, value] of Object.entries(node)) look(value, name)
    else if (typeof node === 'string' && (key === 'pages' || key === 'root')) named.add(node)
  }
  look(navigation, '')
  return [...named]
    .filter(
      (page) => !/^https?:|^(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|TRACE|WEBHOOK) |\.(?:json|ya?ml) /i.test(page),
    )
    .map((page) => page.replace(/^\/|\.mdx?$/g, '').replace(/(?:^|\/)index$/, ''))
    .map((page) => `/${page.split('/').map(encodeURIComponent).join('/')}`)
}
