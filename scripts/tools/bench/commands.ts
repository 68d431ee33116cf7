import { execFile } from 'node:child_process'
import { appendFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { dist } from '#lib/paths.ts'
import { createProject, startService } from '#test/support/service-process.ts'
import { writeFiles } from '#test/support/temporary.ts'
import type { Corpus } from './corpus.ts'
import { type Timing, timed } from './timing.ts'

const run = promisify(execFile)

/** Runs of each, for one that is asked for. */
const times = 4

/** Measures commands as whole processes, in turn with one of Node that does nothing, on a folder with these pages. */
export async function benchCommands(pages: Corpus, runs: number): Promise<Timing[]> {
  const directory = await mkdtemp(join(tmpdir(), 'quire-bench-commands-'))
  const folder = join(directory, 'docs')
  const service = await startService(join(directory, 'data'), { LOG_LEVEL: 'error' })
  try {
    const { key } = await createProject(service.url, 'docs')
    await writeFiles(folder, Object.fromEntries(pages))
    const paths = [...pages.keys()].filter((path) => !path.startsWith('snippets/'))
    const env = { PATH: process.env['PATH'], HOME: directory, QUIRE_URL: service.url, SERVICE_API_KEY: key }
    const quire = (...words: string[]): Promise<unknown> =>
      run(process.execPath, [join(dist, 'quire.js'), ...words], { env })
    const changed = async (round: number): Promise<void> => {
      await appendFile(join(folder, paths[round % paths.length] ?? ''), `\nRound ${round}.\n`)
    }
    const measured = [
      { name: 'node -e 0', work: () => run(process.execPath, ['-e', '0'], { env }) },
      { name: 'quire --version', work: () => quire('--version') },
      { name: 'quire --help', work: () => quire('--help') },
      { name: 'quire whoami', work: () => quire('whoami') },
      { name: `quire deploy, nothing changed of ${pages.size} pages`, work: () => quire('deploy', folder) },
      { name: `quire deploy, 1 of ${pages.size} pages changed`, prepare: changed, work: () => quire('deploy', folder) },
    ]
    await quire('deploy', folder)
    const figures = new Map<string, number[]>(measured.map(({ name }) => [name, []]))
    for (let round = 0; round < runs * times; round++)
      for (const { name, work, prepare } of measured) {
        await prepare?.(round)
        figures.get(name)?.push(await timed(work))
      }
    return [...figures].map(([name, all]) => ({ name, runs: all }))
  } finally {
    await service.stop()
    await rm(directory, { recursive: true, force: true })
  }
}
