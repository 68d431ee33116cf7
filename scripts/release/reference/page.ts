/** A text as MDX shows it: what stands between backticks is as it is written. */
export function prose(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(/[{}<>*_\\]/g, String.raw`\$&`)))
    .join('')
}

export function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}

/** A page with its front matter. */
export function page(front: Readonly<Record<string, string>>, lines: readonly string[]): string {
  const matter = Object.entries(front).map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
  return `${['---', ...matter, '---', '', ...lines].join('\n').trimEnd()}\n`
}
