import { setTimeout as sleep } from 'node:timers/promises'
import { pastes, randomFrom, type Random } from './monkey-keys.ts'
import type { Pty } from './pty.ts'

/** Below this the UI says that it needs more room, and nothing else. */
const roomy = { width: 50, height: 14 }

/** Hands at a terminal that remember what they did. */
export class Hands {
  readonly #random: Random
  /** The last of what was done, to find what broke. */
  readonly #done: string[] = []
  terminal: Pty
  keys = 0

  constructor(terminal: Pty, seed: number) {
    this.terminal = terminal
    this.#random = randomFrom(seed)
  }

  get last(): string {
    return this.#done.slice(-60).join(' ')
  }

  press(...chords: readonly string[]): void {
    if (this.terminal.hasEnded) return
    for (const chord of chords) {
      this.note(chord)
      this.terminal.key(chord)
    }
  }

  type(text: string): void {
    this.note(JSON.stringify(text))
    if (!this.terminal.hasEnded) this.terminal.type(text)
  }

  paste(text = this.one([pastes])): void {
    this.note(`paste:${JSON.stringify(text)}`)
    if (!this.terminal.hasEnded) this.terminal.paste(text)
  }

  /** @param top not above this row: the first one leads elsewhere */
  point(top = 0): void {
    const { width, height } = this.terminal.size
    const [row, column] = [Math.min(height - 1, top + this.below(height - top)), this.below(width)]
    const action = this.one([['click', 'wheelUp', 'wheelDown', 'drag']])
    this.note(`${action}:${row},${column}`)
    if (this.terminal.hasEnded) return
    if (action === 'click') this.terminal.click(row, column)
    else this.terminal.mouse(action as 'drag', row, column)
  }

  /** Mostly what people have; now and then from 20 × 5 to 300 × 80. */
  resize(): void {
    const kind = this.#random()
    if (kind < 0.2) this.becomes(20 + this.below(40), 5 + this.below(14))
    else if (kind < 0.85) this.becomes(52 + this.below(149), 15 + this.below(46))
    else this.becomes(150 + this.below(151), 30 + this.below(51))
  }

  becomes(width: number, height: number): void {
    this.note(`resize:${width}x${height}`)
    if (!this.terminal.hasEnded) this.terminal.resize(width, height)
  }

  /** There is room for all that the UI shows. */
  get isRoomy(): boolean {
    const { width, height } = this.terminal.size
    return width >= roomy.width && height >= roomy.height
  }

  /** What is typed into a window that the UI still takes for a small one is typed to nobody. */
  async makesRoom(): Promise<void> {
    if (!this.isRoomy) this.becomes(roomy.width + this.below(60), roomy.height + this.below(30))
    await this.terminal.lacks('Quire needs')
  }

  note(what: string): void {
    this.keys += 1
    this.#done.push(what)
    if (this.#done.length > 400) this.#done.splice(0, 200)
  }

  /** Often several at once, as a hand on a keyboard does; after Esc some time, else the next is a key with Alt. */
  async rests(): Promise<void> {
    if (this.#done.at(-1) === 'escape' || this.chance(0.5)) await sleep(5 + this.below(45))
  }

  /** From 0 to 1. */
  roll(): number {
    return this.#random()
  }

  chance(share: number): boolean {
    return this.#random() < share
  }

  below(count: number): number {
    return Math.floor(this.#random() * count)
  }

  one(groups: readonly (readonly string[])[]): string {
    const group = groups[this.below(groups.length)] ?? []
    return group[this.below(group.length)] ?? 'a'
  }
}
