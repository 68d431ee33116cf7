import { appendFile } from 'node:fs/promises'
import { posix } from 'node:path'
import type { ErrorDetail } from '../src/contract/common.ts'
import { placeOf } from './output.ts'

/** Escapes of GitHub's workflow commands: data, and property values that also end at `:` and `,`. */
const data = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')

/**
 * One workflow command of GitHub Actions, which shows the message at its line in the pull request.
 * @param prefix Folder of the deployed files within the checkout, `` or ending in `/`.
 */
export function annotation(level: 'error' | 'warning', detail: ErrorDetail, prefix: string): string {
  const properties = [
    detail.path === undefined ? undefined : `file=${property(posix.normalize(prefix + detail.path))}`,
    detail.line === undefined ? undefined : `line=${detail.line}`,
    detail.column === undefined ? undefined : `col=${detail.column}`,
    `title=${property('Quire')}`,
  ]
  return `::${level} ${properties.filter((part) => part !== undefined).join(',')}::${data(detail.message)}`
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
    details.map((detail) => `| ${level} | \`${cell(placeOf(detail))}\` | ${cell(detail.message)} |`)
  const table =
    errors.length + warnings.length === 0
      ? []
      : ['', '| | place | message |', '| --- | --- | --- |', ...rows('error', errors), ...rows('warning', warnings)]
  await appendFile(file, `### ${title}\n${table.join('\n')}\n`)
}
