import { Command } from 'commander'
import { defineLater, type Define } from './lazy-command.ts'

/** What the help of the whole says of a command; its module, which is loaded when it is called, says the rest. */
interface ListedCommand {
  readonly name: string
  /** So short that a line of 80 columns takes it with the name. */
  readonly about: string
  readonly load: () => Promise<Define>
}

interface CommandGroup {
  readonly title: string
  readonly commands: readonly ListedCommand[]
}

/** All commands that people call, as the help groups them. */
const commandGroups: readonly CommandGroup[] = [
  {
    title: 'Write and deploy',
    commands: [
      {
        name: 'ui',
        about: 'write and publish in the terminal; the same as quire alone',
        load: async () => (await import('./commands/ui.ts')).defineUi,
      },
      {
        name: 'init',
        about: 'write first pages, docs.json and a workflow for CI',
        load: async () => (await import('./commands/init.ts')).defineInit,
      },
      {
        name: 'import',
        about: 'turn a site of another system into one of Quire',
        load: async () => (await import('./commands/import.ts')).defineImport,
      },
      {
        name: 'dev',
        about: 'show a folder as its site, and each change as it is saved',
        load: async () => (await import('./commands/dev.ts')).defineDev,
      },
      {
        name: 'deploy',
        about: 'make the files of a folder the live site',
        load: async () => (await import('./commands/deploy.ts')).defineDeploy,
      },
      {
        name: 'link',
        about: 'have this folder remember its service and project',
        load: async () => (await import('./commands/link.ts')).defineLink,
      },
      {
        name: 'unlink',
        about: 'have this folder forget them',
        load: async () => (await import('./commands/link.ts')).defineUnlink,
      },
      {
        name: 'check',
        about: 'say what a deploy would say, and deploy nothing',
        load: async () => (await import('./commands/check.ts')).defineCheck,
      },
      {
        name: 'logs',
        about: 'show how a deploy went: stages, errors, warnings',
        load: async () => (await import('./commands/logs.ts')).defineLogs,
      },
      {
        name: 'status',
        about: 'show who you are, what is live, branches and usage',
        load: async () => (await import('./commands/status.ts')).defineStatus,
      },
      {
        name: 'open',
        about: 'open the site, a preview or the dashboard in a browser',
        load: async () => (await import('./commands/open.ts')).defineOpen,
      },
      {
        name: 'deploys',
        about: 'list the last deploys',
        load: async () => (await import('./commands/deploys.ts')).defineDeploys,
      },
      {
        name: 'rollback',
        about: 'serve an earlier deploy again, without a build',
        load: async () => (await import('./commands/deploys.ts')).defineRollback,
      },
      {
        name: 'generate',
        about: 'write pages from source code; again, those that changed',
        load: async () => (await import('./commands/generate.ts')).defineGenerate,
      },
    ],
  },
  {
    title: 'Branches',
    commands: [
      {
        name: 'branches',
        about: 'list the branches with their changes and previews',
        load: async () => (await import('./commands/branches.ts')).defineBranches,
      },
      {
        name: 'branch',
        about: 'create, delete and look at branches',
        load: async () => (await import('./commands/branches.ts')).defineBranch,
      },
      {
        name: 'preview',
        about: 'print where a branch can be seen, and if it builds',
        load: async () => (await import('./commands/preview.ts')).definePreview,
      },
      {
        name: 'publish',
        about: 'merge a branch into main and make it live',
        load: async () => (await import('./commands/publish.ts')).definePublish,
      },
      {
        name: 'assistant',
        about: 'ask the assistant to work on a branch',
        load: async () => (await import('./commands/assistant.ts')).defineAssistant,
      },
      {
        name: 'clone',
        about: 'clone the repository; no credential is written into it',
        load: async () => (await import('./commands/clone.ts')).defineClone,
      },
    ],
  },
  {
    title: 'Project',
    commands: [
      {
        name: 'projects',
        about: 'list, create, rename and delete projects',
        load: async () => (await import('./commands/projects.ts')).defineProjects,
      },
      {
        name: 'rename',
        about: 'give the project another slug, and its site another address',
        load: async () => (await import('./commands/projects.ts')).defineRename,
      },
      {
        name: 'usage',
        about: 'show what is used of the plan, and when it starts anew',
        load: async () => (await import('./commands/usage.ts')).defineUsage,
      },
      {
        name: 'analytics',
        about: 'show what readers look at, search for and find helpful',
        load: async () => (await import('./commands/analytics.ts')).defineAnalytics,
      },
      {
        name: 'feedback',
        about: 'read the notes of readers, and delete one',
        load: async () => (await import('./commands/analytics.ts')).defineFeedback,
      },
      {
        name: 'members',
        about: 'list, invite and remove members',
        load: async () => (await import('./commands/people.ts')).defineMembers,
      },
      {
        name: 'keys',
        about: 'create, list, rename and revoke API keys',
        load: async () => (await import('./commands/keys.ts')).defineKeys,
      },
      {
        name: 'domains',
        about: 'serve the site on domains of your own',
        load: async () => (await import('./commands/domains.ts')).defineDomains,
      },
      {
        name: 'visibility',
        about: 'say who can see the site: everybody, or some people',
        load: async () => (await import('./commands/visibility.ts')).defineVisibility,
      },
      {
        name: 'share',
        about: 'hand out links to a private site, and revoke them',
        load: async () => (await import('./commands/share.ts')).defineShare,
      },
      {
        name: 'changelog',
        about: 'announce what is new: a public page and feeds',
        load: async () => (await import('./commands/changelog.ts')).defineChangelog,
      },
      {
        name: 'webhooks',
        about: 'tell other services of deploys, previews and entries',
        load: async () => (await import('./commands/webhooks.ts')).defineWebhooks,
      },
      {
        name: 'leave',
        about: 'leave a project that somebody else owns',
        load: async () => (await import('./commands/projects.ts')).defineLeave,
      },
    ],
  },
  {
    title: 'Account',
    commands: [
      {
        name: 'login',
        about: 'sign in with a browser, on this machine or another one',
        load: async () => (await import('./commands/account.ts')).defineLogin,
      },
      {
        name: 'logout',
        about: 'end the session of quire login, on the service and here',
        load: async () => (await import('./commands/account.ts')).defineLogout,
      },
      {
        name: 'whoami',
        about: 'show who you are, and where the credential is kept',
        load: async () => (await import('./commands/account.ts')).defineWhoami,
      },
      {
        name: 'invitations',
        about: 'list invitations to you, accept or decline them',
        load: async () => (await import('./commands/people.ts')).defineInvitations,
      },
    ],
  },
  {
    title: 'Service',
    commands: [
      {
        name: 'serve',
        about: 'run the service, with the settings of the environment',
        load: async () => (await import('./commands/admin.ts')).defineServe,
      },
      {
        name: 'admin',
        about: 'look after the data of a service on this machine',
        load: async () => (await import('./commands/admin.ts')).defineAdmin,
      },
    ],
  },
  {
    title: 'More',
    commands: [
      {
        name: 'completion',
        about: 'print what completes commands in bash, zsh or fish',
        load: async () => (await import('./commands/completion.ts')).defineCompletion,
      },
    ],
  },
]

/** What programs call. */
const hiddenCommands: Readonly<Record<string, ListedCommand['load']>> = {
  complete: async () => (await import('./commands/completion.ts')).defineComplete,
  'git-credential': async () => (await import('./commands/clone.ts')).defineGitCredential,
  'keychain-process': async () => (await import('./credentials/keychain.ts')).defineKeychainProcess,
}

/** Gives the program all commands; what they do is loaded when they are called. */
export function addCommands(program: Command): void {
  for (const { title, commands } of commandGroups) {
    for (const { name, about, load } of commands)
      defineLater(program.command(name).description(about).helpGroup(`${title}:`), load)
  }
  program.addHelpCommand(
    new Command('help').argument('[command]').description('show the help of a command').helpGroup('More:'),
  )
  for (const [name, load] of Object.entries(hiddenCommands)) defineLater(program.command(name, { hidden: true }), load)
}
