import { InvalidArgumentError, Option, type Command } from 'commander'
import type { DevOptions } from '../dev/dev.ts'
import { addExamples, addRemarks } from '../help.ts'
import { interruptible, runHere } from '../program.ts'

export function defineDev(command: Command): void {
  addExamples(command, [
    ['dev', 'this folder, at http://localhost:3000'],
    ['dev docs --open', 'another one, in a browser'],
  ])
  addRemarks(
    command,
    'Builds the folder as a deploy would, without a service and without an account. A change shows in the browser as soon as it is saved; what does not build is told there, over the page as it was. Only this machine can open it, unless --host names an address of the network.',
  )
    .argument('[dir]', 'folder with the docs', '.')
    .addOption(
      new Option('--port <number>', 'where it listens (default: 3000, else the next free one)').argParser(portOf),
    )
    .option('--host <address>', 'address that it listens on', '127.0.0.1')
    .option('--open', 'open it in a browser')
    .action((directory: string, options: DevOptions) =>
      runHere(async (output) => {
        const { preview } = await import('../dev/dev.ts')
        return interruptible((signal) => preview(directory, options, { output, signal }))
      }),
    )
}

function portOf(text: string): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > 65_535) throw new InvalidArgumentError('A port is a number from 0 to 65535.')
  return port
}
