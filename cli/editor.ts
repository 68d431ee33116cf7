import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Failure } from '../src/contract/failure.ts'

/**
 * Opens a file in the user's editor and waits until that is closed.
 * @param editor a shell command, such as `code --wait`. @throws Failure unavailable when it cannot be run or fails.
 */
export async function openEditor(file: string, editor: string): Promise<void> {
  const child = spawn('sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' })
  const [code]: (number | null)[] = await once(child, 'exit')
  if (code === 0) return
  throw new Failure('unavailable', `The editor ${editor} ended with ${code === null ? 'a signal' : `code ${code}`}.`, {
    hint: 'Set VISUAL or EDITOR to one that works here.',
  })
}
