import { randomBytes } from 'node:crypto'
import type { Command } from 'commander'
import { exitCodes } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import type { Visibility } from '../../src/contract/visibility.ts'
import { addExamples } from '../help.ts'
import type { Output } from '../output.ts'
import { passwordOf } from '../password-input.ts'
import { run } from '../program.ts'
import { openProject } from '../service/project.ts'
import { withRetry } from '../service/retry.ts'
import { confirmed } from '../terminal.ts'

interface Options {
  readonly url: string
}

export function defineVisibility(visibility: Command): void {
  addExamples(visibility, [
    ['visibility private', 'only members see it'],
    ['visibility password', 'sets a random one, and prints it'],
    ['share create Reviewers', 'prints a link for others'],
  ])

  visibility
    .command('show', { isDefault: true })
    .description('say who can see the site')
    .action(() => run((output, url) => showVisibility({ url }, output)))

  visibility
    .command('private')
    .description('show the site, previews and changelog to some people only')
    .action(() => run((output, url) => setVisibility('private', { url }, output)))

  visibility
    .command('public')
    .description('show the site to everybody; its password and links go')
    .option('--yes', 'do not ask')
    .action((options: { yes?: boolean }) => run((output, url) => setVisibility('public', { ...options, url }, output)))

  visibility
    .command('password')
    .description('set the password of a private site; a random one is printed')
    .option('--password-stdin', 'take the password from standard input')
    .option('--remove', 'nobody comes in by a password any more')
    .action((options: { passwordStdin?: boolean; remove?: boolean }) =>
      run((output, url) => setPassword({ ...options, url }, output)),
    )
}

/** `quire visibility`. */
async function showVisibility({ url }: Options, output: Output): Promise<number> {
  const { client, slug, policy } = await openProject(url, output)
  const shown = await withRetry(() => client.call(contract.visibility.read, { params: { slug } }), policy)
  output.result(shown, inWords(slug, shown))
  return exitCodes.ok
}

function inWords(slug: string, { visibility, passwordSetAt, links }: Visibility): string {
  if (visibility === 'public') return `Everybody sees ${slug}.`
  const password = passwordSetAt === undefined ? '' : ', who knows its password'
  const link = links.length === 0 ? '' : `, who has one of ${links.length} share link${links.length === 1 ? '' : 's'}`
  return `${slug} is private: members see it${password}${link}.`
}

/** `quire visibility private`, `quire visibility public`. */
async function setVisibility(
  visibility: Visibility['visibility'],
  options: Options & { readonly yes?: boolean },
  output: Output,
): Promise<number> {
  const { client, slug, policy } = await openProject(options.url, output)
  const params = { slug }
  if (visibility === 'public') {
    const now = await withRetry(() => client.call(contract.visibility.read, { params }), policy)
    const isOpening = now.visibility === 'private'
    if (isOpening && !(await confirmed(`Showing ${slug} to everybody`, options, output))) {
      output.note(`${slug} stays private.`)
      return exitCodes.failed
    }
  }
  const shown = await withRetry(() => client.call(contract.visibility.set, { params, body: { visibility } }), policy)
  output.result(shown, inWords(slug, shown))
  return exitCodes.ok
}

/** `quire visibility password`. */
async function setPassword(
  { url, passwordStdin, remove }: Options & { readonly passwordStdin?: boolean; readonly remove?: boolean },
  output: Output,
): Promise<number> {
  const { client, slug, policy } = await openProject(url, output)
  const params = { slug }
  if (remove === true) {
    await withRetry(() => client.call(contract.visibility.removePassword, { params }), policy)
    output.result({ removed: 'password' }, `${slug} has no password any more.`)
    return exitCodes.ok
  }
  const given = await passwordOf({ passwordStdin: passwordStdin === true })
  const password = given ?? randomBytes(15).toString('base64url')
  const shown = await withRetry(
    () => client.call(contract.visibility.setPassword, { params, body: { password } }),
    policy,
  )
  if (given === undefined) output.note(output.paint('dim', `the password of ${slug}; it is shown this once`))
  output.result(
    { ...shown, ...(given === undefined ? { password } : {}) },
    given === undefined ? password : `${slug} has another password.`,
  )
  return exitCodes.ok
}
