/**
 * A program that has a terminal as the UI has it: shows what it hears, a line an input, and its size. Words that are
 * typed as chords make it do things: Ctrl-Q stops, Ctrl-T throws, Ctrl-R rejects, Ctrl-E lends the terminal, Ctrl-W
 * copies, Ctrl-L changes the whole screen a thousand times.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readEnvironment } from '#cli/environment.ts'
import { chordOf, type Input } from '#cli/tui/canvas/input.ts'
import { fit, span } from '#cli/tui/canvas/lines.ts'
import type { Line } from '#cli/tui/canvas/style.ts'
import { shown } from '#cli/tui/canvas/width.ts'
import { LinearTerminal } from '#cli/tui/terminal/linear.ts'
import { Tty } from '#cli/tui/terminal/tty.ts'

const environment = readEnvironment()
const { stateDirectory } = environment
const leave = (ending: { readonly kind: string }): void => {
  process.stderr.write(`left: ${ending.kind}\n`)
}
const isLinear = process.argv.includes('--linear')
const terminal = isLinear
  ? new LinearTerminal({ leave, stateDirectory })
  : new Tty({
      leave,
      stateDirectory,
      traits: environment.terminal,
      theme: 'auto',
      mouse: process.argv.includes('--mouse'),
    })

const heard: string[] = []

function words(input: Input): string {
  if (input.type === 'key') return chordOf(input.key)
  if (input.type === 'paste') return `pasted ${input.text.length}: ${shown(input.text.slice(0, 40))}`
  return `${input.mouse.action} ${input.mouse.row},${input.mouse.column}`
}

function draw(): void {
  const { width, height } = terminal.size
  const rows: Line[] = [
    fit([span(` sample ${width}x${height}`, { background: 'raised', bold: true })], width, { background: 'raised' }),
    [span('heading ', { color: 'heading' }), span('selected', { background: 'selected' }), span(' 漢字 👩‍🚀 é')],
  ]
  const last = heard.slice(-Math.max(0, height - 3))
  for (const line of last) rows.push([span(line, { color: 'accent' })])
  while (rows.length < height - 1) rows.push([])
  rows.push([span('the last row')])
  terminal.draw({ rows, cursor: { row: last.length + 1, column: last.at(-1)?.length ?? 0 } })
}

const acts: Readonly<Record<string, () => void>> = {
  'ctrl+q': () => {
    clearInterval(alive)
    terminal.stop()
    process.stdout.write('stopped\n')
  },
  'ctrl+t': () => {
    throw new Error('Planted \u001B[31mhere')
  },
  'ctrl+r': () => void Promise.reject(new Error('Nobody waits')),
  'ctrl+e': () =>
    void terminal.suspend(async () => {
      const child = spawn('sh', ['-c', 'printf "lent\\n"; read word; printf "read $word\\n"; read word'], {
        stdio: 'inherit',
      })
      await once(child, 'exit')
    }),
  'ctrl+l': () => {
    let turn = 0
    const timer = setInterval(() => {
      const { width, height } = terminal.size
      const text = `turn ${turn++} `.repeat(width).slice(0, width)
      if (turn <= 1000) terminal.draw({ rows: Array.from({ length: height }, () => [span(text)]) })
      else {
        clearInterval(timer)
        heard.push('turned')
        draw()
      }
    }, 1)
  },
  'ctrl+w': () => terminal.copy('copied text'),
}

const alive = setInterval(() => {}, 60_000)
terminal.start({
  input: (input) => {
    heard.push(words(input))
    terminal.say(words(input))
    acts[heard.at(-1) ?? '']?.()
    draw()
  },
  resize: draw,
})
draw()
terminal.say('ready')
