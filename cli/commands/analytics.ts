import type { Command } from 'commander'
import { analyticsLimits, type Analytics, type FeedbackNote, type Helpful } from '../../src/contract/analytics.ts'
import { exitCodes, Failure } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import { addExamples, addRemarks } from '../help.ts'
import { count, printable, type Output } from '../output.ts'
import { run } from '../program.ts'
import { firstItems, openProject } from '../service/project.ts'
import { withRetry } from '../service/retry.ts'
import { confirmed } from '../terminal.ts'

interface Options {
  readonly url: string
}

/** Pages and terms for a terminal; `--json` has more. */
const shownRows = 15

export function defineAnalytics(command: Command): void {
  addExamples(command, [
    ['analytics --days 90'],
    ['analytics --json > readers.json', 'what there is, for other programs'],
  ])
  addRemarks(
    command,
    'Counted without cookies or addresses, while docs.json of the live site has "analytics": { "enabled": true } or the same of "feedback".',
  )
  command
    .option('-d, --days <number>', `how many, up to today; ${analyticsLimits.days} at most`, Number, 30)
    .action((options: { days: number }) => run((output, url) => showAnalytics({ ...options, url }, output)))
}

/** `quire analytics`. */
async function showAnalytics({ url, days }: Options & { readonly days: number }, output: Output): Promise<number> {
  if (!Number.isInteger(days) || days < 1 || days > analyticsLimits.days)
    throw new Failure('invalid_request', `--days must be a whole number from 1 to ${analyticsLimits.days}.`)
  const { client, slug, policy } = await openProject(url, output)
  const shown = await withRetry(
    () => client.call(contract.analytics.read, { params: { slug }, query: { days } }),
    policy,
  )
  output.result(shown, analyticsText(shown, slug, output))
  return exitCodes.ok
}

function analyticsText(shown: Analytics, slug: string, output: Pick<Output, 'paint'>): string {
  const { enabled, from, to, views, searches, withoutResults, helpful, pages, terms, termsWithoutResults } = shown
  const title = (text: string): string => output.paint('bold', text)
  const sums = [
    count(views, 'view'),
    `${searches} ${searches === 1 ? 'search' : 'searches'}${searches === 0 ? '' : `, ${withoutResults} without results`}`,
    `helpful: ${helpfulText(helpful)}`,
  ]
  const off = [...(enabled.analytics ? [] : ['analytics']), ...(enabled.feedback ? [] : ['feedback'])].map((name) =>
    output.paint('dim', `  ${name} is off: put "${name}": { "enabled": true } into docs.json`),
  )
  const rowsOf = (name: string, rows: readonly (readonly [number, string])[]): string[] =>
    rows.length === 0
      ? []
      : ['', title(name), ...rows.slice(0, shownRows).map(([number, text]) => `${String(number).padStart(7)}  ${text}`)]
  return [
    `${title(slug)}  ${from} to ${to}`,
    '',
    `  ${sums.join('  ·  ')}`,
    ...off,
    ...rowsOf(
      'Pages',
      pages.map((page) => [page.views, `${printable(page.path)}${ratesOf(page.helpful)}`] as const),
    ),
    ...rowsOf(
      'Searches',
      terms.map((term) => [term.searches, printable(term.term)] as const),
    ),
    ...rowsOf(
      'Searches without results',
      termsWithoutResults.map((term) => [term.withoutResults, printable(term.term)] as const),
    ),
  ].join('\n')
}

function helpfulText({ yes, no }: Helpful): string {
  return yes + no === 0 ? 'no answers' : `${Math.round((yes / (yes + no)) * 100)} % of ${count(yes + no, 'answer')}`
}

function ratesOf(helpful: Helpful): string {
  return helpful.yes + helpful.no === 0 ? '' : `  (helpful: ${helpfulText(helpful)})`
}

export function defineFeedback(feedback: Command): void {
  addExamples(feedback, [
    ['feedback --helpful no', 'what readers missed'],
    ['feedback delete f0mh…', 'a note that is spam'],
  ])
  feedback
    .command('list', { isDefault: true })
    .description('list what readers wrote when they said whether a page was helpful')
    .option('-n, --limit <number>', 'how many', Number, 20)
    .option('--page <path>', 'only notes on this page, such as /guide/start')
    .option('--helpful <answer>', 'only notes with this answer: yes or no')
    .action((options: ListOptions) => run((output, url) => listNotes({ ...options, url }, output)))
  feedback
    .command('delete')
    .description('delete a note; its answer stays counted')
    .argument('<note>', 'its id')
    .option('--yes', 'do not ask')
    .action((note: string, options: { yes?: boolean }) =>
      run((output, url) => deleteNote(note, { ...options, url }, output)),
    )
}

interface ListOptions {
  readonly limit: number
  readonly page?: string
  readonly helpful?: string
}

/** `quire feedback`. */
async function listNotes({ url, limit, page, helpful }: Options & ListOptions, output: Output): Promise<number> {
  if (helpful !== undefined && helpful !== 'yes' && helpful !== 'no')
    throw new Failure('invalid_request', '--helpful must be yes or no.')
  const { client, slug } = await openProject(url, output)
  const only: { path?: string; helpful?: 'yes' | 'no' } = {
    ...(page === undefined ? {} : { path: page }),
    ...(helpful === undefined ? {} : { helpful }),
  }
  const items = await firstItems(
    (query) => client.call(contract.feedback.list, { params: { slug }, query: { ...query, ...only } }),
    limit,
  )
  const none = `${slug} has no such notes of readers.`
  output.result({ items }, items.length === 0 ? none : items.map((note) => noteText(note, output)).join('\n\n'))
  return exitCodes.ok
}

function noteText({ id, at, path, helpful, note }: FeedbackNote, output: Pick<Output, 'paint'>): string {
  const answer = output.paint(helpful ? 'green' : 'red', helpful ? 'yes' : 'no')
  const lines = note.split('\n').map((line) => `  ${printable(line)}`)
  return [
    `${at.slice(0, 16).replace('T', ' ')}  ${answer}  ${printable(path)}  ${output.paint('dim', id)}`,
    ...lines,
  ].join('\n')
}

/** `quire feedback delete <note>`. */
async function deleteNote(id: string, options: Options & { readonly yes?: boolean }, output: Output): Promise<number> {
  const { client, slug, policy } = await openProject(options.url, output)
  if (!(await confirmed(`Deleting the note ${printable(id)}`, options, output))) {
    output.note(`${printable(id)} stays.`)
    return exitCodes.failed
  }
  await withRetry(() => client.call(contract.feedback.remove, { params: { slug }, query: { id } }), policy)
  output.result({ deleted: id }, `deleted ${printable(id)}`)
  return exitCodes.ok
}
