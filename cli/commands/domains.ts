import type { Command } from 'commander'
import type { Domain } from '../../src/contract/domains.ts'
import { exitCodes, Failure } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import { addExamples } from '../help.ts'
import type { Output } from '../output.ts'
import { run } from '../program.ts'
import { openProject } from '../service/project.ts'
import { withRetry } from '../service/retry.ts'
import { confirmed } from '../terminal.ts'

interface Options {
  readonly url: string
}

export function defineDomains(domains: Command): void {
  addExamples(domains, [
    ['domains add docs.example.com', 'prints what to enter in the DNS'],
    ['domains verify docs.example.com', 'looks for it'],
    ['domains primary docs.example.com', 'leads all readers there'],
  ])

  domains
    .command('list', { isDefault: true })
    .description('list the domains of the project and how they are')
    .action(() => run((output, url) => listDomains({ url }, output)))

  domains
    .command('add')
    .description('add a domain; prints the records that it needs in the DNS')
    .argument('<domain>', 'a host name such as docs.example.com')
    .action((domain: string) => run((output, url) => addDomain(domain, { url }, output)))

  domains
    .command('verify')
    .description('look for the record that shows that a domain is yours')
    .argument('<domain>', 'as it was added')
    .action((domain: string) => run((output, url) => verifyDomain(domain, { url }, output)))

  domains
    .command('primary')
    .description('lead readers of the site’s other addresses to a domain')
    .argument('[domain]', 'one that is verified')
    .option('--none', 'each address shows the site')
    .action((domain: string | undefined, options: { none?: boolean }) =>
      run((output, url) => choosePrimary(domain, { ...options, url }, output)),
    )

  domains
    .command('remove')
    .description('remove a domain; the site is not served there any more')
    .argument('<domain>', 'as it was added')
    .option('--yes', 'do not ask')
    .action((domain: string, options: { yes?: boolean }) =>
      run((output, url) => removeDomain(domain, { ...options, url }, output)),
    )
}

function domainText({ domain, verified, primary, missingSince, problem }: Domain, output: Output): string {
  const state = verified && missingSince === undefined ? 'verified' : verified ? 'failing' : 'pending'
  const line = `${output.paint(stateColors[state], state.padEnd('verified'.length))}  ${domain}${primary ? '  primary' : ''}`
  return problem === undefined ? line : `${line}\n          ${problem}`
}

const stateColors = { verified: 'green', failing: 'yellow', pending: 'yellow' } as const

/** What to enter, whole lines: they are copied from here. */
function recordsText({ records }: Domain, output: Output): string {
  return records
    .map(
      ({ type, name, value, note }) =>
        `${type.padEnd('ALIAS'.length)}  ${name}  ${value}\n${output.paint('dim', note)}`,
    )
    .join('\n\n')
}

/** `quire domains list`. */
async function listDomains({ url }: Options, output: Output): Promise<number> {
  const { client, slug, policy } = await openProject(url, output)
  const { items } = await withRetry(() => client.call(contract.domains.list, { params: { slug } }), policy)
  const lines = items.map((domain) => domainText(domain, output))
  output.result({ items }, items.length === 0 ? `${slug} has no domains of its own.` : lines.join('\n'))
  return exitCodes.ok
}

/** `quire domains add <domain>`. */
async function addDomain(domain: string, { url }: Options, output: Output): Promise<number> {
  const { client, slug, policy } = await openProject(url, output)
  const added = await withRetry(
    () => client.call(contract.domains.create, { params: { slug }, body: { domain } }),
    policy,
  )
  output.note('Enter these records at the provider of the DNS:')
  output.result(added, recordsText(added, output))
  if (!added.verified) output.note(`Then: quire domains verify ${added.domain}`)
  return exitCodes.ok
}

/** `quire domains verify <domain>`: a domain that is not verified is a failure of the command, too. */
async function verifyDomain(domain: string, { url }: Options, output: Output): Promise<number> {
  const { client, slug, policy } = await openProject(url, output)
  const looked = await withRetry(() => client.call(contract.domains.verify, { params: { slug, domain } }), policy)
  output.result(looked, domainText(looked, output))
  return looked.verified ? exitCodes.ok : exitCodes.failed
}

/** `quire domains primary <domain>`; `--none`. */
async function choosePrimary(
  domain: string | undefined,
  options: Options & { readonly none?: boolean },
  output: Output,
): Promise<number> {
  if ((domain === undefined) !== (options.none === true))
    throw new Failure('invalid_request', 'Name the domain that readers are led to, or --none.')
  const { client, slug, policy } = await openProject(options.url, output)
  const body = { domain: domain ?? null }
  const { items } = await withRetry(() => client.call(contract.domains.setPrimary, { params: { slug }, body }), policy)
  const primary = items.find((item) => item.primary)
  output.result(
    { items },
    primary === undefined ? 'Each address shows the site.' : `Readers of other addresses are led to ${primary.url}.`,
  )
  return exitCodes.ok
}

/** `quire domains remove <domain>`. */
async function removeDomain(
  domain: string,
  options: Options & { readonly yes?: boolean },
  output: Output,
): Promise<number> {
  const { client, slug, policy } = await openProject(options.url, output)
  if (!(await confirmed(`Removing the domain ${domain}`, options, output))) {
    output.note(`${domain} stays.`)
    return exitCodes.failed
  }
  await withRetry(() => client.call(contract.domains.remove, { params: { slug }, query: { domain } }), policy)
  output.result({ removed: domain }, `removed ${domain}`)
  return exitCodes.ok
}
