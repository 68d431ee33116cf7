import { Writable } from 'node:stream'
import { Box, Text, render, type Instance } from 'ink'
import type { ReactNode } from 'react'
import type { Line } from '../../canvas/style.ts'
import { inkBackground, inkColor, parseInkLine } from './ansi.ts'
import type { ChromeLines, ChromeRenderer, ChromeState, DialogFrame, KeyHint } from './frame.ts'

/** States, of some hundred short lines each. */
const mostKnown = 16

/**
 * Ink, writing whole frames to nowhere but here. It pays for every cell that it lays out, whatever is in it: of a screen it
 * is given the two lines that are its own, and a dialog, one below the other.
 */
export class Chrome implements ChromeRenderer {
  #instance: Instance | undefined
  #frame = ''
  /** Lines by their state: the same ones come again and again, as keys differ from a file to a folder. */
  readonly #known = new Map<string, ChromeLines>()
  readonly #stdout: NodeJS.WriteStream & { columns: number }

  constructor() {
    const sink = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        this.#frame = chunk.toString()
        done()
      },
    })
    this.#stdout = Object.assign(sink, { columns: 80 }) as unknown as NodeJS.WriteStream & { columns: number }
  }

  lines(state: ChromeState): ChromeLines {
    const key = JSON.stringify(state)
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const lines = this.#draw(state)
    if (this.#known.size >= mostKnown) this.#known.clear()
    this.#known.set(key, lines)
    return lines
  }

  #draw(state: ChromeState): ChromeLines {
    this.#stdout.columns = state.width
    const node = <Frame {...state} />
    if (this.#instance === undefined) {
      const stdout = this.#stdout
      this.#instance = render(node, { stdout, debug: true, patchConsole: false, exitOnCtrlC: false })
    } else this.#instance.rerender(node)
    const [header = [], keys = [], ...dialog] = this.#frame.split('\n').map(parseInkLine)
    return { header, keys, dialog }
  }

  close(): void {
    this.#instance?.unmount()
  }
}

function Frame(state: ChromeState): ReactNode {
  const { width, dialog } = state
  return (
    <Box flexDirection="column" width={width}>
      <Header {...state} />
      <Box paddingLeft={1}>
        <Keys hints={state.hints} />
      </Box>
      {dialog === undefined ? null : <Dialog {...dialog} />}
    </Box>
  )
}

function Header({ width, crumbs, corner, offline }: ChromeState): ReactNode {
  const last = crumbs.length - 1
  return (
    <Box width={width} backgroundColor={inkBackground('raised')} justifyContent="space-between" gap={2}>
      <Box flexShrink={1}>
        <Text wrap="truncate-middle">
          <Text bold color={inkColor('accent')}>
            {' Quire '}
          </Text>
          {crumbs.map((crumb, index) => (
            <Text key={`${index} ${crumb}`}>
              <Text color={inkColor('muted')}>{index === 0 ? ' ' : ' › '}</Text>
              <Text bold={index === last}>{crumb}</Text>
            </Text>
          ))}
        </Text>
      </Box>
      <Box flexShrink={0}>
        <Text color={inkColor(offline ? 'warning' : 'muted')}>{`${corner} `}</Text>
      </Box>
    </Box>
  )
}

function Keys({ hints }: { readonly hints: readonly KeyHint[] }): ReactNode {
  return (
    <Box height={1}>
      <Text wrap="truncate">
        {hints.map(({ key, word }, index) => (
          <Text key={`${key} ${word}`}>
            {index === 0 ? '' : '  '}
            <Text bold color={inkColor('accent')}>
              {key}
            </Text>
            <Text color={inkColor('muted')}>{` ${word}`}</Text>
          </Text>
        ))}
      </Text>
    </Box>
  )
}

function Dialog({ width, height, title, danger, lines, hints }: DialogFrame): ReactNode {
  const color = inkColor(danger ? 'danger' : 'accent')
  return (
    <Box width={width} height={height} borderStyle="round" borderColor={color} flexDirection="column" paddingX={2}>
      <Text bold color={color} wrap="truncate">
        {title}
      </Text>
      <Text> </Text>
      <Box flexDirection="column" flexGrow={1}>
        {lines.map((line, index) => (
          // Lines have no names of their own: one is told from another by where it stands.
          // oxlint-disable-next-line react/no-array-index-key
          <StyledLine key={index} line={line} />
        ))}
      </Box>
      <Keys hints={hints} />
    </Box>
  )
}

function StyledLine({ line }: { readonly line: Line }): ReactNode {
  if (line.length === 0) return <Text> </Text>
  return (
    <Text wrap="truncate">
      {line.map(({ text, style = {} }, index) => (
        <Text
          // oxlint-disable-next-line react/no-array-index-key
          key={index}
          bold={style.bold === true}
          dimColor={style.dim === true}
          italic={style.italic === true}
          underline={style.underline === true}
          {...(style.color === undefined ? {} : { color: inkColor(style.color) })}
          {...(style.background === undefined ? {} : { backgroundColor: inkBackground(style.background) })}
        >
          {text}
        </Text>
      ))}
    </Text>
  )
}
