import { h } from './elements.ts'

const token =
  /("(?:[^"\\\n]|\\.)*"(?=\s*:))|("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)|((?<=^|\s)(?:\/\/|#)[^\n]*)|(\b\d+(?:\.\d+)?\b)|\b(true|false|null|None|nil|True|False|import|from|const|let|var|new|await|async|func|package|return|if|else|try|catch|using|require|public|print|echo|curl)\b/g
const jsonToken =
  /("(?:[^"\\\n]|\\.)*"(?=\s*:))|("(?:[^"\\\n]|\\.)*")|(?!)()|(-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b)|\b(true|false|null)\b/g
/** By group of the patterns: a key, a text, a comment, a number, a word. */
const classes = ['q-n', 'q-s', 'q-c', 'q-n', 'q-k']

/** Code with the colours of the theme, a line at a time as blocks of code have it. */
export function coloured(text: string, language: 'json' | 'code'): DocumentFragment {
  const fragment = new DocumentFragment()
  for (const line of text.split('\n')) {
    const row = h('span', { class: 'q-line' })
    let from = 0
    for (const match of line.matchAll(language === 'json' ? jsonToken : token)) {
      const kind = classes[match.slice(1, 6).findIndex((group) => group !== undefined)]
      row.append(line.slice(from, match.index), h('span', { class: kind ?? 'q-s' }, match[0]))
      from = match.index + match[0].length
    }
    row.append(`${line.slice(from)}\n`)
    fragment.append(row)
  }
  return fragment
}
