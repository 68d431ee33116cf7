import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { contract } from '../../src/contract/index.ts'
import type { Pty } from './pty.ts'
import type { Writer } from './writer.ts'

type Random = () => number

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
function randomFrom(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const split = (text: string): readonly string[] => text.split(/\s+/)
const letters = [
  ...'abcdefghijklmnopqrstuvwxyz  .,-#*`[]()<>{}/:|_1234567890'.split(''),
  '漢',
  '字',
  'é',
  '👍',
  '👩‍🚀',
  '🇨🇭',
  'שלום',
  'ก็',
]
const moves = split(`up down left right home end pageup pagedown ctrl+left ctrl+right ctrl+home ctrl+end shift+left
  shift+right shift+up shift+down shift+end shift+home ctrl+shift+left`)
const edits =
  split(`enter backspace delete tab shift+tab ctrl+backspace ctrl+delete alt+up alt+down ctrl+b ctrl+k ctrl+x
  ctrl+c ctrl+v ctrl+a ctrl+space enter`)
const commands =
  split(`ctrl+s ctrl+f ctrl+o ctrl+g f1 f6 f7 f8 f9 ctrl+p ctrl+e ctrl+r n d o c P u h / ? r x m t [ ] 1 2 3
  e delete space tab enter enter enter`)
const pastes = [
  'two\nlines',
  '<Note>\n\nA note\n\n</Note>\n',
  '| a | b |\n| - | - |\n| 漢 | 👍 |\n',
  '\u001B[31mred',
  '```js\nlet a\n```',
]

/** Somebody who presses anything at a terminal. What must hold all the while is checked; a failure throws. */
export class Monkey {
  readonly #writer: Writer
  readonly #random: Random
  #terminal: Pty
  /** The last of what was done, to find what broke. */
  readonly #done: string[] = []
  keys = 0
  rounds = 0
  restarts = 0

  private constructor(writer: Writer, terminal: Pty, seed: number) {
    this.#writer = writer
    this.#terminal = terminal
    this.#random = randomFrom(seed)
  }

  static async sit(writer: Writer, seed: number): Promise<Monkey> {
    return new Monkey(writer, await opened(writer), seed)
  }

  get last(): string {
    return this.#done.slice(-60).join(' ')
  }

  get terminal(): Pty {
    return this.#terminal
  }

  /** Anything anywhere, then a page that is written: the screen, the draft and the service must agree about it. */
  async round(): Promise<void> {
    this.rounds += 1
    for (let left = 60 + this.#below(60); left > 0; left--) await this.#act()
    await this.#comeHome()
    await this.#write(`monkey-${this.rounds}.mdx`)
    await this.#expectNothingLogged()
  }

  async #act(): Promise<void> {
    const kind = this.#random()
    if (kind < 0.9) this.#press(this.#one([moves, commands, commands, edits, letters, letters, ['escape']]))
    else if (kind < 0.96) this.#point()
    else this.#resize()
    if (this.#random() < 0.02) this.#paste()
    await this.#breathe()
  }

  /** To a page of its own, in which it types, moves, takes back and pastes. */
  async #write(path: string): Promise<void> {
    const { client, slug } = this.#writer
    const { items } = await client.call(contract.branches.list, { params: { slug }, query: { name: 'monkey' } })
    const found = items.find(({ name }) => name === 'monkey')
    const { id } =
      found ?? (await client.call(contract.branches.create, { params: { slug }, body: { name: 'monkey' } }))
    const lines = Array.from(
      { length: 5 + this.#below(60) },
      (_, at) => `Line ${at} ${'of words 漢字 '.repeat(this.#below(9))}`,
    )
    await client.call(contract.branches.saveFile, {
      params: { slug, id, path },
      body: { content: `---\ntitle: Monkey\n---\n\n${lines.join('\n')}\n` },
      headers: { 'if-none-match': '*' },
    })
    await this.#open(path)
    for (let left = 40 + this.#below(120); left > 0; left--) {
      const kind = this.#random()
      if (kind < 0.5) this.#press(this.#one([letters]))
      else if (kind < 0.7) this.#press(this.#one([moves]))
      else if (kind < 0.85) this.#press(this.#one([edits]))
      else if (kind < 0.9) for (let times = this.#below(30); times > 0; times--) this.#press('ctrl+z')
      else if (kind < 0.93) for (let times = this.#below(30); times > 0; times--) this.#press('ctrl+y')
      else if (kind < 0.96) this.#resize(60)
      else if (kind < 0.98) this.#point()
      else this.#paste()
      await this.#breathe()
    }
    await this.#agree(path)
  }

  async #agree(path: string): Promise<void> {
    const terminal = this.#terminal
    // So that something is to be saved whatever was taken back, and no list is open.
    this.#press('ctrl+end')
    this.#type('end')
    this.#press('left', 'end', 'ctrl+home')
    const draft = await this.#until(async () => {
      const text = await this.#draft(path)
      return text?.includes('end') === true ? text : undefined
    }, `a draft of ${path}`)
    await terminal.settled(150)
    await this.#expectRepaintedTheSame()
    this.#expectShown(draft)
    this.#press('ctrl+s')
    await this.#until(
      async () => (await this.#writer.reads('monkey', path)) === draft || undefined,
      `the service to have the draft of ${path}: ${JSON.stringify(draft.slice(0, 300))}`,
    )
    await this.#until(async () => (await this.#draft(path)) === undefined || undefined, `the draft of ${path} to go`)
  }

  /** What stands in the rows of the editor is of the text. */
  #expectShown(text: string): void {
    const bare = (some: string): string => some.replaceAll(/[\s\p{Cc}\p{Cf}␀-␡�◌]/gu, '')
    const whole = bare(text)
    const lines = this.#terminal.rows().slice(2, -3)
    for (const line of lines) {
      const [own = ''] = line.slice(1).split(' │ ')
      if (/[│●▲─]/.test(line)) continue
      if (!whole.includes(bare(own)))
        throw new Error(`The draft lacks what is shown: ${own}\n${this.#terminal.screen()}`)
    }
  }

  /** What was painted piece by piece is what a whole paint gives. */
  async #expectRepaintedTheSame(): Promise<void> {
    const terminal = this.#terminal
    const before = terminal.rows().slice(0, -2).join('\n')
    const taken = terminal.output.split('\u001B[?1049h').length
    terminal.kill('SIGSTOP')
    terminal.kill('SIGCONT')
    await terminal.until(() => terminal.output.split('\u001B[?1049h').length > taken, 'the terminal to be taken again')
    await terminal.settled(150)
    // Messages go in their own time.
    if (terminal.rows().slice(0, -2).join('\n') !== before)
      throw new Error(`Painted anew, the screen is another. Before:\n${before}\nafter:\n${terminal.screen()}`)
  }

  async #draft(path: string): Promise<string | undefined> {
    const folder = join(this.#writer.state)
    for (const name of await readdir(folder, { recursive: true })) {
      if (!name.endsWith('.draft')) continue
      const text = await readFile(join(folder, name), 'utf8').catch(() => '')
      const end = text.indexOf('\n')
      if (end < 0) continue
      const header = JSON.parse(text.slice(0, end)) as { readonly path: string }
      if (header.path === path) return text.slice(end + 1)
    }
    return undefined
  }

  /** Back at the branches, whatever is open. */
  async #comeHome(): Promise<void> {
    this.#resize(100, 30)
    for (let tries = 0; tries < 40; tries++) {
      await this.#living()
      await this.#terminal.settled(60)
      const [header = ''] = this.#terminal.rows()
      const isHome = /^ Quire +Projects( |$)/.test(header) && !header.includes('›')
      // Nor a list of which only some is shown.
      if (isHome && !/[╭╰]|Esc shows all|^ \/ /m.test(this.#terminal.screen())) return
      this.#press('escape')
      // What comes at once after Esc is a key with Alt.
      await sleep(60)
    }
    throw new Error(`Esc does not lead back:\n${this.#terminal.screen()}`)
  }

  async #open(path: string): Promise<void> {
    const terminal = this.#terminal
    await this.#choose(this.#writer.slug)
    await terminal.shows('what readers see')
    await this.#choose('monkey')
    await terminal.shows(/› +monkey/)
    await this.#choose(path)
    await terminal.shows('title: Monkey')
  }

  async #choose(name: string): Promise<void> {
    await this.#terminal.settled(300)
    this.#press('home')
    this.#type(`/${name}`)
    await this.#terminal.shows(`/ ${name}`)
    await this.#terminal.settled(100)
    this.#press('enter')
    await this.#terminal.settled(150)
    if (this.#terminal.screen().includes(`/ ${name}`)) this.#press('enter')
  }

  async #living(): Promise<void> {
    if (!this.#terminal.hasEnded) return
    const code = await this.#terminal.ended()
    if (code !== 0) throw new Error(`It ended with ${code}:\n${this.#terminal.screen()}`)
    // It found how to quit.
    this.restarts += 1
    this.#terminal = await opened(this.#writer)
  }

  async #expectNothingLogged(): Promise<void> {
    const names = await readdir(this.#writer.state)
    const crash = names.find((name) => name.startsWith('crash-'))
    const file = crash ?? names.find((name) => name === 'ui.log')
    if (file !== undefined) throw new Error(`${file}: ${await readFile(join(this.#writer.state, file), 'utf8')}`)
  }

  async #until<T>(look: () => Promise<T | undefined>, what: string): Promise<T> {
    for (const end = Date.now() + 20_000; Date.now() < end; await sleep(100)) {
      const found = await look()
      if (found !== undefined) return found
    }
    throw new Error(`Waited for ${what}:\n${this.#terminal.screen()}`)
  }

  #press(...chords: readonly string[]): void {
    if (this.#terminal.hasEnded) return
    for (const chord of chords) {
      this.#note(chord)
      this.#terminal.key(chord)
    }
  }

  #type(text: string): void {
    this.#note(JSON.stringify(text))
    this.#terminal.type(text)
  }

  #paste(): void {
    const text = this.#one([pastes])
    this.#note(`paste:${JSON.stringify(text)}`)
    if (!this.#terminal.hasEnded) this.#terminal.paste(text)
  }

  #point(): void {
    const { width, height } = this.#terminal.size
    const [row, column] = [this.#below(height), this.#below(width)]
    const action = this.#one([['click', 'wheelUp', 'wheelDown', 'drag']])
    this.#note(`${action}:${row},${column}`)
    if (this.#terminal.hasEnded) return
    if (action === 'click') this.#terminal.click(row, column)
    else this.#terminal.mouse(action as 'drag', row, column)
  }

  /** From 40x12 to 200x60. */
  #resize(width = 40 + this.#below(161), height = 12 + this.#below(49)): void {
    const [columns, rows] = [Math.max(width, 52), Math.max(height, 15)]
    const isSmall = this.#random() < 0.3
    this.#note(`resize:${isSmall ? width : columns}x${isSmall ? height : rows}`)
    if (!this.#terminal.hasEnded) this.#terminal.resize(isSmall ? width : columns, isSmall ? height : rows)
  }

  #note(what: string): void {
    this.keys += 1
    this.#done.push(what)
    if (this.#done.length > 400) this.#done.splice(0, 200)
  }

  /** Often several at once, as a hand on a keyboard does; after Esc some time, else the next is a key with Alt. */
  async #breathe(): Promise<void> {
    await this.#living()
    if (this.#done.at(-1) === 'escape' || this.#random() < 0.5) await sleep(5 + this.#below(45))
  }

  #below(count: number): number {
    return Math.floor(this.#random() * count)
  }

  #one(groups: readonly (readonly string[])[]): string {
    const group = groups[this.#below(groups.length)] ?? []
    return group[this.#below(group.length)] ?? 'a'
  }
}

/** With a browser and an editor that do nothing. */
async function opened(writer: Writer): Promise<Pty> {
  return writer.opens({
    width: 100,
    height: 30,
    environment: { EDITOR: 'true', PATH: `${writer.home}/bin:${process.env['PATH']}` },
  })
}
