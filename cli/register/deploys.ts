import { program, run } from '../program.ts'

program
  .command('deploy')
  .description('send the files of a folder and make the site of them live')
  .argument('[dir]', 'folder with the docs', '.')
  .option('-m, --message <text>', 'what changed; becomes the commit message')
  .option('--dry-run', 'show what would be sent and stop')
  .action((directory: string, options: { message?: string; dryRun?: boolean }) =>
    run(async (output, url) => (await import('../commands/deploy.ts')).deploy(directory, { ...options, url }, output)),
  )

program
  .command('deploys')
  .description('list the last deploys of the project')
  .option('-n, --limit <number>', 'how many', Number, 10)
  .action((options: { limit: number }) =>
    run(async (output, url) => (await import('../commands/deploys.ts')).listDeploys({ ...options, url }, output)),
  )

program
  .command('rollback')
  .description('serve an earlier deploy again, without a build')
  .argument('[deploy]', 'id or number of the deploy (default: the one that was live before)')
  .action((target: string | undefined) =>
    run(async (output, url) => (await import('../commands/deploys.ts')).rollback(target, { url }, output)),
  )
