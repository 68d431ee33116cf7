/** Deep equality of JSON values. The same object is equal without a look inside, which makes unchanged parts free. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) return Array.isArray(a) && Array.isArray(b) && sameList(a, b)
  let keys = 0
  for (const key in a) {
    keys += 1
    if (!Object.hasOwn(b, key) || !sameJson(a[key as keyof typeof a], b[key as keyof typeof b])) return false
  }
  return Object.keys(b).length === keys
}

function sameList(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => sameJson(item, b[index]))
}
