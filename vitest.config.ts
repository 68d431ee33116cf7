import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/setup.ts'],
    // What is waited for comes later on a busy machine, not never. A test that hangs is ended all the same.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    pool: 'forks',
    // Where `localhost` has two addresses, Node gives up the first after a quarter of a second.
    execArgv: ['--network-family-autoselection-attempt-timeout=10000'],
    // Journeys start real servers and children: more files at once than cores only makes them wait.
    maxWorkers: 3,
  },
})
