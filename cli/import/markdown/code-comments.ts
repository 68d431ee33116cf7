import type { Line } from './lines.ts'

const opening = String.raw`(?:\/\/|#|--|%|;|'|\/\*+|\{\s*\/\*|<!--)\s*`
const nextLine = new RegExp(String.raw`^\s*${opening}highlight-next-line\b`)
const rangeStart = new RegExp(String.raw`^\s*${opening}highlight-start\b`)
const rangeEnd = new RegExp(String.raw`^\s*${opening}highlight-end\b`)
const errorLine = new RegExp(String.raw`^\s*${opening}(?:error|success)-(?:next-line|start|end)\b`)

/** Docusaurus marks lines with comments: they become numbers. */
export function takeComments(code: readonly string[], marked: Set<number>): string[] {
  const kept: string[] = []
  let isMarked = false
  let isNext = false
  for (const line of code) {
    if (nextLine.test(line)) isNext = true
    else if (rangeStart.test(line)) isMarked = true
    else if (rangeEnd.test(line)) isMarked = false
    else if (!errorLine.test(line)) {
      kept.push(line)
      if (isMarked || isNext) marked.add(kept.length)
      isNext = false
    }
  }
  return kept
}

/** Code without the lines that only twoslash reads, and without what stands before its cut. */
export function takeTwoslash(code: readonly Line[]): Line[] {
  const cut = code.findLastIndex(({ text }) => /^\s*\/\/ ?---cut(?:-before)?---/.test(text))
  const end = code.findIndex(({ text }, at) => at > cut && /^\s*\/\/ ?---cut-after---/.test(text))
  return code
    .slice(cut + 1, end === -1 ? undefined : end)
    .filter(({ text }) => !/^\s*\/\/\s*(?:@[a-zA-Z]+(?::|\s*$)|\^[?|]|---cut)/.test(text))
}

const comment =
  /^\s*(?:\/\/|#|--|;|\/\*|<!--|\{\s*\/\*)\s*(?:(?:file ?name|file)\s*:\s*)?(\S+?)\s*(?:\*\/\s*\}?|-->)?\s*$/i
const fileName = /^(?:[\w@.[\]()-]+\/)*(?:[\w@.[\]()-]*\.[a-z][a-z\d]{0,9}|\.[a-z][\w.-]*)$/i
/** Lines in which a file’s name is looked for. */
const headLines = 4

/** The name of the file that a comment at the top gives, as Expressive Code takes it, its line, and the code without that. */
export function takeTitle(
  code: readonly Line[],
  language: string,
): { readonly title: string; readonly line: number; readonly rest: Line[] } | undefined {
  if (/^(?:sh|bash|shell|zsh|console|powershell|ps1|bat|text|txt|plaintext|md|mdx|diff|)$/.test(language))
    return undefined
  for (const [index, { text }] of code.slice(0, headLines).entries()) {
    const [, title = ''] = comment.exec(text) ?? []
    if (!fileName.test(title) || /^[\d.]+$/.test(title)) continue
    const rest = [...code.slice(0, index), ...code.slice(index + 1)]
    // A blank line behind it kept it apart.
    if (index === 0 && rest[0]?.text.trim() === '') rest.shift()
    return { title, line: index + 1, rest }
  }
  return undefined
}

/**
 * Code of several files in one block, as remark-typescript-tools reads it: those that say `noEmit` are only there for the
 * types of the others, and nobody saw them. Undefined for other code.
 */
export function takeShownFiles(
  code: readonly Line[],
): { readonly title: string | undefined; readonly rest: Line[] } | undefined {
  const starts = code.flatMap(({ text }, index) => {
    const [, title, hidden] = /^\s*\/\/ ?file: ?(\S+)( noEmit)?\s*$/.exec(text) ?? []
    return title === undefined ? [] : [{ index, title, isHidden: hidden !== undefined }]
  })
  if (!starts.some(({ isHidden }) => isHidden)) return undefined
  const shown = starts.flatMap(({ index, title, isHidden }, at) =>
    isHidden ? [] : [{ title, lines: code.slice(index, starts[at + 1]?.index) }],
  )
  const isOne = shown.length === 1
  const lines = [...code.slice(0, starts[0]?.index), ...shown.flatMap(({ lines: own }) => (isOne ? own.slice(1) : own))]
  const last = lines.findLastIndex(({ text }) => text.trim() !== '')
  // A block that hides all of its files is for nobody, and better seen than lost.
  return last === -1 ? undefined : { title: isOne ? shown[0]?.title : undefined, rest: lines.slice(0, last + 1) }
}
