import type { Marker } from '#authoring/language.ts'
import type { LinesChange } from '#authoring/lines.ts'

/** Marks by line, which move along with the text. */
export class Markers {
  #byLine = new Map<number, readonly Marker[]>()

  /** In the order of lines. */
  get all(): readonly Marker[] {
    return [...this.#byLine.values()].flat()
  }

  /** @param count lines of the text: what is said of one behind them stands at the last */
  set(markers: readonly Marker[], count: number): void {
    this.#byLine = new Map()
    for (const marker of markers.toSorted((one, other) => one.line - other.line)) this.#add(marker, count)
  }

  on(line: number): readonly Marker[] {
    return this.#byLine.get(line) ?? []
  }

  /** The text was changed, and has so many lines now. */
  changed({ line, removed, added }: LinesChange, count: number): void {
    if (this.#byLine.size === 0 || removed === added) return
    const markers = this.all
    this.#byLine = new Map()
    for (const marker of markers) {
      const isBehind = marker.line >= line + removed
      this.#add(isBehind ? { ...marker, line: marker.line + added - removed } : marker, count)
    }
  }

  #add(marker: Marker, count: number): void {
    const line = Math.max(0, Math.min(marker.line, count - 1))
    this.#byLine.set(line, [...this.on(line), { ...marker, line }])
  }
}
