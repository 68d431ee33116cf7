/**
 * A text of strangers for a terminal: control characters, which could move the cursor or change what was printed
 * before, and those that turn the direction of text are shown as `�`. Line ends and tabs stay.
 */
export function printable(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(/(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, '\uFFFD')
}
