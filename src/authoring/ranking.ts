import fuzzysort from 'fuzzysort'

const mostShown = 40
/** A fuzzy search looks at so many; whoever has more pages types a little more of the name. */
const mostFuzzy = 5_000

/** Candidates for what was typed: those that begin with it, those that have it in them, those that are like it. */
export function ranked<T>(candidates: readonly T[], typed: string, textOf: (candidate: T) => string): T[] {
  if (typed === '') return candidates.slice(0, mostShown)
  const wanted = typed.toLowerCase()
  const beginning: T[] = []
  const inside: T[] = []
  const others: T[] = []
  for (const candidate of candidates) {
    const at = textOf(candidate).toLowerCase().indexOf(wanted)
    if (at === 0) beginning.push(candidate)
    else if (at > 0) {
      if (inside.length < mostShown) inside.push(candidate)
    } else if (others.length < mostFuzzy) others.push(candidate)
    if (beginning.length >= mostShown) return beginning
  }
  const found = [...beginning, ...inside]
  if (found.length >= mostShown) return found.slice(0, mostShown)
  const options = { key: (candidate: { readonly text: string }) => candidate.text, limit: mostShown - found.length }
  const targets = others.map((candidate) => ({ candidate, text: textOf(candidate) }))
  return [...found, ...fuzzysort.go(typed, targets, options).map(({ obj }) => obj.candidate)]
}
