import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { ErrorDetail } from '../../src/contract/common.ts'
import { contract } from '../../src/contract/index.ts'
import { commands, edits, letters, moves, pastes, randomFrom, type Random } from './monkey-keys.ts'
import type { Pty, PtyCell } from './pty.ts'
import type { Writer } from './writer.ts'

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
    const id = await this.#branchId()
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
      else if (kind < 0.98) this.#point(1)
      else this.#paste()
      await this.#breathe()
    }
    await this.#agree(path)
  }

  /** Of the branch that it writes on, which it may have deleted. */
  async #branchId(): Promise<string> {
    const { client, slug } = this.#writer
    const { items } = await client.call(contract.branches.list, { params: { slug }, query: { name: 'monkey' } })
    const found = items.find(({ name }) => name === 'monkey')
    return (found ?? (await client.call(contract.branches.create, { params: { slug }, body: { name: 'monkey' } }))).id
  }

  async #agree(path: string): Promise<void> {
    const terminal = this.#terminal
    // So that something is to be saved whatever was taken back, and no list is open.
    this.#press('ctrl+end')
    this.#type('end')
    this.#press('left', 'end', 'ctrl+home')
    const draft = await this.#until(async () => {
      const text = await this.#draft(path)
      return text?.endsWith('end') === true ? text : undefined
    }, `a draft of ${path}`)
    await this.#expectChecked(path, draft)
    await this.#expectRepaintedTheSame()
    await terminal.settled(150)
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
    const whole = bare(text)
    const lines = this.#terminal.rows().slice(2, -3)
    for (const line of lines) {
      const [own = ''] = line.slice(1).split(' │ ')
      if (/[│●▲─]/.test(line)) continue
      if (!whole.includes(bare(own)))
        throw new Error(`The draft lacks what is shown: ${own}\n${this.#terminal.screen()}`)
    }
  }

  /** What was painted piece by piece is what a whole paint gives, in every cell. */
  async #expectRepaintedTheSame(): Promise<void> {
    const { before, after } = await this.#terminal.repainted()
    for (const [row, cells] of before.cells.entries())
      for (const [column, cell] of cells.entries()) {
        const other = after.cells[row]?.[column]
        if (other !== undefined && isDeepStrictEqual(seen(cell), seen(other))) continue
        const cellsThere = JSON.stringify([cell, other])
        throw new Error(
          `Painted anew, the screen is another at ${row},${column}: ${cellsThere}. Before:\n${before.text}\nafter:\n${after.text}`,
        )
      }
    if (!isDeepStrictEqual(before.cursor, after.cursor))
      throw new Error(`Painted anew, the cursor is elsewhere: ${JSON.stringify([before.cursor, after.cursor])}`)
  }

  /** What the editor says of problems, under the text, is what the service says of the draft. */
  async #expectChecked(path: string, content: string): Promise<void> {
    const { width, height } = this.#terminal.size
    if (width < 50 || height < 14) return
    const { client, slug } = this.#writer
    const params = { slug, id: await this.#branchId() }
    const { errors, warnings } = await client.call(contract.branches.check, {
      params,
      body: { changes: [{ path, content }] },
    })
    const isHere = (problem: ErrorDetail): boolean => problem.path === path && problem.line !== undefined
    const here = [errors.filter(isHere), warnings.filter(isHere)] as const
    const other = [...errors, ...warnings].find((problem) => !isHere(problem))
    // The cursor stands in the first line, whose own problem is told; else how many there are.
    const first = here.flat().find(({ line }) => line === 1)
    const counts = here.map(({ length }, at) => `${length} ${at === 0 ? 'error' : 'warning'}${length === 1 ? '' : 's'}`)
    const counted = counts.filter((_, at) => here[at]?.length !== 0).join(', ')
    const elsewhere =
      other === undefined
        ? 'No problems found.'
        : `Elsewhere: ${other.path === undefined ? '' : `${other.path}: `}${other.message}`
    const wanted = bare(first === undefined ? counted || elsewhere : first.message)
    const isTold = (): boolean => {
      const said = bare(this.#terminal.rows().at(-3) ?? '').replace(/^[●▲]|…$/g, '')
      return said !== '' && (said.startsWith(wanted) || wanted.startsWith(said))
    }
    await this.#terminal.until(isTold, `the editor to say of ${path}: ${wanted}`)
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

  /** @param top not above this row: the first one leads elsewhere */
  #point(top = 0): void {
    const { width, height } = this.#terminal.size
    const [row, column] = [top + this.#below(height - top), this.#below(width)]
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

/** What can be seen of a cell: a terminal tells spaces that were written from what was never written, and of what colour. */
function seen(cell: PtyCell): Partial<PtyCell> {
  const { background, underline, inverse, strikethrough } = cell
  const isBlank = cell.text.trim() === '' && cell.width === 1
  return isBlank && !underline && !inverse && !strikethrough ? { text: ' ', background } : cell
}

/** Without spaces, and what stands for characters that cannot be seen. */
function bare(some: string): string {
  return some.replaceAll(/[\s\p{Cc}\p{Cf}␀-␡�◌]/gu, '')
}

/** With a browser and an editor that do nothing. */
async function opened(writer: Writer): Promise<Pty> {
  return writer.opens({
    width: 100,
    height: 30,
    environment: { EDITOR: 'true', PATH: `${writer.home}/bin:${process.env['PATH']}` },
  })
}
