import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Branches } from '../branching/branches.ts'
import type { Changelog } from '../changelog/changelog.ts'
import type { Config } from '../config.ts'
import { Failure } from '../contract/failure.ts'
import type { Deploys } from '../deploying/deploys.ts'
import type { Projects } from '../projects/projects.ts'
import { hasCode } from '../lib/disk.ts'
import type { Hosting } from '../hosting/hosting.ts'
import { redirectTo } from '../http/sites/moved.ts'
import { PreviewSites } from '../http/sites/previews.ts'
import { createSiteHandler } from '../http/sites/sites.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

/** One server for the dashboard’s host and all sites: the sites are looked at first, without any routing. */
export function serveBoth(
  { publicUrl, previewDomain }: Config,
  rooms: {
    readonly hosting: Hosting
    readonly deploys: Deploys
    readonly branches: Branches
    readonly changelog: Changelog
    readonly projects: Projects
    readonly labelUrl: (label: string) => string
    readonly logger: Logger
  },
  handler: Handler,
): Server {
  const { hosting, deploys, projects, logger } = rooms
  const previews = new PreviewSites(rooms.branches, projects)
  const sites = createSiteHandler({
    hosting,
    hosts: { publicUrl, previewDomain },
    resolve: (label, path) => {
      const named = projects.resolve(label)
      if (named === null) {
        const preview = previews.find(label, path)
        if (preview !== null) return preview
        const moved = previews.movedTo(label)
        return moved === null ? null : redirectTo(rooms.labelUrl(moved))
      }
      const { id, movedTo } = named
      if (movedTo !== null) return redirectTo(rooms.labelUrl(movedTo))
      const release = deploys.liveRelease(id)
      if (release === undefined) return null
      return { project: id, release, preview: false, changelog: rooms.changelog.hrefOf(id) }
    },
    onError: (error, context) => logger.error({ err: error, ...context }, 'a site could not answer'),
  })
  return createServer((request, response) => {
    if (!sites(request, response)) handler(request, response)
  })
}

/** Resolves with the address that the application answers at. Throws Failure `unavailable` where the address cannot be had. */
export async function listenAt(app: FastifyInstance, { host, port }: Config): Promise<string> {
  try {
    return await app.listen({ host, port })
  } catch (cause) {
    const code = ['EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES'].find((known) => hasCode(cause, known))
    if (code === undefined) throw cause
    throw new Failure('unavailable', `The service cannot listen at ${host}, port ${port} (${code}).`, {
      hint: 'Stop the program that listens there, or set PORT and HOST to what is free on this machine.',
      cause,
    })
  }
}
