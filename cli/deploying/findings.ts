import { posix } from 'node:path'
import type { Location, Log, ReportingDescriptor, Result } from 'sarif'
import manifest from '../../package.json' with { type: 'json' }
import type { Check } from '../../src/contract/checks.ts'
import type { ErrorDetail } from '../../src/contract/common.ts'
import { ruleOf, rules } from '../../src/contract/rules.ts'
import { count, type Output } from '../output.ts'
import { annotation } from './progress.ts'

/** What was found, without how the pages were built. */
type Findings = Pick<Check, 'errors' | 'warnings'>

/**
 * For programs that show findings at their lines: SARIF 2.1.0
 * (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html).
 * @param prefix Folder of the files within the repository, empty or ending in `/`.
 */
export function sarifOf({ errors, warnings }: Findings, prefix: string): Log {
  const names = Object.keys(rules)
  const results: Result[] = []
  const others: ErrorDetail[] = []
  for (const [level, details] of [['error', errors] as const, ['warning', warnings] as const]) {
    for (const detail of details) {
      const { rule, message, hint } = detail
      // What breaks no rule says how much more there is.
      if (rule === undefined) others.push(detail)
      else
        results.push({
          ruleId: rule,
          ...(names.includes(rule) ? { ruleIndex: names.indexOf(rule) } : {}),
          level,
          message: { text: hint === undefined ? message : `${message} ${hint}` },
          locations: [sarifLocation(detail, prefix)],
        })
    }
  }
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'Quire', semanticVersion: manifest.version, rules: names.map(descriptorOf) } },
        columnKind: 'utf16CodeUnits',
        invocations: [
          {
            executionSuccessful: true,
            toolExecutionNotifications: others.map(({ message }) => ({ level: 'note', message: { text: message } })),
          },
        ],
        results,
      },
    ],
  }
}

function descriptorOf(name: string): ReportingDescriptor {
  const { level = 'warning', about = '', hint = '' } = ruleOf(name) ?? {}
  return {
    id: name,
    shortDescription: { text: about },
    help: { text: hint },
    defaultConfiguration: { level },
  }
}

/** GitHub takes no result without a file: what is of the whole site stands at docs.json. */
function sarifLocation({ path = 'docs.json', line, column }: ErrorDetail, prefix: string): Location {
  const uri = posix
    .normalize(prefix + path)
    .toWellFormed()
    .split('/')
    .map((segment) => encodeURIComponent(segment))
    .join('/')
  return {
    physicalLocation: {
      artifactLocation: { uri, uriBaseId: '%SRCROOT%' },
      region: { startLine: line ?? 1, ...(column === undefined ? {} : { startColumn: column }) },
    },
  }
}

/** Workflow commands of GitHub Actions, a line each. */
export function annotationsOf({ errors, warnings }: Findings, prefix: string): string[] {
  return [
    ...errors.map((detail) => annotation('error', detail, prefix)),
    ...warnings.map((detail) => annotation('warning', detail, prefix)),
  ]
}

/** For people: how often each rule is broken, and what to do about it; then a line each. */
export function linesOf({ errors, warnings }: Findings, output: Output): string[] {
  const line = (word: string) => (detail: ErrorDetail) => {
    const rule = detail.rule === undefined ? '' : output.paint('dim', `  ${detail.rule}`)
    return `${word}${output.describe({ ...detail, message: detail.message + rule }).slice(1)}`
  }
  const found = [
    ...errors.map(line(output.paint('red', 'error'))),
    ...warnings.map(line(output.paint('yellow', 'warning'))),
  ]
  const counts = new Map<string, number>()
  for (const { rule } of [...errors, ...warnings]) if (rule !== undefined) counts.set(rule, (counts.get(rule) ?? 0) + 1)
  const hints = [...counts]
    .sort(([, one], [, other]) => other - one)
    .map(([rule, times]) => `${output.paint('bold', rule)} ${count(times, 'time')}: ${ruleOf(rule)?.hint ?? ''}`)
  return hints.length === 0 ? found : [...hints, '', ...found, '']
}
