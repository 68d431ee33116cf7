import { exitCodes, Failure } from '../../src/contract/failure.ts'
import type { LocalFile } from './files.ts'
import type { Output } from '../output.ts'
import { interruptible } from '../program.ts'
import { readFolder } from './sending.ts'
import { WatchedFolders } from './watched-folders.ts'

/** Editors save in several steps, and who switches a branch changes many files. */
const settleMs = 150

/**
 * Sends a folder anew whenever its files change, one time after the other, until Ctrl-C. What goes wrong is told, and the
 * next change tries again.
 */
export function watchFolder(
  directory: string,
  send: (files: readonly LocalFile[]) => Promise<unknown>,
  output: Output,
): Promise<number> {
  if (output.json) throw new Failure('invalid_request', '--watch goes on until Ctrl-C; --json prints one document.')
  return interruptible(async (signal) => {
    const folders = new WatchedFolders(signal, settleMs)
    let sent = ''
    try {
      while (!signal.aborted) {
        folders.begin()
        const files = await attempt(
          async () => (await readFolder(directory, output, { enters: folders.enter })).files,
          output,
        )
        folders.end()
        const state = (files ?? []).map(({ path, oid }) => `${oid} ${path}`).join('\n')
        if (files !== undefined && state !== sent) {
          sent = state
          await attempt(() => send(files), output)
          output.note(output.paint('dim', 'watching for changes; Ctrl-C ends'))
        }
        await folders.changed()
      }
    } finally {
      folders.close()
    }
    return exitCodes.ok
  })
}

async function attempt<T>(work: () => Promise<T>, output: Output): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    // A mistake of ours ends the command.
    if (!(error instanceof Failure)) throw error
    output.fail(error)
    return undefined
  }
}
