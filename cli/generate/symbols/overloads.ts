import type { ExportedSymbol } from './symbol.ts'

/** Several signatures of one function are one symbol. */
export function mergeOverloads(symbols: readonly ExportedSymbol[]): ExportedSymbol[] {
  const merged: ExportedSymbol[] = []
  const places = new Map<string, number>()
  for (const symbol of symbols) {
    const isCallable = symbol.kind === 'function' || symbol.kind === 'method'
    const key = `${symbol.kind} ${symbol.name} ${symbol.exportedAs ?? ''}`
    const place = isCallable ? places.get(key) : undefined
    const before = place === undefined ? undefined : merged[place]
    if (place === undefined || before === undefined) {
      if (isCallable) places.set(key, merged.length)
      merged.push(symbol)
      continue
    }
    const doc = before.doc ?? symbol.doc
    const isLong = before.signature.length > 2_000
    merged[place] = {
      ...before,
      signature: isLong ? before.signature : `${before.signature}; ${symbol.signature}`,
      endLine: symbol.endLine,
      ...(doc === undefined ? {} : { doc }),
    }
  }
  return merged
}
