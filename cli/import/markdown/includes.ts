import { posix } from 'node:path'
import type { Dialect } from '../site.ts'
import type { Kind } from '../report.ts'
import { fenceFrom, rangesOf } from './fence.ts'
import { slugIn } from './anchors.ts'
import { linesOf, type Line } from './lines.ts'

export interface Includes {
  readonly dialect: Dialect
  /** The text of a file that a page names; undefined where there is none. */
  readonly include: (reference: string) => string | undefined
  readonly note: (kind: Kind, message: string, line: number) => void
}

export interface Included {
  /** A part of the page, to be converted; or code, which is done. */
  readonly kind: 'part' | 'code'
  readonly lines: readonly Line[]
}

const codeImport = /^[ \t]*<<<[ \t]*(\S+?)(?:#([\w*-]+))?[ \t]*(?:\{([^}]*)\})?[ \t]*(?:\[([^\]]*)\])?[ \t]*$/
const markdownImport = /^[ \t]*<!--[ \t]*@include:[ \t]*([^{#\s]+)(?:#([\w-]+))?(?:\{(\d*),(\d*)\})?[ \t]*-->[ \t]*$/
const starred = /^[ \t]*\{\*[ \t]*(\S+)[ \t]*(.*?)[ \t]*\*\}[ \t]*$/
const banged = /^[ \t]*\{!>?[ \t]*(.+?)[ \t]*!\}[ \t]*$/
const liquid = /^[ \t]*\{%[ \t]*include(?:-markdown)?[ \t]+["']([^"']+)["'].*?%\}[ \t]*$/

/** A line that stands for a file, or a part of one; undefined for other lines. */
export function includeAt(line: Line, context: Includes): Included | undefined {
  const { text } = line
  if (context.dialect === 'vitepress') return vitepress(line, context)
  if (context.dialect === 'gitbook' || context.dialect === 'mkdocs') {
    const [, reference] =
      (context.dialect === 'mkdocs' ? (banged.exec(text) ?? liquid.exec(text)) : liquid.exec(text)) ?? []
    if (reference !== undefined) return part(reference, line, context)
  }
  const [, path, rest = ''] = context.dialect === 'mkdocs' ? (starred.exec(text) ?? []) : []
  if (path === undefined) return undefined
  const code = find(path, line, context)
  return code === undefined ? undefined : { kind: 'code', lines: fenceFrom(...starredCode(code, path, rest), line) }
}

function vitepress(line: Line, context: Includes): Included | undefined {
  const [, path, region, options = '', title] = codeImport.exec(line.text) ?? []
  if (path !== undefined) {
    const code = find(path, line, context)
    if (code === undefined) return undefined
    const [, lines = '', language = ''] = /^([\d,-]*)[ \t]*([\w-]*)/.exec(options) ?? []
    const numbers = options.includes(':line-numbers') ? ' lines' : ''
    const words = [
      language || posix.extname(path).slice(1),
      lines === '' ? '' : `{${lines}}`,
      title === undefined ? '' : `title="${title}"`,
    ]
    return { kind: 'code', lines: fenceFrom(regionOf(code, region), words.filter(Boolean).join(' ') + numbers, line) }
  }
  const [, reference, part_, from, to] = markdownImport.exec(line.text) ?? []
  if (reference === undefined) return undefined
  return part(reference, line, context, (text) => {
    const own = (part_ === undefined ? undefined : sectionOf(text, part_, context.dialect)) ?? regionOf(text, part_)
    return from === undefined && to === undefined
      ? own
      : own
          .split('\n')
          .slice(Number(from || 1) - 1, Number(to || 1e6))
          .join('\n')
  })
}

function find(reference: string, line: Line, context: Includes): string | undefined {
  const text = context.include(reference)
  if (text === undefined) context.note('include', `It includes ${reference}, which is not there.`, line.line)
  return text
}

function part(
  reference: string,
  line: Line,
  context: Includes,
  cut = (text: string): string => text,
): Included | undefined {
  const text = find(reference, line, context)
  if (text === undefined) return undefined
  const body = text.replace(/^---\n[\s\S]*?\n---\n/, '')
  return { kind: 'part', lines: linesOf(cut(body)).map((own) => ({ ...own, line: line.line })) }
}

/** What stands between `#region name` and its end, without the marks; all of it where no name is given. */
export function regionOf(code: string, name: string | undefined): string {
  const lines = code.split('\n')
  const isMark = (text: string): boolean =>
    /^\s*(?:\/\/|#|\/\*|<!--|--|;|%)?\s*(?:#?(?:end)?region\b|--8<--\s*\[)/.test(text)
  if (name === undefined)
    return lines.filter((text) => !/^\s*(?:\/\/|#|\/\*|<!--)\s*#(?:end)?region\b/.test(text)).join('\n')
  const start = lines.findIndex(
    (text) => isMark(text) && new RegExp(`(?:region\\s+|start:\\s*)${name.replaceAll(/[^\w-]/g, '')}\\b`).test(text),
  )
  if (start === -1) return code
  const length = lines.slice(start + 1).findIndex((text) => /#?endregion\b|\[end:/.test(text) && isMark(text))
  return lines
    .slice(start + 1, length === -1 ? undefined : start + 1 + length)
    .filter((text) => !isMark(text))
    .join('\n')
}

/** What stands below the heading of an id, with that; undefined where there is none. */
function sectionOf(text: string, id: string, dialect: Dialect): string | undefined {
  const lines = text.split('\n')
  const depthOf = (own: string | undefined): number => /^(#{1,6})[ \t]/.exec(own ?? '')?.[1]?.length ?? 7
  const start = lines.findIndex((own) => {
    const [, words = '', given] = /^#{1,6}[ \t]+(.*?)[ \t]*(?:\{#([^}\s]+)\})?[ \t]*$/.exec(own) ?? []
    return words !== '' && (given ?? slugIn(dialect, words.replaceAll('`', ''))) === id
  })
  if (start === -1) return undefined
  const length = lines.slice(start + 1).findIndex((own) => depthOf(own) <= depthOf(lines[start]))
  return lines.slice(start, length === -1 ? undefined : start + 1 + length).join('\n')
}

/** `ln[1:5,8] hl[2]`: lines that are shown, and lines of the file that are marked. */
function starredCode(code: string, path: string, options: string): [code: string, info: string] {
  const [, shown] = /\bln\[([^\]]*)\]/.exec(options) ?? []
  const [, marked] = /\bhl\[([^\]]*)\]/.exec(options) ?? []
  const all = code.replace(/\n+$/, '').split('\n')
  const wanted = shown === undefined ? all.map((_line, index) => index + 1) : numbersOf(shown, all.length)
  const marks = new Set(marked === undefined ? [] : numbersOf(marked, all.length))
  const places = new Set(wanted.flatMap((number, index) => (marks.has(number) ? [index + 1] : [])))
  const info = [languageOf(path), ...(places.size === 0 ? [] : [`{${rangesOf(places)}}`])].join(' ')
  return [wanted.map((number) => all[number - 1] ?? '').join('\n'), info]
}

const languages: Readonly<Record<string, string>> = { py: 'python', yml: 'yaml', sh: 'bash' }
const languageOf = (path: string): string => languages[posix.extname(path).slice(1)] ?? posix.extname(path).slice(1)

function numbersOf(text: string, most: number): number[] {
  return text.split(',').flatMap((part_) => {
    const [, from = '', colon, to = ''] = /^\s*(\d*)(:?)(\d*)\s*$/.exec(part_) ?? []
    const first = Number(from || 1)
    const last = colon === '' ? first : Number(to || most)
    return Array.from({ length: Math.max(0, Math.min(last, most) - first + 1) }, (_value, index) => first + index)
  })
}

const snippetBlock = /^([ \t]*);?-{1,}8<-{1,}(?:[ \t]+"([^"]+)")?[ \t]*$/

/** `--8<-- "file"` of MkDocs, in code blocks and outside of them: what it names stands there. */
export function pasteSnippets(lines: readonly Line[], context: Includes): Line[] {
  const done: Line[] = []
  let isList = false
  for (const line of lines) {
    const match = snippetBlock.exec(line.text)
    const [, indent = '', inline] = match ?? []
    const isMark = match !== null && !line.text.trimStart().startsWith(';')
    if (isMark && inline === undefined) {
      isList = !isList
      continue
    }
    const reference = isMark ? inline : isList ? line.text.trim() : undefined
    if (reference === undefined || reference === '') {
      done.push(
        isMark || !line.text.trimStart().startsWith(';--8<--') ? line : { ...line, text: line.text.replace(';', '') },
      )
      continue
    }
    const [, path = '', from, to] = /^([^:]+)(?::(\d*|[\w-]+)(?::(\d*))?)?$/.exec(reference) ?? []
    const text = find(path, line, context)
    if (text === undefined) continue
    const isNumbered = /^\d*$/.test(from ?? '')
    const cut = isNumbered
      ? text
          .split('\n')
          .slice(Number(from || 1) - 1, Number(to || 1e6))
          .join('\n')
      : regionOf(text, from)
    done.push(
      ...linesOf(cut.replace(/\n+$/, '')).map((own) => ({
        text: own.text === '' ? '' : indent + own.text,
        line: line.line,
      })),
    )
  }
  return done
}

/** `{{#include file.rs:part}}` of mdBook, in code blocks and outside of them: what it names stands there. */
export function pasteParts(lines: readonly Line[], context: Includes): Line[] {
  return lines.flatMap((line): Line[] => {
    const [, indent = '', kind = '', reference = ''] =
      /^([ \t]*)\{\{#(\w+)[ \t]+([^}\s]+)[^}]*\}\}[ \t]*$/.exec(line.text) ?? []
    if (!/^(?:include|rustdoc_include|playground)$/.test(kind)) return [line]
    const [, path = '', from, to] = /^([^:]+)(?::([\w-]*)(?::(\d*))?)?$/.exec(reference) ?? []
    const text = find(path, line, context)
    if (text === undefined) return []
    const all = text.replace(/\n+$/, '').split('\n')
    const isMark = (own: string): boolean => /\bANCHOR(?:_END)?:/.test(own)
    const at = (mark: string): number => all.findIndex((own) => own.trim().endsWith(`${mark}: ${from}`))
    const isNumbered = /^\d*$/.test(from ?? '')
    const [start, end] = isNumbered
      ? [Number(from || 1) - 1, Number(to || (from && to === undefined ? from : 1e6))]
      : [at('ANCHOR') + 1, at('ANCHOR_END')]
    const shown = all.slice(start, end < 0 ? undefined : end).filter((own) => !isMark(own))
    return shown.map((own) => ({ text: own === '' ? '' : indent + own, line: line.line }))
  })
}
