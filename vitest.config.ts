import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/setup.ts'],
    // A test that needs longer says why.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    expect: { poll: { timeout: 5_000 } },
    reporters: process.env['CI'] === undefined ? ['default'] : ['default', './test/support/no-skips.ts'],
    pool: 'forks',
    // Where `localhost` has two addresses, Node gives up the first after a quarter of a second.
    execArgv: ['--network-family-autoselection-attempt-timeout=10000'],
    // Journeys start real servers and children: more files at once than cores only makes them wait.
    maxWorkers: 3,
  },
})
