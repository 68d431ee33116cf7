import { program, run } from '../program.ts'

program
  .command('usage')
  .description('show what is used of the plan, what is left and when it starts anew')
  .action(() => run(async (output, url) => (await import('../commands/usage.ts')).showUsage({ url }, output)))
