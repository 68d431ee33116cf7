import type { Command } from 'commander'
import type { Scope } from '../../src/contract/endpoint.ts'
import { exitCodes, Failure } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import { defaultScopes, ScopeSchema, type Key } from '../../src/contract/keys.ts'
import { expiryHelp, expiryOf } from '../expiry.ts'
import { addExamples, addRemarks } from '../help.ts'
import { printable, type Output } from '../output.ts'
import { run } from '../program.ts'
import { firstItems, openProject, type OpenProject } from '../service/project.ts'
import { withRetry } from '../service/retry.ts'
import { confirmed } from '../terminal.ts'

interface Options {
  readonly url: string
}

const scopes: readonly string[] = ScopeSchema.anyOf.map((scope) => scope.const)

export function defineKeys(keys: Command): void {
  addExamples(keys, [
    ['keys create ci --scopes deploy', 'prints the key, once'],
    ['keys create ci | gh secret set SERVICE_API_KEY', 'hands it on'],
    ['keys revoke ci', 'ends it at once'],
  ])

  keys
    .command('list', { isDefault: true })
    .description('list the API keys of the project')
    .action(() => run((output, url) => listKeys({ url }, output)))

  const create = keys
    .command('create')
    .description('create an API key; prints it, once')
    .argument('<name>', 'what it is for')
    .option('--scopes <names>', `what it may do, between commas (default: ${defaultScopes.join(',')})`)
    .option('--expires <when>', expiryHelp)
    .action((name: string, options: { scopes?: string; expires?: string }) =>
      run((output, url) => createKey(name, { ...options, url }, output)),
    )
  addRemarks(create, `Scopes are ${scopes.join(', ')}. Standard output is the key alone, so that it can be piped.`)

  keys
    .command('rename')
    .description('give a key another name; what it may do stays')
    .argument('<key>', 'its id or name')
    .argument('<name>', 'its new name')
    .action((key: string, name: string) => run((output, url) => renameKey(key, { name, url }, output)))

  keys
    .command('revoke')
    .description('revoke a key; it stops working at once')
    .argument('<key>', 'its id or name')
    .option('--yes', 'do not ask')
    .action((key: string, options: { yes?: boolean }) =>
      run((output, url) => revokeKey(key, { ...options, url }, output)),
    )
}

async function keysOf({ client, slug, policy }: OpenProject): Promise<Key[]> {
  return firstItems((query) => withRetry(() => client.call(contract.keys.list, { params: { slug }, query }), policy))
}

/** `quire keys`. */
async function listKeys({ url }: Options, output: Output): Promise<number> {
  const project = await openProject(url, output)
  const items = await keysOf(project)
  output.result({ items }, items.length === 0 ? `${project.slug} has no keys.` : items.map(keyLine).join('\n'))
  return exitCodes.ok
}

function keyLine({ id, prefix, scopes: allowed, name, last_used_at: usedAt, expiresAt }: Key): string {
  const used = usedAt === undefined ? 'never used' : `used ${usedAt.slice(0, 10)}`
  const until = expiresAt === undefined ? '' : `, until ${expiresAt.slice(0, 10)}`
  return `${id}  ${prefix}…  ${allowed.join(',')}  ${used}${until}  ${printable(name)}`
}

/** `quire keys create <name>`. Not tried again: the answer is the only one with the key. */
async function createKey(
  name: string,
  { url, scopes: wanted, expires }: Options & { readonly scopes?: string; readonly expires?: string },
  output: Output,
): Promise<number> {
  const body = {
    name,
    ...(wanted === undefined ? {} : { scopes: scopesOf(wanted) }),
    ...(expires === undefined ? {} : { expiresAt: expiryOf(expires) }),
  }
  const { client, slug } = await openProject(url, output)
  const created = await client.call(contract.keys.create, { params: { slug }, body })
  const until = created.expiresAt === undefined ? '' : ` until ${created.expiresAt.slice(0, 10)}`
  output.note(
    output.paint('dim', `${created.id} of ${slug} may ${created.scopes.join(', ')}${until}; it is shown this once`),
  )
  output.result(created, created.key)
  return exitCodes.ok
}

/** @throws Failure invalid_request that names those there are */
function scopesOf(text: string): Scope[] {
  const named = text.split(',').map((name) => name.trim())
  const unknown = named.find((name) => !scopes.includes(name))
  if (unknown === undefined) return named as Scope[]
  throw new Failure('invalid_request', `--scopes: there is no scope ${unknown === '' ? 'without a name' : unknown}.`, {
    hint: `Name some of ${scopes.join(', ')}, between commas.`,
  })
}

/** Ids go before names. @throws Failure not_found; invalid_request where several have the name */
async function findKey(project: OpenProject, wanted: string): Promise<Key> {
  const items = await keysOf(project)
  const found = items.filter(({ id }) => id === wanted)
  const [key, second] = found.length === 0 ? items.filter(({ name }) => name === wanted) : found
  if (key === undefined)
    throw new Failure('not_found', `${project.slug} has no key ${wanted}.`, { hint: 'quire keys lists them.' })
  if (second === undefined) return key
  throw new Failure('invalid_request', `Several keys of ${project.slug} are called ${wanted}.`, {
    hint: `Name one by its id: quire keys lists them, such as ${key.id}.`,
  })
}

/** `quire keys rename <key> <name>`. */
async function renameKey(
  wanted: string,
  { url, name }: Options & { readonly name: string },
  output: Output,
): Promise<number> {
  const project = await openProject(url, output)
  const { client, slug, policy } = project
  const { id } = await findKey(project, wanted)
  const renamed = await withRetry(
    () => client.call(contract.keys.rename, { params: { slug }, body: { id, name } }),
    policy,
  )
  output.result(renamed, `The key ${renamed.id} is called ${printable(renamed.name)} now.`)
  return exitCodes.ok
}

/** `quire keys revoke <key>`. */
async function revokeKey(
  wanted: string,
  options: Options & { readonly yes?: boolean },
  output: Output,
): Promise<number> {
  const project = await openProject(options.url, output)
  const { client, slug, policy } = project
  const key = await findKey(project, wanted)
  if (!(await confirmed(`Revoking the key ${printable(key.name)} (${key.prefix}…)`, options, output))) {
    output.note(`${printable(key.name)} stays.`)
    return exitCodes.failed
  }
  await withRetry(() => client.call(contract.keys.revoke, { params: { slug }, query: { id: key.id } }), policy)
  output.result({ revoked: key.id }, `revoked ${printable(key.name)}`)
  return exitCodes.ok
}
