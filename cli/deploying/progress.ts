import { appendFile } from 'node:fs/promises'
import { posix, relative, resolve, sep } from 'node:path'
import type { Client } from '../../src/client/client.ts'
import type { ErrorDetail } from '../../src/contract/common.ts'
import type { Deploy } from '../../src/contract/deploys.ts'
import { Failure, exitCodes } from '../../src/contract/failure.ts'
import { deployEnd, isFinal, phases, type RunningEvent } from './deploy-end.ts'
import { count, type Output, locationOf } from '../output.ts'
import type { RetryPolicy } from '../service/retry.ts'

/**
 * Shows the progress of a deploy until its end: a bar on a terminal, a line a phase elsewhere. Who interrupts it is told
 * that the service goes on.
 */
export async function followDeploy(
  client: Client,
  slug: string,
  started: Deploy,
  output: Output,
  policy: RetryPolicy,
): Promise<Deploy> {
  if (isFinal(started)) return started
  const follower = {
    policy,
    onEvent: (event: RunningEvent) => show(event, output),
    onBroken: () => output.redraw('the connection broke; asking for the result'),
  }
  return tellInterrupted(
    () => deployEnd(client, { slug, started }, follower),
    'The deploy goes on without you; quire deploys says how it went.',
    output,
  )
}

/** Does work that goes on in the service; who interrupts it is told so. */
export async function tellInterrupted<T>(work: () => Promise<T>, words: string, output: Output): Promise<T> {
  const tell = (): void => output.note(words)
  // Before the listener that ends the process.
  process.prependListener('SIGINT', tell)
  try {
    return await work()
  } finally {
    process.off('SIGINT', tell)
  }
}

function show(event: RunningEvent, output: Output): void {
  if (event.type === 'stage') {
    if (output.redraws) output.redraw(phases[event.stage])
    else output.note(phases[event.stage])
  } else if (event.total > 0) {
    const width = 24
    const full = Math.round((event.done / event.total) * width)
    output.redraw(
      `${phases.build} ${output.paint('cyan', '█'.repeat(full))}${output.paint('dim', '░'.repeat(width - full))} ${event.done}/${event.total}`,
    )
  }
}

const shownWarnings = 10
const shownErrors = 20

const errorLine = (detail: ErrorDetail, output: Output): string =>
  `${output.paint('red', 'error')}${output.describe(detail).slice(1)}`

/**
 * `412 link-broken, 119 anchor-broken`: how many findings there are of each kind, the most first; undefined of one
 * finding, which says it itself.
 */
export function kindsOf(details: readonly ErrorDetail[]): string | undefined {
  const counts = new Map<string, number>()
  for (const { rule, more = 1 } of details) {
    const kind = rule ?? 'others'
    counts.set(kind, (counts.get(kind) ?? 0) + more)
  }
  const kinds = [...counts].sort(([, one], [, other]) => other - one).map(([kind, times]) => `${times} ${kind}`)
  return details.length < 2 ? undefined : kinds.join(', ')
}

/** What there is to say of files that were built. */
export type Verdict = Pick<Deploy, 'errors' | 'warnings' | 'counts' | 'pages'>

/**
 * Tells how a deploy ended, as `tellVerdict`, with the live URL as the result. Answers with the exit code.
 *
 * @param directory Folder of the files, for the paths of annotations.
 */
export async function report(finished: Deploy, directory: string, output: Output): Promise<number> {
  const failed = finished.status === 'failed'
  const title = failed
    ? `Quire: the deploy failed with ${count(finished.counts.errors, 'error')}`
    : `Quire: live at ${finished.url}${finished.counts.errors === 0 ? '' : `, but not all pages: ${count(finished.counts.errors, 'error')}`}`
  await tellVerdict(finished, { directory, title }, output)
  if (failed) return reportFailure(finished, output)
  if (!output.json) for (const detail of finished.errors.slice(0, shownErrors)) output.note(errorLine(detail, output))
  if (finished.counts.errors > 0)
    output.note(
      output.paint(
        'red',
        `Live, but not all pages: ${count(finished.counts.errors, 'error')}; quire logs shows them all.`,
      ),
    )
  output.note(output.paint('dim', figuresOf(finished)))
  output.result(finished, finished.url)
  return exitCodes.ok
}

/** `31 pages (2 built, 29 reused), 0 warnings, 0.05 s`. */
export function figuresOf({ pages, counts, durationMs }: Verdict & Pick<Deploy, 'durationMs'>): string {
  const time = durationMs === undefined ? '' : `, ${(durationMs / 1000).toFixed(2)} s`
  return `${count(pages.total, 'page')} (${pages.built} built, ${pages.reused} reused), ${count(counts.warnings, 'warning')}${time}`
}

/** Annotations and summary in GitHub Actions, warnings for people; errors are told by the failure. */
export async function tellVerdict(
  finished: Verdict,
  { directory, title }: { readonly directory: string; readonly title: string },
  output: Output,
): Promise<void> {
  const { environment } = output
  if (environment.githubActions) {
    const at = prefixOf(directory, output)
    for (const detail of finished.errors) output.annotate(annotation('error', detail, at))
    for (const detail of finished.warnings) output.annotate(annotation('warning', detail, at))
  }
  if (environment.stepSummary !== undefined)
    await appendSummary(environment.stepSummary, title, finished.errors, finished.warnings)
  if (!output.json) {
    const kinds = kindsOf(finished.warnings)
    if (kinds !== undefined) output.note(`${count(finished.counts.warnings, 'warning')}: ${kinds}`)
    for (const detail of finished.warnings.slice(0, shownWarnings))
      output.note(`${output.paint('yellow', 'warning')}${output.describe(detail).slice(1)}`)
    if (finished.counts.warnings > shownWarnings)
      output.note(`… and ${finished.counts.warnings - shownWarnings} more warnings; all of them with --json`)
  }
}

/** Where the files of a folder are in the repository: empty, or ending in `/`. */
export function prefixOf(directory: string, { environment }: Output): string {
  const prefix = relative(environment.workspace, resolve(directory)).split(sep).join('/')
  return prefix === '' ? '' : `${prefix}/`
}

function reportFailure(finished: Deploy, output: Output): number {
  const code = finished.errors.length > 0 ? 'build_failed' : 'internal'
  return output.fail(
    new Failure(
      code,
      `The deploy failed with ${count(finished.counts.errors, 'error')}; nothing changed at ${finished.url}.`,
      {
        errors: finished.errors,
        hint:
          code === 'build_failed'
            ? 'Mend these places and deploy again.'
            : 'Deploy again; tell the operator the deploy’s id if it fails again: ' + finished.id,
      },
    ),
  )
}

/** Escapes of GitHub's workflow commands: data, and property values that also end at `:` and `,`. */
const data = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')

/** A workflow command of GitHub Actions that shows a sentence beside the job. */
export function notice(text: string): string {
  return `::notice title=${property('Quire')}::${data(text)}`
}

/**
 * One workflow command of GitHub Actions, which shows the message at its line in the pull request.
 * @param prefix Folder of the deployed files within the checkout, `` or ending in `/`.
 */
export function annotation(level: 'error' | 'warning', detail: ErrorDetail, prefix: string): string {
  const properties = [
    detail.path === undefined ? undefined : `file=${property(posix.normalize(prefix + detail.path))}`,
    detail.line === undefined ? undefined : `line=${detail.line}`,
    detail.column === undefined ? undefined : `col=${detail.column}`,
    `title=${property(detail.rule ?? 'Quire')}`,
  ]
  const text = detail.hint === undefined ? detail.message : `${detail.message}\n${detail.hint}`
  return `::${level} ${properties.filter((part) => part !== undefined).join(',')}::${data(text)}`
}

/** GitHub shows at most ten annotations a step: the job's summary carries all of them. */
export async function appendSummary(
  file: string,
  title: string,
  errors: readonly ErrorDetail[],
  warnings: readonly ErrorDetail[],
): Promise<void> {
  const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ')
  const rows = (level: string, details: readonly ErrorDetail[]): string[] =>
    details.map((detail) => `| ${level} | \`${cell(locationOf(detail))}\` | ${cell(detail.message)} |`)
  const table =
    errors.length + warnings.length === 0
      ? []
      : ['', '| | place | message |', '| --- | --- | --- |', ...rows('error', errors), ...rows('warning', warnings)]
  const kinds = kindsOf([...errors, ...warnings])
  await appendFile(file, `### ${title}\n${kinds === undefined ? '' : `\n${kinds}\n`}${table.join('\n')}\n`)
}
