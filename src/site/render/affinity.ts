/**
 * Which page goes to which child. The first block of a language costs a child far more than the next ones, because its
 * grammar’s patterns are compiled then: pages go where their languages are known.
 */

/** Pages looked at for one that suits; the first suits best when none differs. */
const window = 512
const mostLanguages = 16

/** The languages of a page’s code blocks, as written. A rough look at the text, linear. */
export function languagesOf(source: Buffer): readonly string[] {
  const languages = new Set<string>()
  for (
    let at = source.indexOf('```');
    at !== -1 && languages.size < mostLanguages;
    at = source.indexOf('```', at + 3)
  ) {
    const [language] = /^[\w+#.-]+/.exec(source.toString('latin1', at + 3, at + 40)) ?? []
    if (language !== undefined) languages.add(language.toLowerCase())
  }
  return [...languages]
}

/**
 * Position of the page that a child should get next: the one that brings it the fewest new languages; a language that
 * no child knows yet counts less than one that another child knows.
 * @param waiting Languages of the waiting pages, in their order.
 * @param own Languages that the child knows.
 * @param others What each of the other children knows.
 */
export function choose(
  waiting: readonly { readonly languages: readonly string[] }[],
  own: ReadonlySet<string>,
  others: readonly ReadonlySet<string>[],
): number {
  let best = 0
  let least = Infinity
  for (let position = 0; position < Math.min(window, waiting.length); position++) {
    let cost = 0
    for (const language of waiting[position]?.languages ?? []) {
      if (!own.has(language)) cost += others.some((known) => known.has(language)) ? 2 : 1
    }
    if (cost === 0) return position
    if (cost >= least) continue
    best = position
    least = cost
  }
  return best
}
