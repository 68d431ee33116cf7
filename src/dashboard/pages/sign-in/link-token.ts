/** The token of a link in a letter. It is behind the #, so that no log has it. */
export function linkToken(hash: string): string | null {
  return new URLSearchParams(hash.slice(1)).get('token')
}
