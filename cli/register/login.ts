import { program, run } from '../program.ts'

program
  .command('login')
  .description('sign in with a browser, on this machine or another one')
  .option('--no-browser', 'only print the address')
  .option('--require-keychain', 'fail instead of keeping the session in a file')
  .action((options: { browser: boolean; requireKeychain?: boolean }) =>
    run(async (output, url) => (await import('../commands/login.ts')).login({ ...options, url }, output)),
  )

program
  .command('logout')
  .description('end the session of quire login, on the service and here')
  .action(() => run(async (output, url) => (await import('../commands/logout.ts')).logout({ url }, output)))

program
  .command('whoami')
  .description('show the account or key in use, its projects, and where the credential is kept')
  .action(() => run(async (output, url) => (await import('../commands/whoami.ts')).whoami({ url }, output)))

program
  .command('leave')
  .description('leave a project that somebody else owns, named with --project')
  .option('--yes', 'do not ask')
  .action((options: { yes?: boolean }) =>
    run(async (output, url) => (await import('../commands/leave.ts')).leave({ ...options, url }, output)),
  )

// Not for people: git calls the one, this program itself the other.
program
  .command('git-credential', { hidden: true })
  .argument('<origin>')
  .argument('<verb>')
  .action((origin: string, verb: string) =>
    run(async (output, url) =>
      (await import('../commands/git-credential.ts')).gitCredential(verb, { url, origin }, output),
    ),
  )

program
  .command('keychain-process', { hidden: true })
  .argument('<verb>')
  .argument('<service>')
  .action((verb: string, service: string) =>
    run(async () => (await import('../credentials/keychain-process.ts')).keychainProcess(verb, service)),
  )
