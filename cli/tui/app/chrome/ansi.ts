import {
  backgrounds,
  colors,
  type Background,
  type Color,
  type Line,
  type Span,
  type Style,
} from '../../canvas/style.ts'

// Names of the theme go through Ink as numbers of the 256 colours: theirs in the lists.

/** For the `color` of Ink’s components. */
export function inkColor(color: Color): string {
  return `ansi256(${colors.indexOf(color)})`
}

/** For the `backgroundColor` of Ink’s components. */
export function inkBackground(background: Background): string {
  return `ansi256(${backgrounds.indexOf(background)})`
}

const sgr = new RegExp(`${String.fromCharCode(27)}\\[([\\d;]*)m`)

/** A line that Ink wrote. */
export function parseInkLine(text: string): Line {
  const spans: Span[] = []
  let style: Style = {}
  // Every second part is the parameters of a style.
  for (const [index, part] of text.split(sgr).entries()) {
    if (index % 2 === 1) style = styleAfter(style, part)
    else if (part !== '') spans.push({ text: part, style })
  }
  return spans
}

function styleAfter(style: Style, parameters: string): Style {
  const [first, , number] = parameters.split(';')
  switch (first) {
    case '1':
      return { ...style, bold: true }
    case '2':
      return { ...style, dim: true }
    case '22':
      return without(style, 'bold', 'dim')
    case '3':
      return { ...style, italic: true }
    case '23':
      return without(style, 'italic')
    case '4':
      return { ...style, underline: true }
    case '24':
      return without(style, 'underline')
    case '9':
      return { ...style, strikethrough: true }
    case '29':
      return without(style, 'strikethrough')
    case '38':
      return { ...style, color: colors[Number(number)] ?? 'text' }
    case '39':
      return without(style, 'color')
    case '48':
      return { ...style, background: backgrounds[Number(number)] ?? 'raised' }
    case '49':
      return without(style, 'background')
    default:
      return {}
  }
}

function without(style: Style, ...names: (keyof Style)[]): Style {
  return Object.fromEntries(Object.entries(style).filter(([name]) => !names.some((one) => one === name)))
}
