import { encodePath } from '../config/href.ts'
import type { SitePage } from '../config/pages.ts'
import { twinOf } from './routes.ts'

/**
 * llms.txt: the site for language models, a line a page with its Markdown. Format: https://llmstxt.org
 * @param origin `https://docs.example.com`
 */
export function llmsText(
  site: { readonly name: string; readonly description?: string; readonly origin: string },
  pages: readonly SitePage[],
): string {
  const head = `# ${oneLine(site.name)}\n\n${site.description === undefined ? '' : `> ${oneLine(site.description)}\n\n`}## Docs\n\n`
  let lines = ''
  for (const { url, summary } of pages) {
    const about = summary.description === undefined ? '' : `: ${oneLine(summary.description)}`
    lines += `- [${oneLine(summary.title).replaceAll(/[[\]\\]/g, '\\$&')}](${site.origin}${encodePath(twinOf(url))})${about}\n`
  }
  return head + lines
}

function oneLine(text: string): string {
  return /[\r\n\t]/.test(text) ? text.replaceAll(/\s+/g, ' ').trim() : text
}
