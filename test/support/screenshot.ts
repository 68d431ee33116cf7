import { writeFile } from 'node:fs/promises'
import { rgbOf } from '#cli/tui/terminal/theme.ts'
import { launchBrowser } from './browser.ts'
import type { Pty, PtyCell } from './pty.ts'

const cell = { width: 9, height: 19, font: 15 }

/** What the terminals of the pictures look like where a program asks for nothing else. */
const looks = {
  dark: { background: '#16181d', color: '#e6e6e6' },
  light: { background: '#ffffff', color: '#1c1c1c' },
} as const

/** The first 16 colours, as xterm has them. */
const sixteen =
  '000000 cd0000 00cd00 cdcd00 2a6be0 cd00cd 00cdcd e5e5e5 7f7f7f ff5f5f 5fff5f ffff5f 7aa2f7 ff5fff 5fffff ffffff'.split(
    ' ',
  )

function css(color: string | number | undefined, otherwise: string): string {
  if (typeof color === 'string') return color
  if (color === undefined) return otherwise
  return color < 16 ? `#${sixteen[color]}` : `rgb(${rgbOf(color).join()})`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

function cellHtml(of: PtyCell, place: { row: number; column: number }, look: (typeof looks)['dark' | 'light']): string {
  const [front, behind] = [css(of.color, look.color), css(of.background, look.background)]
  const [color, background] = of.inverse ? [behind, front] : [front, behind]
  if ((of.text === '' || of.text === ' ') && background === look.background && !of.underline) return ''
  const style = [
    `left:${place.column * cell.width}px;top:${place.row * cell.height}px;width:${of.width * cell.width}px`,
    `color:${color};background:${background}`,
    of.bold ? 'font-weight:bold' : '',
    of.italic ? 'font-style:italic' : '',
    of.dim ? 'opacity:.6' : '',
    of.underline || of.strikethrough
      ? `text-decoration:${of.underline ? 'underline ' : ''}${of.strikethrough ? 'line-through' : ''}`
      : '',
  ]
  return `<i style="${style.filter(Boolean).join(';')}">${escaped(of.text) || '&nbsp;'}</i>`
}

/** A page that shows what stands on a terminal. */
export function screenHtml(pty: Pty, shade: 'light' | 'dark'): string {
  const { width, height } = pty.size
  const look = looks[shade]
  const cells = Array.from({ length: height }, (_, row) =>
    pty.cells(row).map((of, column) => (of.width === 0 ? '' : cellHtml(of, { row, column }, look))),
  )
  const { row, column } = pty.cursor
  const bar = `<b style="left:${column * cell.width}px;top:${row * cell.height}px;background:${look.color}"></b>`
  return `<!doctype html><meta charset="utf-8"><style>
body{margin:12px;background:${look.background};width:${width * cell.width}px;height:${height * cell.height}px;position:relative}
i,b{position:absolute;height:${cell.height}px;line-height:${cell.height}px}
i{font:${cell.font}px/${cell.height}px "DejaVu Sans Mono","Liberation Mono",monospace;white-space:pre;overflow:visible;font-style:normal}
b{width:2px}</style>${cells.flat().join('')}${pty.isCursorShown ? bar : ''}`
}

/** Writes a picture (PNG) of what stands on a terminal. Starts a browser: some seconds. */
export async function takePicture(pty: Pty, file: string, shade: 'light' | 'dark' = 'dark'): Promise<void> {
  const browser = await launchBrowser()
  try {
    const { width, height } = pty.size
    const viewport = { width: width * cell.width + 24, height: height * cell.height + 24 }
    const page = await browser.newPage({ viewport, deviceScaleFactor: 1 })
    await page.setContent(screenHtml(pty, shade))
    await writeFile(file, await page.screenshot({ type: 'png' }))
  } finally {
    await browser.close()
  }
}
