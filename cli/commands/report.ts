import { relative, resolve, sep } from 'node:path'
import type { Deploy } from '../../src/contract/deploys.ts'
import { Failure, exitCodes } from '../../src/contract/failure.ts'
import { annotation, appendSummary } from '../annotations.ts'
import { count } from '../figures.ts'
import type { Output } from '../output.ts'

/**
 * Tells how a deploy ended: annotations and summary in GitHub Actions, warnings and figures for people, the live URL as
 * the result. Answers with the exit code.
 *
 * @param directory Folder of the files, for the paths of annotations.
 */
export async function report(finished: Deploy, directory: string, output: Output): Promise<number> {
  const { environment } = output
  const failed = finished.status === 'failed'
  const prefix = relative(environment.workspace, resolve(directory)).split(sep).join('/')
  if (environment.githubActions) {
    const at = prefix === '' ? '' : `${prefix}/`
    for (const detail of finished.errors) output.note(annotation('error', detail, at))
    for (const detail of finished.warnings) output.note(annotation('warning', detail, at))
  }
  const title = failed
    ? `Quire: the deploy failed with ${count(finished.counts.errors, 'error')}`
    : `Quire: live at ${finished.url}`
  if (environment.stepSummary !== undefined)
    await appendSummary(environment.stepSummary, title, finished.errors, finished.warnings)
  if (!output.json) {
    for (const detail of finished.warnings.slice(0, shownWarnings))
      output.note(`${output.paint('yellow', 'warning')}${output.describe(detail).slice(1)}`)
    if (finished.counts.warnings > shownWarnings)
      output.note(`… and ${finished.counts.warnings - shownWarnings} more warnings; all of them with --json`)
  }
  if (failed) return reportFailure(finished, output)
  const { total, built, reused } = finished.pages
  output.note(
    output.paint(
      'dim',
      `${count(total, 'page')} (${built} built, ${reused} reused), ${count(finished.counts.warnings, 'warning')}, ${((finished.durationMs ?? 0) / 1000).toFixed(2)} s`,
    ),
  )
  output.result(finished, finished.url)
  return exitCodes.ok
}

const shownWarnings = 10

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
