/**
 * The same text in memory of its own. V8 keeps what was cut out of a text as a reference to it: a word that outlives its
 * page keeps the whole page in memory, its copy does not.
 */
export function flatCopy(text: string): string {
  return Buffer.from(text).toString()
}
