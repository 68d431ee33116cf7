/**
 * A text of strangers for a terminal: control characters, which could move the cursor or change what was printed
 * before, are shown as `�`. Line ends and tabs stay.
 */
export function printable(text: string): string {
  return text.replace(/\r\n/g, '\n').replace(/(?![\n\t])[\p{Cc}\p{Cf}]/gu, '\uFFFD')
}
