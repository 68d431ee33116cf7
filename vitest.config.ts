import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/setup.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // What is waited for comes later on a busy machine, not never.
    expect: { poll: { timeout: 15_000 } },
    pool: 'forks',
    // Journeys start real servers and children: more files at once than cores only makes them wait.
    maxWorkers: 3,
  },
})
