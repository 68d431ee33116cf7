import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { expect, test } from 'vitest'
import { root } from '#lib/paths.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

const run = promisify(execFile)

test('a disk that does not answer holds nobody up', async () => {
  const directory = await temporaryDirectory()
  const [script, file] = [join(directory, 'log.mjs'), join(directory, 'ui.log')]
  const input = join(root, 'cli/tui/log.ts')
  const bundle = await rolldown({ input, platform: 'node', onLog: () => undefined })
  await bundle.write({ file: script, format: 'esm' })
  await bundle.close()
  // Nobody reads from it, so that opening it never ends.
  await run('mkfifo', [file])
  const program = `
    import { logTo } from ${JSON.stringify(script)}
    logTo(${JSON.stringify(file)})('a line')
    setTimeout(() => process.stdout.write('goes on', () => process.kill(process.pid, 'SIGKILL')), 50)
  `
  const child = run(process.execPath, ['--input-type=module', '-e', program], { timeout: 10_000 })
  await expect(child).rejects.toMatchObject({ stdout: 'goes on' })
})
