import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Tests that work in memory, or nearly. */
const quick = ['answers', 'audit', 'branching', 'client', 'deploying', 'lib', 'models', 'projects', 'usage'].map(
  (room) => `test/${room}/**/*.test.ts`,
)
const quickSites = ['config', 'components', 'mdx'].map((part) => `test/site/${part}/**/*.test.ts`)

/**
 * Journeys wait more than they work: those begin, the rest fills the cores beside them, and no long file comes last. The
 * longest is of the worst cases, one and a half minutes: `STALLS=1 npx vitest run test/http/worst-case.test.ts` tries
 * more.
 */
class JourneysFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isJourney = ({ moduleId }: TestSpecification): boolean =>
      /\/test\/journeys\/|\/worst-case\.test/.test(moduleId)
    return (await super.sort(files)).sort((a, b) => Number(isJourney(b)) - Number(isJourney(a)))
  }
}

const shared = {
  globalSetup: ['test/setup.ts'],
  pool: 'forks' as const,
  // A worker loads our sources and the packages once, not for each file: half of the processor time of most files.
  // What a test replaces is put back after it, so that no other file sees it.
  isolate: false,
  restoreMocks: true,
  unstubEnvs: true,
  // Where `localhost` has two addresses, Node gives up the first after a quarter of a second.
  execArgv: ['--network-family-autoselection-attempt-timeout=10000'],
}
const ci = process.env['CI'] !== undefined

export default defineConfig({
  test: {
    // Journeys start real servers, children and browsers: more files at once than cores only make each other wait.
    maxWorkers: 2,
    sequence: { sequencer: JourneysFirst },
    reporters: ci ? ['default', './test/support/no-skips.ts'] : ['default'],
    projects: [
      {
        test: {
          ...shared,
          name: 'rules',
          setupFiles: ['test/support/patience.ts'],
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
          setupFiles: ['test/support/event-loop/judge.ts', 'test/support/patience.ts', 'test/support/file-mask.ts'],
          include: ['test/**/*.test.ts'],
          exclude: [...quick, ...quickSites],
          // Services, children, Git, browsers: two files at once on two cores that others use, too. The longest of
          // these tests takes 10 s where it is alone on a usual machine, and five times as long beside others on a slow one.
          testTimeout: 120_000,
          hookTimeout: 60_000,
          expect: { poll: { timeout: 15_000 } },
          // A shared machine can stand still for half a minute: what failed once is tried again, and the report says so.
          retry: ci ? 1 : 0,
        },
      },
    ],
  },
})
