/** Characters that end a line, move a cursor or turn the direction of text. */
const unseen = /[\p{Cc}\p{Surrogate}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu

/** Text of files or of a model as one short line for people: a name cannot pass for anything else. */
export function lineOf(text: string, most = 120): string {
  // What is cut off is not looked through: a name that a model makes up can be very long.
  const line = text.slice(0, most + 1).replace(unseen, '\uFFFD')
  return line.length > most ? `${line.slice(0, most - 1)}…` : line
}

/** A path in a message to a model. */
export function quoted(path: string): string {
  return JSON.stringify(lineOf(path, 200))
}

/** Text, cut to a length, between characters. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text
  return `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}\n[cut off]`
}

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`
}

/** The beginning of what somebody wrote. */
export function titleOf(text: string, most = 72): string {
  const [line = ''] = text.trim().split('\n', 1)
  return lineOf(line, most) || 'Untitled'
}
