/**
 * A URL taken apart; undefined for what is none. For processes that last: Node 20 answers `URL.canParse` by another way once
 * that has been asked some thousand times, and calls hosts with letters such as ü none from then on.
 */
export function parseUrl(text: string, base?: string | URL): URL | undefined {
  try {
    return new URL(text, base)
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}
