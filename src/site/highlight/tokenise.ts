import { LRUCache } from 'lru-cache'
import type { StateStack } from 'shiki/textmate'
import { EncodedTokenMetadata, INITIAL } from 'shiki/textmate'
import { escapeHtml } from '../../lib/html.ts'
import type { Language } from './languages.ts'
import { loadLanguage, resolveLanguage } from './languages.ts'
import { linesOf } from './line.ts'
import { styleClasses } from './palette.ts'

/** Longer blocks (UTF-16 units) stay plain, longer lines too: data, and what makes patterns slow. */
const longestBlock = 200_000
const longestLine = 2_000

/** Lines of HTML by language and code. Projects never share a child, so nothing is shared between projects. */
const recent = new LRUCache<string, readonly string[]>({
  maxSize: 4_000_000,
  sizeCalculation: (lines, key) => key.length + lines.reduce((sum, line) => sum + line.length + 16, 64),
})

/**
 * Code as lines of HTML: text and `<span class>`. Never fails for what the code holds; it depends on language and code
 * alone, not on what was highlighted before.
 */
export async function tokenise(code: string, written: string): Promise<readonly string[]> {
  const id = resolveLanguage(written)
  if (id === undefined || id === 'text' || code.length > longestBlock) return code.split('\n').map(escapeHtml)
  const key = `${id}\n${code}`
  let lines = recent.get(key)
  if (lines === undefined) {
    lines = colour(code, await loadLanguage(id))
    recent.set(key, lines)
  }
  return lines
}

function colour(code: string, language: Language): string[] {
  let state: StateStack = INITIAL
  return linesOf(code).map((line) => {
    if (line.length > longestLine) return escapeHtml(line)
    // Without a time limit: a cut that depends on the machine’s load would make two builds differ.
    const { tokens, ruleStack } = language.grammar.tokenizeLine2(line, state, 0)
    state = ruleStack
    return spans(line, tokens, language.classes)
  })
}

/** Joins neighbours of one class, with white space between them, so that the page stays small. */
function spans(line: string, tokens: Uint32Array, classes: readonly string[]): string {
  // Joined at the end: strings grown piece by piece would keep all their pieces in memory.
  const html: string[] = []
  let openClass = ''
  let text = ''
  const close = (): void => {
    html.push(openClass === '' ? escapeHtml(text) : `<span class="${openClass}">${escapeHtml(text)}</span>`)
  }
  for (let at = 0; at < tokens.length; at += 2) {
    const part = line.slice(tokens[at], tokens[at + 2] ?? line.length)
    if (part === '') continue
    const name = classOf(tokens[at + 1] ?? 0, classes)
    if (name !== openClass && part.trim() !== '') {
      close()
      text = ''
      openClass = name
    }
    text += part
  }
  close()
  return html.join('')
}

function classOf(metadata: number, classes: readonly string[]): string {
  const name = classes[EncodedTokenMetadata.getForeground(metadata)] ?? ''
  const style = styleClasses(EncodedTokenMetadata.getFontStyle(metadata))
  return style === '' ? name : name === '' ? style : `${name} ${style}`
}
