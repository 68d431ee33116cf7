import { coloured } from './colours.ts'
import { h } from './elements.ts'
import type { Sent } from './request.ts'
import { filled, words } from './words.ts'

export type Trouble = 'offline' | 'refused' | 'cors' | 'unreachable'

/**
 * Why a request came to nothing. A browser tells scripts no more than that it failed; a request whose answer no script
 * may read tells whether the server can be reached at all: where it can, CORS was what failed.
 */
export async function troubleOf(url: string, isRefused: boolean): Promise<Trouble> {
  if (isRefused) return 'refused'
  if (!navigator.onLine) return 'offline'
  try {
    await fetch(new URL(url).origin, {
      method: 'HEAD',
      mode: 'no-cors',
      cache: 'no-store',
      credentials: 'omit',
      signal: AbortSignal.timeout(8000),
    })
    return 'cors'
  } catch {
    return 'unreachable'
  }
}

/** What went wrong, what its API’s owner can do about it, and how to go on without the browser. */
export function troubleElement(
  trouble: Trouble,
  method: string,
  { url, headers }: Sent,
  command: string | undefined,
): HTMLElement {
  const { origin } = new URL(url)
  const site = location.origin
  const parts: Node[] = [h('p', {}, filled(words[trouble], { origin, site }))]
  if (trouble === 'cors') {
    const names = headers.map(([name]) => name.toLowerCase())
    const needed = [
      `Access-Control-Allow-Origin: ${site}`,
      `Access-Control-Allow-Methods: ${method}`,
      ...(names.length === 0 ? [] : [`Access-Control-Allow-Headers: ${[...new Set(names)].join(', ')}`]),
    ]
    parts.push(h('p', {}, filled(words.corsHow, { method })), block(needed.join('\n')))
  }
  if (command !== undefined) parts.push(h('p', {}, words.terminal), block(command))
  return h('div', { class: 'q-play-trouble', role: 'alert', 'data-trouble': trouble }, ...parts)
}

/** A block of code with a button that copies it. */
export function block(text: string, language: 'json' | 'code' = 'code'): HTMLElement {
  const code = h('code', {})
  code.append(coloured(text, language))
  const copy = h('button', { type: 'button', class: 'q-copy', 'data-copy': '', 'aria-label': words.copy })
  return h('figure', { class: 'q-code' }, h('pre', { tabindex: '0' }, code), copy)
}
