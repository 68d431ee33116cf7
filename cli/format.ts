const units = ['bytes', 'kB', 'MB', 'GB', 'TB']

/** `1 page`, `31 pages`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/** Size of a file for people: `812 B`, `1.3 kB`, `5 MB`; in units of 1,024, as the service counts its limits. */
export function fileSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} kB`
  return `${(bytes / 1024 / 1024).toFixed(bytes % (1024 * 1024) === 0 ? 0 : 2)} MB`
}

/** `1.2 MB`: decimal units, as disks are sold and `ls --si` counts. */
export function bytesText(bytes: number): string {
  let unit = 0
  let size = bytes
  while (Math.abs(size) >= 999.5 && unit < units.length - 1) {
    size /= 1000
    unit += 1
  }
  return `${unit === 0 ? size : size.toFixed(Math.abs(size) < 99.95 ? 1 : 0)} ${units[unit]}`
}

/**
 * A text of strangers for a terminal: control characters, which could move the cursor or change what was printed
 * before, and those that turn the direction of text are shown as `�`. Line ends and tabs stay.
 */
export function printable(text: string): string {
  return text
    .replace(/\r\n/g, '\n')
    .replace(/(?![\n\t])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, '\uFFFD')
}
