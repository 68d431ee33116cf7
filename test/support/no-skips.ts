import type { Reporter, TestModule } from 'vitest/node'

/**
 * Makes a run fail in which a test was skipped: a machine that lacks the browser or the real documentation would
 * otherwise pass without having looked.
 */
export default class NoSkips implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module) =>
      [...module.children.allTests('skipped')].map(({ fullName }) => `${module.relativeModuleId}: ${fullName}`),
    )
    if (skipped.length === 0) return
    console.error(`Skipped, which counts as failed here:\n${skipped.map((name) => `  ${name}`).join('\n')}`)
    process.exitCode = 1
  }
}
