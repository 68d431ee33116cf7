import type { Command } from 'commander'
import { exitCodes } from '../../src/contract/failure.ts'
import type { Output } from '../output.ts'
import { bytesText, count } from '../format.ts'
import { withAdministration, type AdminOptions } from '../administration.ts'
import { run } from '../program.ts'

export function defineArchive(admin: Command): void {
  admin
    .command('backup')
    .description('write everything into one archive, while the service goes on')
    .argument('<file>', 'or - for standard output')
    .action((file: string) => run((output) => backup(file, admin.opts<AdminOptions>(), output)))

  admin
    .command('restore')
    .description('make a data directory of an archive')
    .argument('<file>', 'or - for standard input')
    .option('--into <dir>', 'an empty or absent directory (default: the data directory)')
    .action((file: string, options: { into?: string }) =>
      run((output) => restore(file, { ...options, ...admin.opts<AdminOptions>() }, output)),
    )
}

/** `quire admin backup <file>`. */
async function backup(file: string, options: AdminOptions, output: Output): Promise<number> {
  const summary = await withAdministration(options, (administration) =>
    untilInterrupted((signal) =>
      administration.backup(file, { onProgress: (at) => output.redraw(`backing up ${at}`), signal }),
    ),
  )
  const { projects, bytes, archiveBytes, removed } = summary
  const text =
    `Backed up ${count(projects, 'project')}: ${bytesText(bytes)} in an archive of ${bytesText(archiveBytes)}.` +
    (removed.length === 0 ? '' : `\nRemoved meanwhile, and not in it: ${removed.join(', ')}.`)
  // Standard output is the archive.
  if (file === '-') output.note(text)
  else output.result({ file, ...summary }, text)
  return exitCodes.ok
}

/** `quire admin restore <file>`. */
async function restore(
  file: string,
  options: AdminOptions & { readonly into?: string },
  output: Output,
): Promise<number> {
  const summary = await withAdministration(options, (administration) =>
    untilInterrupted((signal) =>
      administration.restore(file, options.into, { onProgress: (at) => output.redraw(`restoring ${at}`), signal }),
    ),
  )
  const { projects, bytes, createdAt, directory } = summary
  output.result(
    summary,
    `Restored ${count(projects, 'project')} (${bytesText(bytes)}) as of ${createdAt} into ${directory}.\n` +
      `Check it with quire admin check --data ${directory}, and start the service with DATA_DIR=${directory}.`,
  )
  return exitCodes.ok
}

/** Ctrl-C ends the work in its own way, and then the program: no half archive and no half directory stays. */
async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController()
  process.removeAllListeners('SIGINT')
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
  try {
    return await work(stop.signal)
  } catch (error) {
    if (stop.signal.aborted) process.exit(exitCodes.interrupted)
    throw error
  }
}
