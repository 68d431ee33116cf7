/**
 * Pictures of the terminal UI, for the documentation and for those who work on it: `node dist/screens.js` with steps, in
 * order. The environment is that of `quire` (QUIRE_URL, SERVICE_API_KEY, HOME …).
 *
 * - `size:120x40`, `shade:light`: before everything else; else 80x24 and dark
 * - `run:branches list`: words of the command line; else none, which opens the UI
 * - `key:ctrl+p`, `type:some text`, `paste:some text`, `click:3,12`, `resize:40x15`
 * - `wait:a text that must be shown`, `pause:300`
 * - `picture:docs/editor.png`, `text:-` prints the screen
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { Pty } from '#test/support/pty.ts'
import { takePicture } from '#test/support/screenshot.ts'

const steps = process.argv.slice(2).map((word) => {
  const at = word.indexOf(':')
  return { name: word.slice(0, at), value: word.slice(at + 1) }
})
const valueOf = (name: string): string | undefined => steps.find((step) => step.name === name)?.value
const numbers = (value: string): [number, number] => value.split(/[x,]/).map(Number) as [number, number]

const shade = valueOf('shade') === 'light' ? 'light' : 'dark'
const [width, height] = numbers(valueOf('size') ?? '80x24')
const pty = new Pty((valueOf('run') ?? '').split(' ').filter(Boolean), {
  width,
  height,
  environment: { ...process.env, TERM: 'xterm-256color', COLORTERM: 'truecolor', CI: undefined, NO_COLOR: undefined },
  background: shade === 'light' ? 'ffff/ffff/ffff' : '1616/1818/1d1d',
})

const acts: Readonly<Record<string, (value: string) => unknown>> = {
  key: (value) => pty.key(...value.split(' ')),
  type: (value) => pty.type(value),
  paste: (value) => pty.paste(value.replaceAll('\\n', '\n')),
  click: (value) => pty.click(...numbers(value)),
  resize: (value) => pty.resize(...numbers(value)),
  wait: (value) => pty.shows(value),
  pause: (value) => sleep(Number(value)),
  picture: async (value) => {
    await pty.settled()
    await takePicture(pty, value, shade)
  },
  text: async () => {
    await pty.settled()
    console.log(pty.screen())
  },
}

try {
  for (const { name, value } of steps) await acts[name]?.(value)
} finally {
  await pty.dispose()
}
