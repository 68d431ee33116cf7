import { spawn } from 'node:child_process'
import type { Output } from './output.ts'

/** Programs that open an address; none of them a shell, which would read more into one. */
const openers: Partial<Record<NodeJS.Platform, readonly [command: string, ...words: string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Opens an address in the person's browser, and does not wait for it. What is not of the web is not opened. */
export function openBrowser(address: string, output: Output): void {
  if (!/^https?:/i.test(address) || !URL.canParse(address)) return
  const [command, ...words] = openers[process.platform] ?? ['xdg-open']
  const child = spawn(command, [...words, new URL(address).href], { stdio: 'ignore', detached: true })
  child.on('error', () => output.note('No browser could be opened here: the address is above.'))
  child.unref()
}
