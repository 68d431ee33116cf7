import type { Command } from 'commander'
import { exitCodes } from '../../src/contract/failure.ts'
import { addExamples, addRemarks } from '../help.ts'
import type { Imported } from '../import/import.ts'
import { cloneShallow, isGitAddress, withoutSecrets } from '../import/git-source.ts'
import { kinds, type Left } from '../import/report.ts'
import { checkSource, checkTarget, writeSite } from '../import/write.ts'
import { count, type Output } from '../output.ts'
import { interruptible, runHere } from '../program.ts'

interface ImportOptions {
  readonly to: string
  readonly force?: boolean
}

export function defineImport(command: Command): void {
  addExamples(command, [
    ['import website --to docs', 'the site in a folder'],
    ['import https://github.com/acme/docs', 'of a repository'],
    ['import git@github.com:acme/docs#next', 'of a branch'],
  ])
  addRemarks(
    command,
    'Knows Docusaurus, VitePress, Starlight, MkDocs, GitBook, Nextra, mdBook and plain Markdown. Writes a new folder with docs.json and pages; what it reads stays as it is, and none of it is run. Then it says what it could not carry, with file and line; --json has all of it.',
  )
    .argument('<source>', 'folder, or address of a Git repository')
    .option('--to <folder>', 'folder that is written', 'quire-docs')
    .option('--force', 'write into a folder that has files')
    .action((source: string, options: ImportOptions) =>
      runHere((output) => interruptible((signal) => importFrom(source, options, { output, signal }))),
    )
}

interface Context {
  readonly output: Output
  readonly signal: AbortSignal
}

/** `quire import <source>`. */
async function importFrom(source: string, options: ImportOptions, { output, signal }: Context): Promise<number> {
  if (!isGitAddress(source)) {
    // What is wrong with the source is told before what is wrong with the target.
    checkSource(source)
    return importFolder(source, source, options, output)
  }
  // Before a long way.
  await checkTarget(options.to, source, options.force === true)
  output.redraw(`cloning ${withoutSecrets(source)}`)
  const cloned = await cloneShallow(source, signal)
  try {
    return await importFolder(cloned.directory, withoutSecrets(source), options, output)
  } finally {
    await cloned.remove()
  }
}

async function importFolder(
  directory: string,
  named: string,
  { to, force = false }: ImportOptions,
  output: Output,
): Promise<number> {
  await checkTarget(to, directory, force)
  const { importSite, nameOfFramework } = await import('../import/import.ts')
  const imported = importSite(directory, { named, told: (phase) => output.redraw(phase) })
  await writeSite(imported.files, { target: to, source: directory })
  const { framework, sign, counts, left, files } = imported
  const written = `${to}: ${count(counts.pages, 'page')} of ${counts.files} files, ${count(counts.redirects, 'redirect')}, from ${nameOfFramework(framework)}${sign === null ? '' : ` (${sign})`}.`
  const document = { source: named, directory: to, framework, sign, counts, files: files.map(({ path }) => path), left }
  if (!output.json) for (const line of linesOf(left, output)) output.note(line)
  output.result(document, written)
  output.note(`${output.paint('cyan', 'next')}   quire check ${to}, then quire dev ${to}`)
  return exitCodes.ok
}

/** Named of each kind; `--json` has the others. */
const maxNamed = 20

/** What was not carried over, by kind. */
function* linesOf(left: Imported['left'], output: Output): Generator<string> {
  if (left.length > 0) yield output.paint('bold', 'Not carried over:')
  for (const [kind, title] of Object.entries(kinds)) {
    const own = left.filter((one) => one.kind === kind)
    if (own.length === 0) continue
    yield `${output.paint('yellow', title)} (${own.length})`
    for (const one of own.slice(0, maxNamed))
      yield `  ${placeOf(one)}  ${one.message}${one.places === undefined || one.places === 1 ? '' : ` (${one.places} places)`}`
    if (own.length > maxNamed) yield output.paint('dim', `  and ${own.length - maxNamed} more: --json has all of them`)
  }
}

const placeOf = ({ path, line }: Left): string => (line === undefined ? path : `${path}:${line}`)
