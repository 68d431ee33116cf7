import { CommanderError, Help, type Command } from 'commander'
import { exitCodes } from '../src/contract/failure.ts'
import { readEnvironment } from './environment.ts'
import { interrupt, program } from './program.ts'

/** Adds flags, arguments and what is run to a command. */
type Define = (command: Command) => void

/** What the help of the whole says of a command; its module, which is loaded when it is called, says the rest. */
interface ListedCommand {
  /** Name, with what may follow. */
  readonly term: string
  readonly about: string
  readonly load: () => Promise<Define>
}

const listed: readonly ListedCommand[] = [
  {
    term: 'ui [options]',
    about: 'write, preview and publish in the terminal; the same as quire alone',
    load: async () => (await import('./commands/ui.ts')).defineUi,
  },
  {
    term: 'deploy [options] [dir]',
    about: 'send the files of a folder and make the site of them live',
    load: async () => (await import('./commands/deploy.ts')).defineDeploy,
  },
  {
    term: 'link [slug]',
    about: 'have this folder remember its service and project, in .quire.json',
    load: async () => (await import('./commands/link.ts')).defineLink,
  },
  {
    term: 'unlink',
    about: 'have this folder forget them',
    load: async () => (await import('./commands/link.ts')).defineUnlink,
  },
  {
    term: 'deploys [options]',
    about: 'list the last deploys of the project',
    load: async () => (await import('./commands/deploys.ts')).defineDeploys,
  },
  {
    term: 'rollback [deploy]',
    about: 'serve an earlier deploy again, without a build',
    load: async () => (await import('./commands/deploys.ts')).defineRollback,
  },
  {
    term: 'serve',
    about: 'run the service in the foreground, with the settings of the environment',
    load: async () => (await import('./commands/admin.ts')).defineServe,
  },
  {
    term: 'admin [options]',
    about: 'look after the data of a service on this machine, whether it runs or not',
    load: async () => (await import('./commands/admin.ts')).defineAdmin,
  },
  {
    term: 'branches',
    about: 'list the branches with their changes and previews',
    load: async () => (await import('./commands/branches.ts')).defineBranches,
  },
  {
    term: 'branch',
    about: 'create, delete and look at branches',
    load: async () => (await import('./commands/branches.ts')).defineBranch,
  },
  {
    term: 'preview [options] [branch]',
    about: 'print the address of a branch’s preview and how its last build went',
    load: async () => (await import('./commands/branches.ts')).definePreview,
  },
  {
    term: 'publish [options] [branch]',
    about: 'merge a branch into main and make it live; without a branch, publish main again',
    load: async () => (await import('./commands/publish.ts')).definePublish,
  },
  {
    term: 'assistant [options] <branch> [message]',
    about: 'ask the assistant to work on a branch; without a message, in a conversation',
    load: async () => (await import('./commands/assistant.ts')).defineAssistant,
  },
  {
    term: 'clone [dir]',
    about: 'clone the project’s repository; no credential is written into it',
    load: async () => (await import('./commands/clone.ts')).defineClone,
  },
  {
    term: 'generate [options] <source_dir>',
    about: 'write pages from source code, and only those anew whose sources changed',
    load: async () => (await import('./commands/generate.ts')).defineGenerate,
  },
  {
    term: 'rename <slug>',
    about: 'give the project another slug, and so its site another address',
    load: async () => (await import('./commands/projects.ts')).defineRename,
  },
  {
    term: 'login [options]',
    about: 'sign in with a browser, on this machine or another one',
    load: async () => (await import('./commands/account.ts')).defineLogin,
  },
  {
    term: 'logout',
    about: 'end the session of quire login, on the service and here',
    load: async () => (await import('./commands/account.ts')).defineLogout,
  },
  {
    term: 'whoami',
    about: 'show the account or key in use, its projects, and where the credential is kept',
    load: async () => (await import('./commands/account.ts')).defineWhoami,
  },
  {
    term: 'leave [options]',
    about: 'leave a project that somebody else owns, named with --project',
    load: async () => (await import('./commands/projects.ts')).defineLeave,
  },
  {
    term: 'members',
    about: 'list the members of the project, invite others, take invitations back',
    load: async () => (await import('./commands/people.ts')).defineMembers,
  },
  {
    term: 'invitations',
    about: 'list the invitations to you, accept or decline them',
    load: async () => (await import('./commands/people.ts')).defineInvitations,
  },
  {
    term: 'keys',
    about: 'list and rename the API keys of the project',
    load: async () => (await import('./commands/people.ts')).defineKeys,
  },
  {
    term: 'domains',
    about: 'serve the site on domains of your own',
    load: async () => (await import('./commands/domains.ts')).defineDomains,
  },
  {
    term: 'usage',
    about: 'show what is used of the plan, what is left and when it starts anew',
    load: async () => (await import('./commands/projects.ts')).defineUsage,
  },
  {
    term: 'changelog',
    about: 'announce what is new: a public page and feeds',
    load: async () => (await import('./commands/changelog.ts')).defineChangelog,
  },
  {
    term: 'webhooks',
    about: 'tell other services of deploys, previews and changelog entries',
    load: async () => (await import('./commands/webhooks.ts')).defineWebhooks,
  },
]

const hidden: Readonly<Record<string, ListedCommand['load']>> = {
  'git-credential': async () => (await import('./commands/clone.ts')).defineGitCredential,
  'keychain-process': async () => (await import('./credentials/keychain.ts')).defineKeychainProcess,
}

const terms = new Map<Command, string>()
const loaders = new Map<Command, ListedCommand['load']>()
for (const { term, about, load } of listed) {
  const command = program.command(term.split(' ', 1)[0] ?? term).description(about)
  terms.set(command, term)
  loaders.set(command, load)
}
for (const [name, load] of Object.entries(hidden)) loaders.set(program.command(name, { hidden: true }), load)

/** Loads what a command does, once. */
async function complete(command: Command): Promise<void> {
  const load = loaders.get(command)
  loaders.delete(command)
  if (load === undefined) return
  const define = await load()
  define(command)
}

const plainHelp = new Help()
program.configureHelp({ subcommandTerm: (command) => terms.get(command) ?? plainHelp.subcommandTerm(command) })
program.hook('preSubcommand', (_program, command) => complete(command))
/** Without a command, a person at a terminal gets the UI; everybody else the help. */
function opensUi(words: readonly string[]): boolean {
  const { interactive, columns } = readEnvironment()
  if (!interactive || columns === undefined || /^-(?:h|-help|V|-version)$/m.test(words.join('\n'))) return false
  return program.parseOptions([...words]).operands.length === 0
}

/**
 * The output goes nowhere any more. Where whoever read it has had enough of it, such as `head`, nothing more is to be said,
 * and nothing is wrong; where it cannot be written, that is said in a sentence.
 */
function outputEnded(error: NodeJS.ErrnoException): void {
  // A command that looks after its output itself, such as a backup, says what became of it.
  if (process.stdout.listenerCount('error') > 1) return
  if (error.code === 'EPIPE') process.exit()
  const reason = error.code === 'ENOSPC' ? 'the disk is full' : error.message
  process.stderr.write(`error  The output could not be written: ${reason}. What is there of it is not whole.\n`)
  process.exit(exitCodes.temporary)
}

/** Nothing is left to say it on: the exit code says how it went. */
function notesEnded(): void {}

/** Does what the words of the command line say; the exit code says how that went. */
export async function main(): Promise<void> {
  const words = process.argv.slice(2)
  // `quire help deploy` shows a command without calling it.
  const helped = words[words.indexOf('help') + 1]
  const shown = program.commands.find((command) => command.name() === helped)
  if (shown !== undefined) await complete(shown)
  process.on('SIGINT', interrupt)
  const said = opensUi(words) ? ['ui', ...words] : words
  // The UI looks after its terminal itself.
  if (!said.includes('ui')) {
    process.stdout.on('error', outputEnded)
    process.stderr.on('error', notesEnded)
  }
  try {
    await program.parseAsync(said, { from: 'user' })
  } catch (error) {
    // Commander has told the user already; help and version are no errors.
    if (!(error instanceof CommanderError)) throw error
    process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
  }
}

/** Runs what the UI runs when it opens, so that its code is compiled: see `quire.ts`. */
export async function compileAhead(): Promise<void> {
  const { warmUp } = await import('./tui/warm-up.ts')
  await warmUp()
}
