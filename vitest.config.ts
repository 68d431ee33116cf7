import { randomInt } from 'node:crypto'
import { defineConfig } from 'vitest/config'
import TestReport from './scripts/check/test-report.ts'

/** Workers inherit it; the report prints it. */
process.env['FUZZ_SEED'] ??= String(randomInt(2 ** 31))

const shared = {
  globalSetup: ['test/setup.ts'],
  pool: 'forks' as const,
  // Why: a worker that loads sources and packages once, not for each file, saves half of the processor time of most files.
  // Mocks are restored after each test, so that no other file sees them.
  isolate: false,
  restoreMocks: true,
  unstubEnvs: true,
  // Where `localhost` has two addresses, Node gives up the first after a quarter of a second.
  execArgv: ['--network-family-autoselection-attempt-timeout=10000'],
}
const rules = {
  ...shared,
  setupFiles: ['test/support/patience.ts', 'test/support/properties.ts'],
  testTimeout: 30_000,
  hookTimeout: 30_000,
  expect: { poll: { timeout: 5_000 } },
}
/** Services, children, Git and browsers wait for each other on a loaded machine: five times as long as on an idle one. */
const processes = {
  ...rules,
  setupFiles: ['test/support/event-loop/judge.ts', 'test/support/file-mask.ts', ...rules.setupFiles],
  testTimeout: 120_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 15_000 } },
}
const isCi = process.env['CI'] !== undefined

/** CONTRIBUTING.md says what each folder holds. `npm test` runs all projects but `deep`, which is every test with DEEP set. */
export default defineConfig({
  test: {
    // One more than cores: for a third of its time a file waits for a timer, a disk or a browser.
    maxWorkers: 3,
    reporters: ['default', new TestReport()],
    projects: [
      { test: { ...rules, name: 'rules', include: ['test/rules/**/*.test.ts'] } },
      { test: { ...processes, name: 'service', include: ['test/service/**/*.test.ts'] } },
      // Browsers and terminals on a shared machine: a retried test passes, and the report lists it.
      { test: { ...processes, name: 'surface', include: ['test/surface/**/*.test.ts'], retry: isCi ? 1 : 0 } },
      { test: { ...processes, name: 'deep', include: ['test/**/*.test.ts'], env: { DEEP: '1' } } },
    ],
  },
})
