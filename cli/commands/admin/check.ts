import { exitCodes } from '../../../src/contract/failure.ts'
import type { CheckReport, Finding } from '../../../src/contract/operator.ts'
import { count } from '../../figures.ts'
import type { Output } from '../../output.ts'
import { bytesText } from './bytes-text.ts'
import { withAdministration, type AdminOptions } from './administration.ts'

/** `quire admin check`: 1 when something is lost or damaged. */
export async function check(options: AdminOptions, output: Output): Promise<number> {
  const report = await withAdministration(options, (administration) =>
    administration.check((at) => output.redraw(`checking ${at}`)),
  )
  output.result({ ok: report.problems.length === 0, ...report }, textOf(report, output))
  return report.problems.length === 0 ? exitCodes.ok : exitCodes.failed
}

function textOf({ problems, notes, checked }: CheckReport, output: Output): string {
  const { documents, projects, refs, releases, blobs, bytes } = checked
  const lines = problems.flatMap((finding) => linesOf(finding, output.paint('red', 'problem')))
  lines.push(...notes.flatMap((finding) => linesOf(finding, output.paint('yellow', 'note   '))))
  const what =
    `${count(documents, 'document')}, ${count(projects, 'project')}, ${count(refs, 'ref')}, ` +
    `${count(releases, 'release')}, ${count(blobs, 'published file')} (${bytesText(bytes)})`
  const verdict =
    problems.length === 0
      ? output.paint('green', 'Everything is as it should be')
      : output.paint('red', `${problems.length} ${problems.length === 1 ? 'thing is' : 'things are'} off`)
  return [...lines, `${verdict}: ${what}.`].join('\n')
}

function linesOf({ project, where, problem, next }: Finding, label: string): string[] {
  const place = project === undefined ? where : `${project}: ${where}`
  return [`${label}  ${place}: ${problem}`, `         ${next}`]
}
