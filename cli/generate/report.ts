import { createTwoFilesPatch } from 'diff'
import type { ErrorDetail } from '../../src/contract/common.ts'
import { count, printable, type Output } from '../output.ts'
import type { Spent } from './model.ts'
import { fileOf, type SitePlan } from './plan.ts'
import { dollars } from './prices.ts'
import { thousands } from './progress.ts'

/** What became of a page in a run. */
export interface PageReport {
  readonly path: string
  readonly title: string
  readonly status:
    | 'written'
    | 'current'
    /** Somebody's own, with nothing newer. */
    | 'kept'
    /** Somebody's own, and there is a newer text to take. */
    | 'offered'
    | 'deleted'
    | 'foreign'
    | 'failed'
    /** Is to be made, but was not asked for, or the run stopped before. */
    | 'waiting'
    | 'removed'
  readonly warnings?: readonly string[]
  readonly errors?: readonly ErrorDetail[]
  /** Unified, from what is there to what is offered. */
  readonly diff?: string
}

export interface RunReport {
  readonly output: string
  readonly pages: readonly PageReport[]
  /** Whether a plan was asked for. */
  readonly planned: boolean
  readonly leftOut: SitePlan['leftOut']
  readonly warnings: readonly string[]
  /** Of the whole output, as the builder sees it. */
  readonly check?: { readonly errors: readonly ErrorDetail[]; readonly warnings: readonly ErrorDetail[] }
  readonly usage: Spent
}

export function diffOf(path: string, before: string, after: string): string {
  return createTwoFilesPatch(fileOf(path), `${fileOf(path)} (new)`, before, after, undefined, undefined, { context: 2 })
    .split('\n')
    .filter((line) => !/^=+$/.test(line))
    .join('\n')
    .trimEnd()
}

const shownWarnings = 10
const shownDiff = 60

/** Tells people what a run did, but for the pages that it told of while it went on. */
export function tellRun(report: RunReport, output: Output, retake: (path: string) => string): void {
  const yellow = (text: string): string => output.paint('yellow', text)
  for (const page of report.pages) {
    if (page.status === 'deleted')
      output.note(
        `${yellow('deleted')}  ${page.path}  stays away, as you deleted it; --take ${page.path} makes it again`,
      )
    if (page.status === 'foreign')
      output.note(`${yellow('yours')}  ${page.path}  is a page that you wrote; --take ${page.path} replaces it`)
    if (page.status === 'removed') output.note(`${yellow('removed')}  ${page.path}  has left the plan`)
    if (page.status === 'offered') tellOffer(page, output, retake)
  }
  const warnings = [
    ...report.warnings,
    ...report.pages.flatMap(({ path, warnings: own = [] }) => own.map((text) => `${path}  ${text}`)),
    ...(report.check?.warnings ?? []).map((detail) => output.describe(detail).trim()),
  ]
  for (const warning of warnings.slice(0, shownWarnings)) output.note(`${yellow('warning')}  ${warning}`)
  if (warnings.length > shownWarnings)
    output.note(`… and ${warnings.length - shownWarnings} more warnings; all of them with --json`)
}

function tellOffer(page: PageReport, output: Output, retake: (path: string) => string): void {
  output.note(
    `${output.paint('yellow', 'edited')}  ${page.path}  stays as you changed it. From new sources it would be:`,
  )
  const lines = printable(page.diff ?? '').split('\n')
  for (const line of lines.slice(0, shownDiff)) output.note(`  ${painted(line, output)}`)
  if (lines.length > shownDiff) output.note(output.paint('dim', `  … ${lines.length - shownDiff} more lines`))
  output.note(`  ${output.paint('cyan', 'next')}  ${retake(page.path)}`)
}

function painted(line: string, output: Output): string {
  if (line.startsWith('+++') || line.startsWith('---')) return output.paint('bold', line)
  if (line.startsWith('@@')) return output.paint('cyan', line)
  if (line.startsWith('+')) return output.paint('green', line)
  return line.startsWith('-') ? output.paint('red', line) : line
}

/** One line: `12 pages: 3 written, 9 as they were`. */
export function summaryOf(report: RunReport): string {
  const words: Readonly<Record<PageReport['status'], string>> = {
    written: 'written',
    current: 'as they were',
    kept: 'edited by you',
    offered: 'edited by you, with a new text to take',
    deleted: 'deleted by you',
    foreign: 'written by you',
    failed: 'not written',
    waiting: 'to be made',
    removed: 'removed',
  }
  const counts = Object.entries(words).flatMap(([status, word]) => {
    const number = report.pages.filter((page) => page.status === status).length
    return number === 0 ? [] : [`${number} ${word}`]
  })
  return `${count(report.pages.length, 'page')}: ${counts.join(', ')}. ${spentText(report.usage)}`
}

function spentText({ requests, inputTokens, outputTokens, costUsd }: Spent): string {
  if (requests === 0) return 'No request was made.'
  const cost = costUsd === undefined ? '' : `, ${dollars(costUsd)}`
  return `${count(requests, 'request')}, ${thousands(inputTokens + outputTokens)} tokens${cost}.`
}
