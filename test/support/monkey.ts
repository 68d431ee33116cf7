import { setTimeout as sleep } from 'node:timers/promises'
import { contract } from '#contract/index.ts'
import {
  expectChecked,
  expectNothingLogged,
  expectRepaintedTheSame,
  expectShownFromTheTop,
  keptDraft,
} from './monkey-checks.ts'
import { writesEntry } from './monkey-entry.ts'
import { Hands } from './monkey-hands.ts'
import { commands, edits, letters, moves, placesOfBranches, placesOfFiles, visits } from './monkey-keys.ts'
import { killedWhileTyping, mergedWith, servedAgain, type AtPage } from './monkey-mishaps.ts'
import type { Pty } from './pty.ts'
import type { Writer } from './writer.ts'

/** What goes wrong while a page is written. */
const mishaps = ['none', 'none', 'killed', 'served', 'both'] as const

/** Somebody who presses anything at a terminal. What must hold all the while is checked; a failure throws. */
export class Monkey {
  readonly #writer: Writer
  readonly #hands: Hands
  rounds = 0
  restarts = 0
  /** How often what went wrong. */
  readonly met: Record<string, number> = {}

  private constructor(writer: Writer, terminal: Pty, seed: number) {
    this.#writer = writer
    this.#hands = new Hands(terminal, seed)
  }

  static async sit(writer: Writer, seed: number): Promise<Monkey> {
    return new Monkey(writer, await opened(writer), seed)
  }

  get last(): string {
    return this.#hands.last
  }

  get keys(): number {
    return this.#hands.keys
  }

  /** Anything anywhere, some place on purpose, then a page that is written: screen, draft and service must agree on it. */
  async round(): Promise<void> {
    const hands = this.#hands
    this.rounds += 1
    for (let left = 40 + hands.below(60); left > 0; left--)
      await this.#act([moves, commands, commands, edits, letters, letters])
    await this.#comeHome()
    for (let visit = hands.below(3); visit > 0; visit--) await this.#visit()
    if (hands.chance(0.2)) await this.#killedAnywhere()
    if (hands.chance(0.25)) {
      this.#meets('entry')
      const choose = (name: string): Promise<void> => this.#choose(name)
      const at = { writer: this.#writer, hands, choose, restart: () => this.#killed() }
      await writesEntry(at, `Entry ${this.rounds} of the monkey`)
      await this.#comeHome()
    }
    await this.#write(`monkey-${this.rounds}.mdx`)
    await expectNothingLogged(this.#writer.state)
  }

  async #act(keys: readonly (readonly string[])[]): Promise<void> {
    const hands = this.#hands
    const kind = hands.roll()
    if (kind < 0.82) hands.press(hands.one(keys))
    else if (kind < 0.9) hands.press('escape')
    else if (kind < 0.96) hands.point()
    else hands.resize()
    if (hands.chance(0.02)) hands.paste()
    await this.#living()
    await hands.rests()
  }

  /** A place that keys alone seldom lead to, by the palette; there, what lists and forms take. */
  async #visit(): Promise<void> {
    const hands = this.#hands
    await this.#choose(this.#writer.slug)
    for (let down = hands.below(4); down > 0; down--) hands.press('down')
    const isInFiles = hands.chance(0.5)
    if (isInFiles) {
      hands.press('enter')
      await this.#rest()
      for (let down = hands.below(5); down > 0; down--) hands.press('down')
    }
    const place = hands.one([isInFiles ? placesOfFiles : placesOfBranches])
    hands.press('ctrl+p')
    hands.type(place)
    await this.#rest()
    hands.press('enter')
    await this.#rest()
    if (place.startsWith('Let the assistant')) hands.type('Write a page about words\r')
    for (let left = 15 + hands.below(40); left > 0; left--) await this.#act([visits, visits, visits, moves, letters])
    await this.#rest()
    if (!hands.terminal.hasEnded) await expectRepaintedTheSame(hands.terminal)
    await this.#comeHome()
  }

  /** To a page of its own, in which it types, moves, takes back and pastes. */
  async #write(path: string): Promise<void> {
    const hands = this.#hands
    const { client, slug } = this.#writer
    const lines = Array.from(
      { length: 5 + hands.below(60) },
      (_, at) => `Line ${at} ${'of words 漢字 '.repeat(hands.below(9))}`,
    )
    const content = `---\ntitle: Monkey\n---\n\n${lines.join('\n')}\n`
    await client.call(contract.branches.saveFile, {
      params: { slug, id: await this.#branchId(), path },
      body: { content },
      headers: { 'if-none-match': '*' },
    })
    await this.#open(path)
    const mishap = mishaps[hands.below(mishaps.length)] ?? 'none'
    this.#meets(mishap)
    for (let left = 20 + hands.below(60); left > 0; left--) await this.#edit()
    if (mishap === 'killed') {
      const draft = await killedWhileTyping(this.#at(path))
      hands.terminal = await opened(this.#writer)
      await this.#choose(path)
      await hands.terminal.shows(/\d+:\d+ · draft/)
      hands.press('ctrl+home')
      await hands.terminal.settled(200)
      await expectShownFromTheTop(hands.terminal, draft, () => hands.press('ctrl+home'))
    }
    if (mishap === 'served') await servedAgain(this.#at(path), () => this.#edit())
    for (let left = 20 + hands.below(60); left > 0; left--) await this.#edit()
    await this.#agree(path, mishap === 'both' ? content : undefined)
  }

  async #edit(): Promise<void> {
    const hands = this.#hands
    const kind = hands.roll()
    if (kind < 0.5) hands.press(hands.one([letters]))
    else if (kind < 0.7) hands.press(hands.one([moves]))
    else if (kind < 0.85) hands.press(hands.one([edits]))
    else if (kind < 0.9) for (let times = hands.below(30); times > 0; times--) hands.press('ctrl+z')
    else if (kind < 0.93) for (let times = hands.below(30); times > 0; times--) hands.press('ctrl+y')
    else if (kind < 0.96) hands.resize()
    else if (kind < 0.98) hands.point(1)
    else hands.paste()
    await this.#living()
    await hands.rests()
  }

  /** @param base what somebody else, who saves meanwhile, has changed */
  async #agree(path: string, base: string | undefined): Promise<void> {
    const hands = this.#hands
    const { terminal } = hands
    await hands.makesRoom()
    // So that something is to be saved whatever was taken back, and no list is open.
    hands.press('ctrl+end')
    hands.type('end')
    hands.press('left', 'end', 'ctrl+home')
    const draft = await this.#until(async () => {
      const text = await keptDraft(this.#writer.state, path)
      return text?.endsWith('end') === true ? text : undefined
    }, `a draft of ${path}`)
    const { client, slug } = this.#writer
    const check = await client.call(contract.branches.check, {
      params: { slug, id: await this.#branchId() },
      body: { changes: [{ path, content: draft }] },
    })
    await expectChecked(terminal, path, check)
    await expectRepaintedTheSame(terminal)
    await terminal.settled(150)
    await expectShownFromTheTop(terminal, draft, () => hands.press('ctrl+home'))
    const wanted = base === undefined ? draft : await mergedWith(this.#at(path), { base, mine: draft })
    if (base === undefined) hands.press('ctrl+s')
    await this.#until(
      async () => (await this.#writer.reads('monkey', path)) === wanted || undefined,
      `the service to have the draft of ${path}: ${JSON.stringify(wanted.slice(0, 300))}`,
    )
    await this.#until(
      async () => (await keptDraft(this.#writer.state, path)) === undefined || undefined,
      `the draft of ${path} to go`,
    )
    hands.press('ctrl+home')
    await terminal.settled(150)
    await expectShownFromTheTop(terminal, wanted, () => hands.press('ctrl+home'))
  }

  /** kill -9 wherever it is, and a start. */
  async #killedAnywhere(): Promise<void> {
    const hands = this.#hands
    for (let left = hands.below(30); left > 0; left--) await this.#act([commands, letters, edits, moves])
    await this.#killed()
    await this.#comeHome()
  }

  async #killed(): Promise<void> {
    const hands = this.#hands
    hands.note('kill')
    if (!hands.terminal.hasEnded) hands.terminal.kill('SIGKILL')
    await hands.terminal.ended()
    hands.terminal = await opened(this.#writer)
  }

  #meets(mishap: string): void {
    this.met[mishap] = (this.met[mishap] ?? 0) + 1
  }

  #at(path: string): AtPage {
    return { writer: this.#writer, hands: this.#hands, branchId: () => this.#branchId(), path }
  }

  /** Of the branch that it writes on, which it may have published or deleted. */
  async #branchId(): Promise<string> {
    await this.#writer.signsInElsewhere()
    const { client, slug } = this.#writer
    const { items } = await client.call(contract.branches.list, { params: { slug }, query: { name: 'monkey' } })
    const found = items.find(({ name }) => name === 'monkey')
    return (found ?? (await client.call(contract.branches.create, { params: { slug }, body: { name: 'monkey' } }))).id
  }

  /** Back at the projects, whatever is open. */
  async #comeHome(): Promise<void> {
    const hands = this.#hands
    hands.becomes(100, 30)
    for (let tries = 0, seen = 0; tries < 60; tries++) {
      await this.#living()
      await this.#rest(seen === 0 ? 60 : 300)
      const [header = ''] = hands.terminal.rows()
      const screen = hands.terminal.screen()
      const isHome = /^ Quire +Projects( |$)/.test(header) && !header.includes('›')
      // Nor a list of which only some is shown.
      const isThere = isHome && !/[╭╰]|Esc shows all|^ \/ /m.test(screen)
      // What was begun before may still ask something.
      if (isThere && ++seen > 1) return
      if (isThere) continue
      seen = 0
      // A secret is shown once, and not left by Esc alone.
      hands.press(/It is shown only now|Close without copying it/.test(screen) ? 'enter' : 'escape')
      // What comes at once after Esc is a key with Alt.
      await sleep(60)
    }
    throw new Error(`Esc does not lead back:\n${hands.terminal.screen()}`)
  }

  async #open(path: string): Promise<void> {
    const { terminal } = this.#hands
    await this.#choose(this.#writer.slug)
    await terminal.shows('what readers see')
    await this.#choose('monkey')
    await terminal.shows(/› +monkey/)
    await this.#choose(path)
    await terminal.shows('title: Monkey')
  }

  async #choose(name: string): Promise<void> {
    const hands = this.#hands
    await hands.terminal.settled(300)
    hands.press('home')
    hands.type(`/${name}`)
    await hands.terminal.shows(`/ ${name}`)
    await hands.terminal.settled(100)
    hands.press('enter')
    await hands.terminal.settled(150)
    if (hands.terminal.screen().includes(`/ ${name}`)) hands.press('enter')
  }

  async #living(): Promise<void> {
    const hands = this.#hands
    if (!hands.terminal.hasEnded) return
    const code = await hands.terminal.ended()
    if (code !== 0) throw new Error(`It ended with ${code}:\n${hands.terminal.screen()}`)
    // It found how to quit, or to sign out.
    this.restarts += 1
    await this.#writer.signsInElsewhere()
    hands.terminal = await opened(this.#writer)
  }

  /** Until nothing is painted; what turns while something is under way is not waited for. */
  async #rest(ms = 150): Promise<void> {
    await Promise.race([this.#hands.terminal.settled(ms), sleep(4000, undefined, { ref: false })])
  }

  async #until<T>(look: () => Promise<T | undefined>, what: string): Promise<T> {
    for (const end = Date.now() + 20_000; Date.now() < end; await sleep(100)) {
      const found = await look()
      if (found !== undefined) return found
    }
    throw new Error(`Waited for ${what}:\n${this.#hands.terminal.screen()}`)
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
