import type { Command } from 'commander'
import type { Client } from '../../src/client/client.ts'
import type { Entry, EntryChange, ReadEntry } from '../../src/contract/changelog.ts'
import { Failure, exitCodes } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import { confirmed } from '../terminal.ts'
import { editEntry, entryOf, type EntryFields } from '../changelog-entry.ts'
import { addExamples } from '../help.ts'
import type { Output } from '../output.ts'
import { firstItems, openProject, type OpenProject } from '../service/project.ts'
import { withRetry } from '../service/retry.ts'
import { collect, run } from '../program.ts'

const colors = { draft: 'yellow', scheduled: 'cyan', published: 'green' } as const

export function defineChangelog(changelog: Command): void {
  addExamples(changelog, [
    ['changelog add notes.md --publish', 'public at once'],
    ['changelog add notes.md --at 2027-01-15T09:00:00Z', 'public from then on'],
    ['changelog add', 'written in $EDITOR'],
  ])
  defineReading(changelog)
  defineWriting(changelog)
  definePublication(changelog)
}

function defineReading(changelog: Command): void {
  changelog
    .command('list', { isDefault: true })
    .description('list the entries, newest first')
    .option('-n, --limit <number>', 'how many', Number, 20)
    .option('--status <status>', 'only draft, scheduled or published ones')
    .option('--tag <tag>', 'only entries with this tag')
    .action((options: { limit: number; status?: Entry['status']; tag?: string }) =>
      run((output, url) => listEntries({ ...options, url }, output)),
    )

  changelog
    .command('show')
    .description('print an entry’s Markdown')
    .argument('<id>', 'id of the entry')
    .action((id: string) => run((output, url) => showEntry(id, { url }, output)))
}

function defineWriting(changelog: Command): void {
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
      run((output, url) => {
        const { publish = false } = options
        return addEntry(file, { ...fieldsOf(options), publish, url }, output)
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
      run((output, url) => changeEntry(id, file, { ...fieldsOf(options), url }, output)),
    )
}

/** Whether readers see an entry. */
function definePublication(changelog: Command): void {
  changelog
    .command('publish')
    .description('publish an entry, now or later')
    .argument('<id>', 'id of the entry')
    .option('--at <time>', 'publish it at this time')
    .action((id: string, options: { at?: string }) =>
      run((output, url) => publishEntry(id, { ...options, url }, output)),
    )

  changelog
    .command('withdraw')
    .description('make a published entry a draft again')
    .argument('<id>', 'id of the entry')
    .action((id: string) => run((output, url) => withdrawEntry(id, { url }, output)))

  changelog
    .command('delete')
    .description('delete an entry for good')
    .argument('<id>', 'id of the entry')
    .option('--yes', 'do not ask')
    .action((id: string, options: { yes?: boolean }) =>
      run((output, url) => deleteEntry(id, { ...options, url }, output)),
    )
}

interface FieldOptions {
  readonly title?: string
  readonly versionTag?: string
  readonly tag?: string[]
  readonly at?: string
}

/** Flags that say the same as the front matter of a file. */
function fieldsOf({ title, versionTag, tag, at }: FieldOptions) {
  return {
    ...(title === undefined ? {} : { title }),
    ...(versionTag === undefined ? {} : { version: versionTag }),
    ...(tag === undefined ? {} : { tags: tag }),
    ...(at === undefined ? {} : { at }),
  }
}

interface Options {
  readonly url: string
}

function lineOf({ id, title, version, status, published_at: at }: Entry, output: Output): string {
  const state = output.paint(colors[status], status.padEnd('published'.length))
  const date = (at ?? '').slice(0, status === 'scheduled' ? 16 : 10).padEnd(10)
  const badge = version === undefined ? '' : ` ${output.paint('dim', version)}`
  return `${state}  ${date}  ${title}${badge}\n           ${output.paint('dim', id)}`
}

/** `quire changelog list`. */
async function listEntries(
  options: Options & { readonly limit: number; readonly status?: Entry['status']; readonly tag?: string },
  output: Output,
): Promise<number> {
  const { client, slug, policy } = await openProject(options.url, output)
  const { limit, status, tag } = options
  const wanted = { ...(status === undefined ? {} : { status }), ...(tag === undefined ? {} : { tag }) }
  const items = await firstItems((page) => {
    const query = { ...page, ...wanted }
    return withRetry(() => client.call(contract.changelog.list, { params: { slug }, query }), policy)
  }, limit)
  const lines = items.map((entry) => lineOf(entry, output))
  output.result(
    { items },
    items.length === 0
      ? `${slug} has no ${status === undefined && tag === undefined ? '' : 'such '}changelog entries.`
      : lines.join('\n'),
  )
  return exitCodes.ok
}

/** `quire changelog show <id>`. */
async function showEntry(id: string, options: Options, output: Output): Promise<number> {
  const entry = await readEntry(await openProject(options.url, output), id)
  output.note(lineOf(entry, output))
  output.result(entry, entry.content)
  return exitCodes.ok
}

/** `quire changelog add [file]`: from a file, from standard input (`-`), or from the editor. */
async function addEntry(
  file: string | undefined,
  options: Options & EntryFields & { readonly publish?: boolean },
  output: Output,
): Promise<number> {
  const { client, slug } = await openProject(options.url, output)
  const { url: _url, at, publish, ...fields } = options
  await entryOf({ file, fields }, output, async ({ title, ...entry }) => {
    if (title === undefined) {
      throw new Failure('invalid_request', 'The entry has no title.', {
        hint: 'Give one with --title, as `title:` in the front matter, or as a first heading.',
      })
    }
    const body = {
      ...entry,
      title,
      is_draft: publish !== true && at === undefined,
      ...(at === undefined ? {} : { published_at: timeOf(at) }),
    }
    tell('added', await client.call(contract.changelog.create, { params: { slug }, body }), output)
  })
  return exitCodes.ok
}

/** `quire changelog edit <id> [file]`: what is given changes; without anything, in the editor. */
async function changeEntry(
  id: string,
  file: string | undefined,
  options: Options & EntryFields,
  output: Output,
): Promise<number> {
  const project = await openProject(options.url, output)
  const { at, url: _url, ...fields } = options
  const given = [...Object.values(fields), at].some((value) => value !== undefined)
  const time = at === undefined ? {} : { published_at: timeOf(at) }
  if (file === undefined && given) {
    await change(project.client, { ...project, change: { id, ...fields, ...time } }, output)
    return exitCodes.ok
  }
  if (file !== undefined) {
    await entryOf({ file, fields }, output, (entry) =>
      change(project.client, { ...project, change: { id, ...entry, ...time } }, output),
    )
    return exitCodes.ok
  }
  const before = await readEntry(project, id)
  await editEntry(before, output, async ({ version, tags, ...entry }) => {
    // An editor may be open for hours.
    const edited = { id, ...entry, version: version ?? null, tags: tags ?? [], if_updated_at: before.updated_at }
    await change(project.client, { ...project, change: edited }, output)
  })
  return exitCodes.ok
}

/** `quire changelog publish <id>`. */
async function publishEntry(id: string, options: Options & { readonly at?: string }, output: Output): Promise<number> {
  const { client, slug } = await openProject(options.url, output)
  const time = options.at === undefined ? {} : { published_at: timeOf(options.at) }
  await change(client, { slug, change: { id, is_draft: false, ...time } }, output)
  return exitCodes.ok
}

/** `quire changelog withdraw <id>`: a draft again. */
async function withdrawEntry(id: string, options: Options, output: Output): Promise<number> {
  const { client, slug } = await openProject(options.url, output)
  await change(client, { slug, change: { id, is_draft: true } }, output)
  return exitCodes.ok
}

/** `quire changelog delete <id>`. */
async function deleteEntry(id: string, options: Options & { readonly yes?: boolean }, output: Output): Promise<number> {
  const project = await openProject(options.url, output)
  const { title, updated_at: seen } = await readEntry(project, id)
  if (!(await confirmed(`Deleting the entry “${title}”`, options, output))) {
    output.note(`“${title}” stays.`)
    return exitCodes.failed
  }
  const { client, slug, policy } = project
  // Whoever answers takes their time; what somebody wrote meanwhile does not go with it.
  const query = { id, if_updated_at: seen }
  await withRetry(() => client.call(contract.changelog.remove, { params: { slug }, query }), policy)
  output.result({ deleted: id }, `deleted ${id}`)
  return exitCodes.ok
}

function readEntry({ client, slug, policy }: OpenProject, id: string): Promise<ReadEntry> {
  return withRetry(() => client.call(contract.changelog.read, { params: { slug, id } }), policy)
}

async function change(
  client: Client,
  request: { readonly slug: string; readonly change: EntryChange },
  output: Output,
): Promise<void> {
  const { slug, change: body } = request
  tell('changed', await client.call(contract.changelog.update, { params: { slug }, body }), output)
}

function tell(done: string, entry: ReadEntry, output: Output): void {
  const { html: _html, ...shown } = entry
  const next = {
    draft: `It is a draft: publish it with quire changelog publish ${entry.id}`,
    scheduled: `It appears at ${entry.published_at ?? ''}.`,
    published: `It is in the feeds and at ${entry.url}`,
  }[entry.status]
  output.note(output.paint('dim', `${done} “${entry.title}”. ${next}`))
  output.result(shown, entry.id)
}

/** @throws Failure invalid_request for what is no time. */
function timeOf(text: string): string {
  const time = new Date(text)
  if (!Number.isNaN(time.getTime())) return time.toISOString()
  throw new Failure('invalid_request', `${JSON.stringify(text)} is not a time.`, {
    hint: 'Write it as 2026-11-21T09:00:00Z, or without Z for the time here.',
  })
}
