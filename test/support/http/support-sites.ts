import { createServer } from 'node:http'
import { createSiteHandler, type SiteTarget } from '#http/sites/sites.ts'
import { listen, openHosting, sendRaw } from '#test/support/hosting/support.ts'
import { makeRelease } from '#test/support/hosting/support-release.ts'

/** Two sites and, for all else, a service that says so. */
export async function startService(
  resolveLate = false,
  svg: string | Buffer = '<svg>tenant-b</svg>',
  base = '',
): Promise<{ port: number; errors: unknown[]; ask: (head: string) => Promise<string> }> {
  const { hosting } = await openHosting()
  const live = new Map<string, SiteTarget>()
  for (const project of ['tenant-a', 'tenant-b']) {
    const files = { '/_assets/x.svg': { content: svg, type: 'image/svg+xml' } }
    const { release, blobs } = makeRelease({
      id: 'r1',
      shell: project,
      pages: { '/': `Home of ${project}`, '/page': `Page of ${project}` },
      ...(project === 'tenant-b' ? { files } : {}),
      ...(base === '' ? {} : { base, redirects: [{ from: '/old', to: '/page', status: 308 as const }] }),
    })
    await (await hosting.open(project)).publish(release, blobs)
    live.set(project, { project, release: 'r1', preview: false })
  }
  const errors: unknown[] = []
  const resolve = (label: string): SiteTarget | null => {
    if (label === 'broken') throw new Error('the store is broken')
    return live.get(label) ?? null
  }
  const sites = createSiteHandler({
    hosting,
    hosts: { publicUrl: 'https://dashboard.example', previewDomain: 'preview.example' },
    resolve: resolveLate ? (label) => Promise.resolve(label).then(resolve) : resolve,
    resolveDomain: (domain) => (domain === 'docs.tenant-a.example' ? resolve('tenant-a') : undefined),
    baseOf: ({ label }) => (label === 'tenant-a' && base !== '' ? hosting.baseOf(label, 'r1') : ''),
    admit: () => true,
    onSite: () => undefined,
    onError: (error) => errors.push(error),
  })
  const server = createServer((request, response) => {
    if (!sites(request, response)) response.end(`the service at ${request.url}`)
  })
  const port = await listen(server)
  const ask = (head: string): Promise<string> => sendRaw(port, `${head}\nConnection: close\n\n`)
  return { port, errors, ask }
}

export const statusOf = (reply: string): number => Number(reply.slice(9, 12))
