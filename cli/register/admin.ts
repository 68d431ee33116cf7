import { program, run } from '../program.ts'

interface Data {
  readonly data?: string
}

program
  .command('serve')
  .description('run the service in the foreground, with the settings of the environment')
  .action(() => run(async () => (await import('../commands/serve.ts')).serve()))

const admin = program
  .command('admin')
  .description('look after the data of a service on this machine, whether it runs or not')
  .option('--data <dir>', 'the data directory (DATA_DIR)')
  .addHelpText(
    'before',
    `Examples
  $ quire admin backup /mnt/backups/quire.tar.gz        while the service runs
  $ quire admin restore quire.tar.gz --into /srv/quire  into an empty directory
  $ quire admin check                                   is anything lost or damaged?
`,
  )

const accounts = admin.command('accounts').description('the people of the service')

accounts
  .command('list')
  .description('list all accounts')
  .action(() =>
    run(async (output) => (await import('../commands/admin/accounts.ts')).listAccounts(admin.opts<Data>(), output)),
  )

accounts
  .command('create')
  .description('create an account, also where signing up is closed; prints a random password')
  .argument('<email>', 'address of the account')
  .option('--password-stdin', 'take the password from standard input')
  .action((email: string, options: { passwordStdin?: boolean }) =>
    run(async (output) =>
      (await import('../commands/admin/accounts.ts')).createAccount(
        email,
        { ...options, ...admin.opts<Data>() },
        output,
      ),
    ),
  )

accounts
  .command('reset-password')
  .description('give an account a new password and end its sessions; prints a random one')
  .argument('<email>', 'address of the account')
  .option('--password-stdin', 'take the password from standard input')
  .action((email: string, options: { passwordStdin?: boolean }) =>
    run(async (output) =>
      (await import('../commands/admin/accounts.ts')).resetPassword(
        email,
        { ...options, ...admin.opts<Data>() },
        output,
      ),
    ),
  )

accounts
  .command('remove')
  .description('remove an account that owns no project, with its sessions and its part in projects of others')
  .argument('<email>', 'address of the account')
  .option('--yes', 'do not ask')
  .action((email: string, options: { yes?: boolean }) =>
    run(async (output) =>
      (await import('../commands/admin/accounts.ts')).removeAccount(
        email,
        { ...options, ...admin.opts<Data>() },
        output,
      ),
    ),
  )

admin
  .command('transfer')
  .description('make an account the owner of a project, and its owner a writer')
  .argument('<slug>', 'the project')
  .argument('<email>', 'address of the account')
  .action((slug: string, email: string) =>
    run(async (output) =>
      (await import('../commands/admin/accounts.ts')).transferProject(slug, email, admin.opts<Data>(), output),
    ),
  )

admin
  .command('plan')
  .description('put an account, and so its projects, on a plan')
  .argument('<email>', 'address of the account')
  .argument('<plan>', 'free or pro')
  .action((email: string, plan: string) =>
    run(async (output) =>
      (await import('../commands/admin/accounts.ts')).setPlan(email, plan, admin.opts<Data>(), output),
    ),
  )

admin
  .command('backup')
  .description('write everything into one archive, while the service goes on')
  .argument('<file>', 'or - for standard output')
  .action((file: string) =>
    run(async (output) => (await import('../commands/admin/archive.ts')).backup(file, admin.opts<Data>(), output)),
  )

admin
  .command('restore')
  .description('make a data directory of an archive')
  .argument('<file>', 'or - for standard input')
  .option('--into <dir>', 'an empty or absent directory (default: the data directory)')
  .action((file: string, options: { into?: string }) =>
    run(async (output) =>
      (await import('../commands/admin/archive.ts')).restore(file, { ...options, ...admin.opts<Data>() }, output),
    ),
  )

admin
  .command('check')
  .description('look for anything that is lost or damaged; changes nothing')
  .action(() => run(async (output) => (await import('../commands/admin/check.ts')).check(admin.opts<Data>(), output)))

admin
  .command('gc')
  .description('collect garbage now: unreachable objects, and releases that nobody can go back to')
  .argument('[slug]', 'one project (default: all)')
  .action((slug: string | undefined) =>
    run(async (output) => (await import('../commands/admin/collect.ts')).collect(slug, admin.opts<Data>(), output)),
  )
