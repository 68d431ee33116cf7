import { defineConfig } from 'vitest/config'

/** Tests that work in memory, or nearly. */
const quick = ['audit', 'branching', 'client', 'deploying', 'lib', 'projects', 'usage'].map(
  (room) => `test/${room}/**/*.test.ts`,
)
const quickSites = ['config', 'components', 'mdx'].map((part) => `test/site/${part}/**/*.test.ts`)

const shared = {
  globalSetup: ['test/setup.ts'],
  pool: 'forks' as const,
  // Where `localhost` has two addresses, Node gives up the first after a quarter of a second.
  execArgv: ['--network-family-autoselection-attempt-timeout=10000'],
}
const ci = process.env['CI'] !== undefined

export default defineConfig({
  test: {
    // Journeys start real servers and children: more files at once than cores only makes them wait.
    maxWorkers: 3,
    reporters: ci ? ['default', './test/support/no-skips.ts'] : ['default'],
    projects: [
      {
        test: {
          ...shared,
          name: 'rules',
          include: [...quick, ...quickSites],
          // A test that needs longer says why.
          testTimeout: 30_000,
          hookTimeout: 30_000,
          expect: { poll: { timeout: 5_000 } },
        },
      },
      {
        test: {
          ...shared,
          name: 'processes',
          include: ['test/**/*.test.ts'],
          exclude: [...quick, ...quickSites],
          // Services, children, Git, browsers, hashes of passwords: on two cores that others use, too, they come late, not never.
          testTimeout: 180_000,
          hookTimeout: 180_000,
          expect: { poll: { timeout: 30_000 } },
          // A shared machine can stand still for half a minute: what failed once is tried again, and the report says so.
          retry: ci ? 1 : 0,
        },
      },
    ],
  },
})
