import { relative, resolve } from 'node:path'
import type { Command } from 'commander'
import { isLoopback } from '../../src/client/client.ts'
import { exitCodes, Failure } from '../../src/contract/failure.ts'
import { homeFolder } from '../environment.ts'
import { addRemarks } from '../help.ts'
import { linkName, linkOf, nearestLink, removeLink, writeLink } from '../service/link-file.ts'
import { Output } from '../output.ts'
import { run, runHere } from '../program.ts'
import { openProject, type OpenProject } from '../service/project.ts'

export function defineLink(command: Command): void {
  addRemarks(
    command,
    `Commands in this folder and below it mean that service and project then, unless --url and --project, or QUIRE_URL and QUIRE_PROJECT, say otherwise. ${linkName} has no secret in it: commit it. No deploy sends it.`,
  )
    .argument('[slug]', 'the project (default: the only one, or the one that you choose)')
    .action((slug: string | undefined) => run((output, url) => link(slug, { url }, output)))
}

/** `quire link [slug]`: writes `.quire.json` into the working directory. */
async function link(slug: string | undefined, { url }: { readonly url: string }, output: Output): Promise<number> {
  const before = await linkOf('.').catch(() => undefined)
  const { environment } = output
  // What the folder was linked to before is not what is meant now.
  const named = environment.projectBy?.kind === 'link' ? undefined : environment.project
  const meant = { ...environment, project: slug ?? named, projectBy: undefined }
  const project = await openProject(url, new Output(meant, output.json))
  const path = await writeLink('.', { service: url, project: project.slug })
  const replaced = before === undefined ? {} : { replaced: { service: before.service, project: before.project } }
  output.result(
    { path, service: url, project: project.slug, ...replaced },
    `This folder is linked to ${project.slug} at ${url}: ${linkName} says so. Commit it, so that others deploy there, too.`,
  )
  return exitCodes.ok
}

export function defineUnlink(command: Command): void {
  command.action(() => runHere(unlink))
}

/** `quire unlink`: removes `.quire.json` of the working directory. */
async function unlink(output: Output): Promise<number> {
  const path = resolve(linkName)
  const isHere = await linkOf('.').then(
    (found) => found !== undefined,
    // One that is wrong is removed as well.
    () => true,
  )
  if (isHere) {
    await removeLink({ path })
    output.result({ path, unlinked: true }, `This folder is linked no more: ${linkName} is removed.`)
    return exitCodes.ok
  }
  const above = await nearestLink('.')
  if (above !== undefined) {
    throw new Failure('not_found', `This folder has no ${linkName}; ${above.path} holds for it.`, {
      hint: 'Run quire unlink in the folder of that file.',
    })
  }
  output.result({ path, unlinked: false }, 'This folder was not linked.')
  return exitCodes.ok
}

/**
 * The first deploy of a folder that a person at a terminal makes has it remember its project. Not a deploy to this machine:
 * what is tried out here is not what the folder is deployed to for good.
 */
export async function linkFirstDeploy(
  directory: string,
  { credential, slug, url }: Pick<OpenProject, 'credential' | 'slug' | 'url'>,
  output: Output,
): Promise<void> {
  const { interactive, urlBy, projectBy } = output.environment
  if (!interactive || output.json || credential.kind === 'key' || isLoopback(url)) return
  if (urlBy?.kind === 'origin' || projectBy?.kind === 'origin' || resolve(directory) === homeFolder()) return
  for (const folder of [directory, '.']) if ((await nearestLink(folder)) !== undefined) return
  try {
    const path = relative('.', await writeLink(directory, { service: url, project: slug }))
    output.note(`Linked to ${slug} at ${url}: ${path} says so. Commit it; quire unlink removes it.`)
  } catch (error) {
    // It is deployed all the same.
    if (!(error instanceof Failure)) throw error
    output.note(error.message)
  }
}

/** A link goes along with the rename of its project. */
export async function renameLink(before: string, now: string, output: Output): Promise<void> {
  const found = await nearestLink('.')
  if (found?.project !== before) return
  const { path, ...remembered } = found
  await writeLink(resolve(path, '..'), { ...remembered, project: now })
  output.note(output.paint('dim', `${relative('.', path)} says so, too`))
}
