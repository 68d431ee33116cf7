import { spawn } from 'node:child_process'
import type { Output } from './output.ts'

/** Opens an address in the person's browser, and does not wait for it. */
export function openBrowser(url: string, output: Output): void {
  const [command, ...words] =
    process.platform === 'darwin' ? ['open'] : process.platform === 'win32' ? ['cmd', '/c', 'start', ''] : ['xdg-open']
  const child = spawn(command ?? 'xdg-open', [...words, url], { stdio: 'ignore', detached: true })
  child.on('error', () => output.note('No browser could be opened here: the address is above.'))
  child.unref()
}
