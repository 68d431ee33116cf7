import { renderToString } from 'katex'
import { escapeHtml } from '../../lib/html.ts'

/** Longer formulas are shown as source: setting one takes time that grows with it. */
const longest = 10_000
/** KaTeX’s limits: macro expansions, and sizes in em (`\rule{1000em}{…}`). */
const limits = { maxExpand: 1000, maxSize: 20 }

/**
 * A TeX formula as MathML, which browsers set without styles and fonts. Commands that make links, attributes or load
 * images are refused. A formula with an error is its escaped source in `<code class="q-math-error">`.
 * @param display a formula on its own line
 */
export function math(tex: string, display: boolean): string {
  if (tex.length > longest) return failed(tex, 'The formula is too long')
  let html: string
  try {
    html = renderToString(tex, {
      displayMode: display,
      output: 'mathml',
      trust: false,
      strict: 'ignore',
      throwOnError: true,
      // One object a formula: definitions of a formula would otherwise leak into the next.
      macros: {},
      ...limits,
    })
  } catch (error) {
    return failed(tex, error instanceof Error ? error.message : String(error))
  }
  const inner = html.replace(/^<span class="katex">/, '').replace(/<\/span>$/, '')
  return display ? `<div class="q-math">${inner}</div>` : inner
}

function failed(tex: string, reason: string): string {
  return `<code class="q-math-error" title="${escapeHtml(reason)}">${escapeHtml(tex)}</code>`
}
