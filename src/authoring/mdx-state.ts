import type { CodeLanguage } from './code-languages.ts'
import type { CodeState } from './code-tokens.ts'

export type Format = 'mdx' | 'md'

/** How a line of a page begins. Each is made once, so that they are the same where they are alike. */
export type MdxState =
  | { readonly mode: 'start' }
  | { readonly mode: 'frontMatter' }
  /** @param fresh behind an empty line or a block: only there imports and exports begin */
  | { readonly mode: 'text'; readonly fresh: boolean }
  | {
      readonly mode: 'fence'
      readonly mark: string
      readonly quoted: boolean
      readonly language: CodeLanguage | 'diff' | undefined
      readonly code: CodeState
    }
  | { readonly mode: 'math' }
  | { readonly mode: 'comment' }
  | { readonly mode: 'module'; readonly code: CodeState }
  /** In a tag; `quote` is that of the string that is open in it. */
  | { readonly mode: 'tag'; readonly quote: string }
  /** In `{…}`, of a text or of a tag. */
  | { readonly mode: 'expression'; readonly depth: number; readonly code: CodeState; readonly inTag: boolean }

type Fence = Extract<MdxState, { mode: 'fence' }>

export const start: MdxState = { mode: 'start' }
export const frontMatter: MdxState = { mode: 'frontMatter' }
export const fresh: MdxState = { mode: 'text', fresh: true }
export const flow: MdxState = { mode: 'text', fresh: false }
export const math: MdxState = { mode: 'math' }
export const comment: MdxState = { mode: 'comment' }

const made = new Map<string, MdxState>()
const numbers = new Map<CodeLanguage, number>()
/** Texts of strangers could make any number of them: by hand they come to a few dozen. */
const mostMade = 10_000

function same(key: string, state: MdxState): MdxState {
  const known = made.get(key)
  if (known !== undefined) return known
  if (made.size < mostMade) made.set(key, state)
  return state
}

function numberOf(language: Fence['language']): string {
  if (language === undefined || language === 'diff') return language ?? ''
  const number = numbers.get(language) ?? numbers.size
  numbers.set(language, number)
  return String(number)
}

export function fence({ mark, quoted, language, code }: Omit<Fence, 'mode'>): MdxState {
  const key = `fence ${mark} ${quoted} ${numberOf(language)} ${code}`
  return same(key, { mode: 'fence', mark, quoted, language, code })
}

export function moduleCode(code: CodeState): MdxState {
  return same(`module ${code}`, { mode: 'module', code })
}

export function inTag(quote: string): MdxState {
  return same(`tag ${quote}`, { mode: 'tag', quote })
}

/** So deep nobody nests by hand; deeper braces are not counted. */
const deepest = 200

export function inExpression(depth: number, code: CodeState, isInTag: boolean): MdxState {
  const bounded = Math.min(depth, deepest)
  const key = `expression ${bounded} ${code} ${isInTag}`
  return same(key, { mode: 'expression', depth: bounded, code, inTag: isInTag })
}
