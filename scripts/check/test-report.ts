import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Reporter, TestCase, TestModule } from 'vitest/node'

/** Wall time of a whole run on two cores, in seconds. */
const budgetS = { rules: 60, normal: 8 * 60, deep: 60 * 60 }
/** Longest time of one file in the normal run, in seconds. */
const fileBudgetS = 20
const shownFiles = 40

interface FileTime {
  readonly file: string
  readonly kind: string
  readonly tests: number
  /** Imports, hooks and tests. */
  readonly seconds: number
}

const inSeconds = (ms: number): number => Math.round(ms / 100) / 10

function timeOf(module: TestModule): FileTime {
  const { environmentSetupDuration, prepareDuration, collectDuration, setupDuration, duration } = module.diagnostic()
  return {
    file: module.relativeModuleId,
    kind: module.project.name,
    tests: [...module.children.allTests()].length,
    seconds: inSeconds(environmentSetupDuration + prepareDuration + collectDuration + setupDuration + duration),
  }
}

const sum = (times: readonly FileTime[]): number => times.reduce((total, { seconds }) => total + seconds, 0)

const row = ({ seconds, kind, tests, file }: FileTime): string =>
  `${seconds.toFixed(1).padStart(7)} s  ${kind.padEnd(7)}  ${String(tests).padStart(4)} tests  ${file}`

const nameOf = (test: TestCase): string => `${test.module.relativeModuleId}: ${test.fullName}`

function printList(title: string, lines: readonly string[], print = console.log): void {
  if (lines.length > 0) print(`\n${title}\n${lines.map((line) => `  ${line}`).join('\n')}`)
}

/**
 * Writes `dist/test-times.json`, all files by time, and prints the slowest of a run of many files. Reports retried tests,
 * files over 20 s and runs that exceed their budget by half. A skipped test fails a run in CI: a machine without the
 * browser would otherwise pass without having tested anything.
 */
export default class TestReport implements Reporter {
  #began = 0

  onTestRunStart(): void {
    this.#began = performance.now()
    console.log(`Property tests: FUZZ_SEED=${process.env['FUZZ_SEED']}`)
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const totalS = inSeconds(performance.now() - this.#began)
    const times = modules.map(timeOf).sort((a, b) => b.seconds - a.seconds)
    const file = join('dist', 'test-times.json')
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, `${JSON.stringify({ seconds: totalS, files: times }, null, 1)}\n`)

    if (times.length > shownFiles) {
      printList(`Slowest ${shownFiles} of ${times.length} files`, times.slice(0, shownFiles).map(row))
      const kinds = [...new Set(times.map(({ kind }) => kind))]
      const ofKind = (kind: string): FileTime[] => times.filter((time) => time.kind === kind)
      const lines = kinds.map((kind) => `${kind}: ${ofKind(kind).length} files, ${sum(ofKind(kind)).toFixed(0)} s`)
      printList('By kind, in seconds of one worker', lines)
    }
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    printList('Retried tests, each a defect to find', tests.filter((test) => test.diagnostic()?.retryCount).map(nameOf))
    this.#checkBudget(times, totalS)
    this.#checkSkipped(tests)
  }

  #checkBudget(times: readonly FileTime[], totalS: number): void {
    const isDeep = times.some(({ kind }) => kind === 'deep')
    const areRules = times.every(({ kind }) => kind === 'rules')
    const budget = isDeep ? budgetS.deep : areRules ? budgetS.rules : budgetS.normal
    if (totalS > budget * 1.5)
      console.error(`\nOVER BUDGET: the run took ${Math.round(totalS)} s; its budget on two cores is ${budget} s.`)
    const slow = times.filter(({ kind, seconds }) => kind !== 'deep' && seconds > fileBudgetS)
    if (!isDeep) printList(`OVER BUDGET: files over ${fileBudgetS} s in the normal run`, slow.map(row), console.error)
  }

  #checkSkipped(tests: readonly TestCase[]): void {
    const skipped = tests.filter((test) => test.result().state === 'skipped')
    if (skipped.length === 0 || process.env['CI'] === undefined) return
    printList('Skipped tests, which fail a run in CI', skipped.map(nameOf), console.error)
    process.exitCode = 1
  }
}
