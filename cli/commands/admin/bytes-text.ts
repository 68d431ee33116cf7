const units = ['bytes', 'kB', 'MB', 'GB', 'TB']

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
