import type { Command } from 'commander'
import { exitCodes, Failure } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import { count, type Output } from '../output.ts'
import { run } from '../program.ts'
import { figuresOf, tellVerdict } from '../deploying/progress.ts'
import { withRetry } from '../service/retry.ts'
import { readFolder, sendContents, tellSkipped } from '../deploying/sending.ts'

interface CheckOptions {
  readonly strict?: boolean
}

export function defineCheck(command: Command): void {
  command
    .argument('[dir]', 'folder with the docs', '.')
    .option('--strict', 'fail for warnings, too: dead links, unknown components and the like')
    .action((directory: string, options: CheckOptions) =>
      run((output, url) => checkFolder(directory, url, options, output), directory),
    )
}

/** `quire check [dir]`: what a deploy of the folder would say; exit code 3 where it would fail. Keeps nothing. */
async function checkFolder(directory: string, url: string, { strict }: CheckOptions, output: Output): Promise<number> {
  const { files, skipped } = await readFolder(directory, output)
  tellSkipped(skipped, output)
  output.redraw('checking')
  const { answer: check } = await sendContents(
    url,
    {
      files,
      post: ({ client, slug, policy }, body) =>
        withRetry(
          () => client.call(contract.checks.create, { query: { project: slug }, body: { files: body } }),
          policy,
        ),
    },
    output,
  )
  const { errors, warnings, counts } = check
  const failed = counts.errors > 0 || (strict === true && counts.warnings > 0)
  const found = [counts.errors > 0 ? [count(counts.errors, 'error')] : [], [count(counts.warnings, 'warning')]].flat()
  const title = `Quire: ${failed ? `not fit to deploy, with ${found.join(' and ')}` : `fit to deploy, with ${found.join()}`}`
  await tellVerdict(check, { directory, title }, output)
  if (!failed) {
    output.result(check, `${directory} can go live: ${figuresOf(check)}.`)
    return exitCodes.ok
  }
  const isBroken = counts.errors > 0
  return output.fail(
    new Failure('build_failed', `${directory} ${isBroken ? 'does not build' : 'has warnings'}: ${found.join(', ')}.`, {
      // Warnings were told to people.
      errors: isBroken ? errors : output.json ? warnings : [],
      extra: { check },
      hint: isBroken ? 'Mend these places.' : 'Mend them, or check without --strict.',
    }),
  )
}
