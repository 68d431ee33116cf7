import type { CodeMeta } from '../components/component.tsx'
import { highlight } from '../highlight/code.ts'
import { parseFenceMeta } from '../highlight/meta.ts'
import { escapeHtml } from '../../lib/html.ts'

/** Characters of code that are coloured on a page; what comes after stays plain. */
const longestTogether = 512 * 1024

/**
 * Code that expressions of a page give. It is known only when the page has been rendered: then it is coloured, and the page
 * rendered again.
 */
export class CodeBlocks {
  readonly #html = new Map<string, string>()
  readonly #wanted = new Map<string, { readonly text: string; readonly meta: CodeMeta }>()
  #left = longestTogether

  /** @param fence what would stand behind the language in Markdown */
  block(text: string, language: string, fence: string): { readonly html: string; readonly meta: CodeMeta } {
    const meta = parseFenceMeta(language, fence)
    const key = JSON.stringify([language, fence, text])
    const html = this.#html.get(key)
    if (html !== undefined) return { html, meta }
    if (!this.#wanted.has(key) && text.length <= this.#left) {
      this.#left -= text.length
      this.#wanted.set(key, { text, meta })
    }
    return { html: `<figure class="q-code"><pre><code>${escapeHtml(text)}</code></pre></figure>`, meta }
  }

  /** Colours what was asked for since. @returns whether there was any */
  async colour(): Promise<boolean> {
    const wanted = [...this.#wanted]
    this.#wanted.clear()
    for (const [key, { text, meta }] of wanted) this.#html.set(key, await highlight(text, meta))
    return wanted.length > 0
  }
}
