const longest = 63

/** The slug that fits a title: what is no letter of a host name becomes one, or a hyphen. Empty where none is left. */
export function slugOf(title: string): string {
  const letters = title.replaceAll('ß', 'ss').normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
  const words = letters.replaceAll(/['’]/g, '').replaceAll(/[^a-z0-9]+/g, '-')
  return words.slice(0, longest).replaceAll(/^-+|-+$/g, '')
}
