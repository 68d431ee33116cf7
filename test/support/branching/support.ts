import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Branch, SavedFile } from '#contract/branches.ts'
import type { Deploy } from '#contract/deploys.ts'
import { contract } from '#contract/index.ts'
import { createProject, type ProjectAccess } from '#test/support/service-process.ts'
import { getSite, type SiteReply } from '#test/support/site.ts'

/** A project of a running service, in the words of the tests about branches. */
export interface Desk extends ProjectAccess {
  readonly port: number
  readonly directory: string
  git(...args: string[]): string
  deploy(files: Readonly<Record<string, string>>): Promise<Deploy>
  branch(name: string, from?: string): Promise<Branch>
  read(branch: Pick<Branch, 'id'>): Promise<Branch>
  list(): Promise<Branch[]>
  /** Saves over whatever is there. */
  save(branch: Pick<Branch, 'id'>, path: string, content: string, headers?: Record<string, string>): Promise<SavedFile>
  publish(branch: Pick<Branch, 'id'>, headers?: Record<string, string>): Promise<Deploy>
  /** Waits until the preview of the head is built; answers with the branch then. */
  previewed(branch: Pick<Branch, 'id'>): Promise<Branch>
  preview(branch: Branch, path: string, headers?: Record<string, string>): Promise<SiteReply>
  site(path: string): Promise<SiteReply>
}

export async function openDesk(service: {
  readonly url: string
  readonly port: number
  readonly directory: string
}): Promise<Desk> {
  return deskOf(service, await createProject(service.url, `p${randomUUID().slice(0, 8)}`))
}

export function deskOf(
  { port, directory }: { readonly port: number; readonly directory: string },
  project: ProjectAccess,
): Desk {
  const { slug, client } = project
  const read = (branch: Pick<Branch, 'id'>): Promise<Branch> =>
    client.call(contract.branches.read, { params: { slug, id: branch.id } })
  return {
    ...project,
    port,
    directory,
    git: (...args) =>
      execFileSync('git', ['--git-dir', join(directory, `${slug}.git`), ...args], { encoding: 'utf8' }).trim(),
    deploy: (files) =>
      client.call(contract.deploys.create, {
        body: { files: Object.entries(files).map(([path, content]) => ({ path, content })) },
      }),
    branch: (name, from) =>
      client.call(contract.branches.create, {
        params: { slug },
        body: { name, ...(from === undefined ? {} : { from }) },
      }),
    read,
    list: async () => (await client.call(contract.branches.list, { params: { slug }, query: {} })).items,
    save: async (branch, path, content, headers) => {
      const params = { slug, id: branch.id, path }
      const exists = headers === undefined && (await hasFile(project, branch, path))
      return client.call(contract.branches.saveFile, {
        params,
        body: { content },
        headers: headers ?? (exists ? { 'if-match': '*' } : {}),
      })
    },
    publish: (branch, headers = {}) =>
      client.call(contract.branches.publish, { params: { slug }, body: { branchId: branch.id }, headers }),
    previewed: async (branch) => {
      const settled = (status: string): boolean => status === 'live' || status === 'failed'
      await expect.poll(async () => settled((await read(branch)).preview.status)).toBe(true)
      return read(branch)
    },
    preview: (branch, path, headers) => getSite(port, new URL(branch.previewUrl).hostname, path, headers),
    site: (path) => getSite(port, `${slug}.localhost`, path),
  }
}

async function hasFile({ slug, client }: ProjectAccess, { id }: Pick<Branch, 'id'>, path: string): Promise<boolean> {
  const { items } = await client.call(contract.branches.files, { params: { slug, id } })
  return items.some((file) => file.path === path && file.status !== 'deleted')
}
