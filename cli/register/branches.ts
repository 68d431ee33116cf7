import { collect, program, run } from '../program.ts'

program
  .command('branches')
  .description('list the branches with their changes and previews')
  .action(() => run(async (output, url) => (await import('../commands/branches.ts')).listBranches({ url }, output)))

const branch = program
  .command('branch')
  .description('create, delete and look at branches')
  .showHelpAfterError('Run quire branch --help to see its commands; quire branches lists the branches.')
  .addHelpText(
    'before',
    `Examples
  $ quire branch create new-api             a copy of main, with a preview of its own
  $ quire branch create fix --from new-api  a copy of another branch
  $ quire branch diff new-api               what it would change
`,
  )

branch
  .command('create')
  .description('copy main into a new branch')
  .argument('<name>', 'spaces become hyphens')
  .option('--from <branch>', 'copy this branch or commit instead of main')
  .action((name: string, options: { from?: string }) =>
    run(async (output, url) =>
      (await import('../commands/branches.ts')).createBranch(name, { ...options, url }, output),
    ),
  )

branch
  .command('delete')
  .description('delete a branch with its files and preview')
  .argument('<name>', 'name of the branch')
  .option('--yes', 'do not ask')
  .action((name: string, options: { yes?: boolean }) =>
    run(async (output, url) =>
      (await import('../commands/branches.ts')).deleteBranch(name, { ...options, url }, output),
    ),
  )

branch
  .command('diff')
  .description('what a branch changed since it left main')
  .argument('<name>', 'name of the branch')
  .argument('[path]', 'only this file')
  .action((name: string, path: string | undefined) =>
    run(async (output, url) => (await import('../commands/branch-diff.ts')).diffBranch(name, path, { url }, output)),
  )

branch
  .command('files')
  .description('list the files of a branch that differ from main')
  .argument('<name>', 'name of the branch')
  .option('--all', 'the unchanged ones, too')
  .action((name: string, options: { all?: boolean }) =>
    run(async (output, url) => (await import('../commands/branches.ts')).listFiles(name, { ...options, url }, output)),
  )

program
  .command('preview')
  .description('print the address of a branch’s preview and how its last build went')
  .argument('[branch]', 'default: the branch that is checked out here')
  .option('--open', 'open it in a browser')
  .action((name: string | undefined, options: { open?: boolean }) =>
    run(async (output, url) => (await import('../commands/preview.ts')).preview(name, { ...options, url }, output)),
  )

program
  .command('publish')
  .description('merge a branch into main and make it live; without a branch, publish main again')
  .argument('[branch]', 'name of the branch')
  .option('-m, --message <text>', 'message of the merge commit')
  .option('--use <path=side>', 'settle a conflict with a side: branch or main (repeatable)', collect)
  .option('--content <path=file>', 'settle a conflict with the content of a file (repeatable)', collect)
  .action((name: string | undefined, options: { message?: string; use?: string[]; content?: string[] }) =>
    run(async (output, url) =>
      (await import('../commands/publish.ts')).publish(name, { use: [], content: [], ...options, url }, output),
    ),
  )

program
  .command('clone')
  .description('clone the project’s repository; no credential is written into it')
  .argument('[dir]', 'default: the project’s slug')
  .action((directory: string | undefined) =>
    run(async (output, url) => (await import('../commands/clone.ts')).clone(directory, { url }, output)),
  )
