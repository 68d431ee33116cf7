import { Option, type Command } from 'commander'
import { Failure, exitCodes } from '../../src/contract/failure.ts'
import { addRemarks } from '../help.ts'
import type { Output } from '../output.ts'
import { run } from '../program.ts'
import type { UiOptions } from '../tui/main.ts'

export function defineUi(command: Command): void {
  addRemarks(
    command,
    'The same opens with quire alone. Inside, F1 says which keys do something here, Ctrl-P finds every command by its name, and Ctrl-Q quits. What you type is kept on this machine within a second, and is there again after a crash.',
  )
    .option('--sample', 'look around in a sample project, without an account')
    .addOption(
      new Option('--theme <theme>', 'colours for a light or a dark terminal').choices(['auto', 'light', 'dark']),
    )
    .option('--no-mouse', 'leave the mouse to the terminal')
    .option('--screen-reader', 'line by line, for a screen reader (QUIRE_SCREEN_READER)')
    .action((options: Omit<UiOptions, 'url'>) => run((output, url) => openUi({ ...options, url }, output)))
}

/** `quire ui`, and `quire` alone at a terminal. @throws Failure invalid_request where nobody sits at one. */
async function openUi(options: UiOptions, output: Output): Promise<number> {
  const { interactive, columns } = output.environment
  if (!interactive || columns === undefined || output.json) {
    throw new Failure('invalid_request', 'The terminal UI needs a terminal with a person at it.', {
      hint: 'Run it in a terminal, without CI, --no-input and --json; quire --help lists what works without one.',
    })
  }
  const { startUi } = await import('../tui/main.ts')
  await startUi(options, output)
  return exitCodes.ok
}
