import type { CodeMeta } from '../components/component.tsx'
import { languageLabel } from './languages.ts'

const languagePattern = /^[A-Za-z0-9_+#.-]{1,40}$/
/** Lines after this are not marked: a range may be written by anyone and is expanded. */
const lastLine = 10_000
/** Longer meta is no longer something a person wrote. */
const longest = 2_000

/** One word of a fence’s meta: `key="…"`, `key={…}`, `{…}` or a bare word. */
const wordPattern =
  /([A-Za-z][\w-]*)=(?:"([^"]*)"|'([^']*)'|\{([^}]*)\}+|(\S+))|\{+([^}]*)\}+|"([^"]*)"|'([^']*)'|(\S+)/g

const placements = ['top-left', 'top-right', 'bottom-left', 'bottom-right'] as const
const knownFlags = ['lines', 'wrap', 'expandable'] as const
type Flag = (typeof knownFlags)[number]
/** What other tools write for a flag of ours. */
const flagNames: Readonly<Record<string, Flag>> = {
  lines: 'lines',
  showLineNumbers: 'lines',
  wrap: 'wrap',
  expandable: 'expandable',
}
/** Words that mean something elsewhere and nothing here; without this they would become titles. */
const ignoredWords = new Set(['twoslash', 'copy', 'nocopy', 'noCopy'])

/**
 * Reads what stands behind a fence: ```` ```ts Title {1,3-5} highlight={2} focus={4} lines wrap expandable icon="js" ````.
 * Bare words are the title. Unknown keys and malformed values are ignored.
 * @param language first word of the fence; replaced by an empty string when it is not [A-Za-z0-9_+#.-]
 * @param meta the rest of the line
 */
export function parseFenceMeta(language: string, meta: string): CodeMeta {
  const title: string[] = []
  let named: string | undefined
  let icon: string | undefined
  let actions: boolean | undefined
  let placement: CodeMeta['placement']
  const highlight = new Set<number>()
  const focus = new Set<number>()
  const flags: Record<Flag, boolean> = { lines: false, wrap: false, expandable: false }

  for (const match of meta.slice(0, longest).matchAll(wordPattern)) {
    const [, key, double, single, braces, plain, group, quoted, quotedSingle, word] = match
    const value = double ?? single ?? braces ?? plain ?? ''
    const flag = flagNames[key ?? word ?? '']
    if (key !== undefined) {
      if (key === 'title' || key === 'filename') named = value.replace(/^(["'])(.*)\1$/, '$2').trim()
      else if (key === 'actions') actions = value !== 'false'
      else if (key === 'placement') placement = placements.find((corner) => corner === value.toLowerCase())
      else if (key === 'icon') icon = value.replace(/["']/g, '')
      else if (key === 'highlight' || key === 'mark') addLines(highlight, value)
      else if (key === 'focus') addLines(focus, value)
      else if (flag !== undefined && Object.hasOwn(flagNames, key)) flags[flag] = value !== 'false'
    } else if (group !== undefined) addLines(highlight, group)
    else if (quoted !== undefined || quotedSingle !== undefined) title.push(quoted ?? quotedSingle ?? '')
    else if (word !== undefined && Object.hasOwn(flagNames, word) && flag !== undefined) flags[flag] = true
    else if (word !== undefined && !ignoredWords.has(word)) title.push(word)
  }

  // VitePress has titles in brackets.
  const text = (named ?? title.join(' ').trim()).replace(/^\[([^[\]]+)\]$/, '$1')
  const name = languagePattern.test(language) ? language : ''
  const label = languageLabel(name)
  return {
    language: name,
    ...(label === undefined ? {} : { label }),
    ...(text === '' ? {} : { title: text }),
    highlight,
    focus,
    ...flags,
    ...(icon === undefined || icon === '' ? {} : { icon }),
    ...(actions === undefined ? {} : { actions }),
    ...(placement === undefined ? {} : { placement }),
  }
}

/** Adds the lines of `1,3-5` or `[1, 3]`; a list that is not one adds nothing. */
function addLines(lines: Set<number>, list: string): void {
  const parts = list
    .replace(/[[\]"'\s]/g, '')
    .split(',')
    .filter((part) => part !== '')
  const ranges = parts.map((part) => /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(part))
  if (ranges.includes(null)) return
  for (const range of ranges) {
    const first = Number(range?.[1])
    const last = Math.min(Number(range?.[2] ?? first), lastLine)
    for (let line = Math.max(first, 1); line <= last; line++) lines.add(line)
  }
}
