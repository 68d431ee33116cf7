import type { Entry } from '../../src/contract/changelog.ts'
import { collect, program, run } from '../program.ts'

interface FieldOptions {
  readonly title?: string
  readonly versionTag?: string
  readonly tag?: string[]
  readonly at?: string
}

const load = () => import('../commands/changelog.ts')

/** Flags that say the same as the front matter of a file. */
function fieldsOf({ title, versionTag, tag, at }: FieldOptions) {
  return {
    ...(title === undefined ? {} : { title }),
    ...(versionTag === undefined ? {} : { version: versionTag }),
    ...(tag === undefined ? {} : { tags: tag }),
    ...(at === undefined ? {} : { at }),
  }
}

const changelog = program
  .command('changelog')
  .description('announce what is new: a public page and feeds')
  .showHelpAfterError('Run quire changelog --help to see its commands.')
  .addHelpText(
    'before',
    `Examples
  $ quire changelog add notes.md --publish                  public at once
  $ quire changelog add notes.md --at 2027-01-15T09:00:00Z  public from then on
  $ quire changelog add                                     a draft, written in $EDITOR
`,
  )

changelog
  .command('list', { isDefault: true })
  .description('list the entries, newest first')
  .option('-n, --limit <number>', 'how many', Number, 20)
  .option('--status <status>', 'only draft, scheduled or published ones')
  .option('--tag <tag>', 'only entries with this tag')
  .action((options: { limit: number; status?: Entry['status']; tag?: string }) =>
    run(async (output, url) => (await load()).listEntries({ ...options, url }, output)),
  )

changelog
  .command('show')
  .description('print an entry’s Markdown')
  .argument('<id>', 'id of the entry')
  .action((id: string) => run(async (output, url) => (await load()).showEntry(id, { url }, output)))

changelog
  .command('add')
  .description('add an entry from a Markdown file, from standard input (-) or in $EDITOR; a draft unless published')
  .argument('[file]', 'may have front matter: title, version, tags, published_at')
  .option('--title <text>', 'title of the entry (default: of the front matter, or the first heading)')
  .option('--version-tag <text>', 'version that the entry is about')
  .option('--tag <tag>', 'tag of the entry (repeatable)', collect)
  .option('--publish', 'publish it at once')
  .option('--at <time>', 'publish it at this time')
  .action((file: string | undefined, options: FieldOptions & { publish?: boolean }) =>
    run(async (output, url) => {
      const { publish = false } = options
      return (await load()).addEntry(file, { ...fieldsOf(options), publish, url }, output)
    }),
  )

changelog
  .command('edit')
  .description('change an entry: by flags, from a file, or in $EDITOR')
  .argument('<id>', 'id of the entry')
  .argument('[file]', 'as for add; - for standard input')
  .option('--title <text>', 'title of the entry')
  .option('--version-tag <text>', 'version that the entry is about')
  .option('--tag <tag>', 'tag of the entry, in place of all it has (repeatable)', collect)
  .option('--at <time>', 'time of publication')
  .action((id: string, file: string | undefined, options: FieldOptions) =>
    run(async (output, url) => (await load()).changeEntry(id, file, { ...fieldsOf(options), url }, output)),
  )

changelog
  .command('publish')
  .description('publish an entry, now or later')
  .argument('<id>', 'id of the entry')
  .option('--at <time>', 'publish it at this time')
  .action((id: string, options: { at?: string }) =>
    run(async (output, url) => (await load()).publishEntry(id, { ...options, url }, output)),
  )

changelog
  .command('withdraw')
  .description('make a published entry a draft again')
  .argument('<id>', 'id of the entry')
  .action((id: string) => run(async (output, url) => (await load()).withdrawEntry(id, { url }, output)))

changelog
  .command('delete')
  .description('delete an entry for good')
  .argument('<id>', 'id of the entry')
  .option('--yes', 'do not ask')
  .action((id: string, options: { yes?: boolean }) =>
    run(async (output, url) => (await load()).deleteEntry(id, { ...options, url }, output)),
  )
