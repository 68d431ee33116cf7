import type { Command } from 'commander'
import { exitCodes } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import type { Role } from '../../src/contract/members.ts'
import type { Project } from '../../src/contract/projects.ts'
import { placeText } from '../credentials/credentials.ts'
import type { Output } from '../output.ts'
import { listProjects, retryPolicy } from '../project.ts'
import { withRetry } from '../retry.ts'
import { explainRefusal, openService, type Credential } from '../service.ts'
import { run } from '../program.ts'

export function define(command: Command): void {
  command.action(() => run((output, url) => whoami({ url }, output)))
}

/** As many characters of a key as the dashboard shows. */
const shownCharacters = 'quire_'.length + 6

/** `quire whoami`: which account or key is in use, for which projects, and where the credential comes from. */
async function whoami({ url }: { readonly url: string }, output: Output): Promise<number> {
  const { client, credential } = await openService(url, output)
  const policy = retryPolicy(output)
  try {
    const listed = (await withRetry(() => listProjects(client), policy)).toSorted((a, b) => (a.slug < b.slug ? -1 : 1))
    const projects = listed.map(({ slug }) => slug)
    if (credential.kind === 'key') tellKey({ url, credential, projects }, output)
    else {
      const { account } = await withRetry(() => client.call(contract.accounts.me), policy)
      const { place } = credential
      output.result(
        { kind: 'session', url, account, projects, roles: rolesOf(listed), stored: place },
        table({
          account: account.email,
          service: url,
          projects: listed.map(withRole).join(', ') || 'none yet',
          session: placeText(place),
        }),
      )
    }
    return exitCodes.ok
  } catch (error) {
    throw explainRefusal(error, credential)
  }
}

/** By slug. */
function rolesOf(projects: readonly Project[]): Record<string, Role> {
  return Object.fromEntries(projects.flatMap(({ slug, role }) => (role === undefined ? [] : [[slug, role]])))
}

/** Who was added to a project of somebody else sees that it is one. */
function withRole({ slug, role }: Project): string {
  return role === 'writer' ? `${slug} (writer)` : slug
}

function tellKey(
  { url, credential, projects }: { readonly url: string; readonly credential: Credential; readonly projects: string[] },
  output: Output,
): void {
  const prefix = credential.token.slice(0, shownCharacters)
  output.result(
    { kind: 'key', url, prefix, projects, stored: { kind: 'environment', name: 'SERVICE_API_KEY' } },
    table({ key: `${prefix}… from SERVICE_API_KEY`, service: url, project: projects.join(', ') }),
  )
}

function table(rows: Readonly<Record<string, string>>): string {
  return Object.entries(rows)
    .map(([name, value]) => `${name.padEnd(8)}  ${value}`)
    .join('\n')
}
