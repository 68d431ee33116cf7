import { InvalidArgumentError, Option, type Command } from 'commander'
import type { Check } from '../../src/contract/checks.ts'
import { exitCodes, Failure } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import { annotationsOf, linesOf, sarifOf } from '../deploying/findings.ts'
import { appendSummary, figuresOf, prefixOf } from '../deploying/progress.ts'
import { readFolder, sendContents, tellSkipped } from '../deploying/sending.ts'
import { addExamples, addRemarks } from '../help.ts'
import { count, type Output } from '../output.ts'
import { run, runHere } from '../program.ts'
import { withRetry } from '../service/retry.ts'

const formats = ['text', 'json', 'sarif', 'github'] as const

interface CheckOptions {
  readonly format?: (typeof formats)[number]
  readonly strict?: boolean
  readonly maxWarnings?: number
  readonly service?: boolean
}

export function defineCheck(command: Command): void {
  addExamples(command, [
    ['check docs', 'what a deploy would say'],
    ['check docs --strict', 'fail for warnings, too'],
    ['check docs --format sarif >quire.sarif', 'for code scanning'],
  ])
  addRemarks(
    command,
    'Builds the folder as a deploy would, without a service and without an account. What it can find is under Rules in the documentation. Exit code 3: there are errors, or more warnings than are allowed.',
  )
    .argument('[dir]', 'folder with the docs', '.')
    .addOption(new Option('--format <format>', 'how findings are written (default: text)').choices([...formats]))
    .option('--strict', 'fail for warnings, too: the same as --max-warnings 0')
    .addOption(new Option('--max-warnings <number>', 'fail when there are more').argParser(numberOf))
    .option('--service', 'have the service check it: it knows the addresses that are live, too')
    .action(async (directory: string, options: CheckOptions) => {
      const told = (check: Check, output: Output): Promise<number> => tell(check, { directory, ...options }, output)
      let isHere = options.service !== true
      if (isHere)
        await runHere(async (output) => {
          const { checkHere } = await import('../dev/check.ts')
          const check = await checkHere(directory, output).catch((error: unknown) => {
            // As CI installs it, without what renders pages: the service of its key can.
            const isAbsent = error instanceof Failure && error.code === 'unavailable'
            if (!isAbsent || output.environment.key === undefined) throw error
            return undefined
          })
          isHere = check !== undefined
          return check === undefined ? exitCodes.ok : told(check, output)
        })
      if (!isHere) await run(async (output, url) => told(await checkThere(directory, url, output), output), directory)
    })
}

function numberOf(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It is a whole number, such as 0.')
  return Number(text)
}

/** What the service would say of a deploy. Keeps nothing. */
async function checkThere(directory: string, url: string, output: Output): Promise<Check> {
  const { files, skipped } = await readFolder(directory, output)
  tellSkipped(skipped, directory, output)
  output.redraw('checking')
  const { answer } = await sendContents(
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
  return answer
}

/** Tells what was found, in the format that is asked for. Answers with the exit code. */
async function tell(
  check: Check,
  { directory, format, strict, maxWarnings = strict === true ? 0 : undefined }: CheckOptions & { directory: string },
  output: Output,
): Promise<number> {
  if (output.json && format !== undefined && format !== 'json')
    throw new Failure('invalid_request', `--json is another format than ${format}.`, { hint: 'Leave one of them out.' })
  const { errors, warnings, counts } = check
  const { environment } = output
  const failed = counts.errors > 0 || counts.warnings > (maxWarnings ?? Number.POSITIVE_INFINITY)
  const found = [counts.errors > 0 ? [count(counts.errors, 'error')] : [], [count(counts.warnings, 'warning')]].flat()
  const prefix = prefixOf(directory, output)
  if (environment.stepSummary !== undefined) {
    const title = `Quire: ${failed ? `not fit to deploy, with ${found.join(' and ')}` : `fit to deploy, with ${found.join()}`}`
    await appendSummary(environment.stepSummary, title, errors, warnings)
  }
  if (environment.githubActions && format !== 'github')
    for (const line of annotationsOf(check, prefix)) output.annotate(line)
  const code = failed ? exitCodes.content : exitCodes.ok
  if (format === 'github') {
    output.commands(annotationsOf(check, prefix))
    return code
  }
  if (format === 'json' || format === 'sarif') {
    output.document(format === 'json' ? check : sarifOf(check, prefix))
    return code
  }
  if (!output.json) for (const line of linesOf(check, output)) output.write(`${line}\n`)
  if (!failed) {
    output.result(check, `${directory} can go live: ${figuresOf(check)}.`)
    return code
  }
  const isBroken = counts.errors > 0
  return output.fail(
    new Failure('build_failed', `${directory} ${isBroken ? 'does not build' : 'has warnings'}: ${found.join(', ')}.`, {
      // People were told.
      errors: !output.json ? [] : isBroken ? errors : warnings,
      extra: { check },
      hint: isBroken ? 'Mend these places.' : 'Mend them, or allow more warnings.',
    }),
  )
}
