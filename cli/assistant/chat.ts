import type { AssistantTurn } from '../../src/contract/assistant.ts'
import { exitCodes, Failure } from '../../src/contract/failure.ts'
import { diffText } from '../diff.ts'
import { count, type Output } from '../output.ts'
import { interruptible } from '../program.ts'
import type { BranchConversation } from './conversation.ts'
import { Prompt } from './prompt.ts'
import { TurnView } from './turn-view.ts'

interface ChatCommand {
  /** What may follow. */
  readonly word?: string
  readonly about: string
  readonly run: (word: string) => Promise<void> | void
}

const shownConversations = 10

/** A conversation at a terminal, until somebody leaves it. */
export class Chat {
  readonly #conversation: BranchConversation
  readonly #output: Output
  #left = false
  readonly #commands: Readonly<Record<string, ChatCommand>> = {
    '/diff': { about: 'what the last turn changed', run: () => this.#diff() },
    '/undo': { about: 'take back what the last turn changed', run: () => this.#undo() },
    '/new': { about: 'begin another conversation', run: () => this.#new() },
    '/list': { about: 'the conversations of this branch', run: () => this.#list() },
    '/open': { word: '<number>', about: 'go on with one of them', run: (word) => this.#open(word) },
    '/help': { about: 'this list', run: () => this.#help() },
    '/quit': { about: 'leave; so do Ctrl-D, and Ctrl-C twice', run: () => void (this.#left = true) },
  }

  constructor(conversation: BranchConversation, output: Output) {
    this.#conversation = conversation
    this.#output = output
  }

  async run(): Promise<number> {
    const { name, previewUrl } = this.#conversation.branch
    const output = this.#output
    output.note(`${output.paint('bold', name)}  ${output.paint('dim', previewUrl)}`)
    output.note(output.paint('dim', 'Say what to do. /help lists what else there is; Ctrl-C breaks a turn off.'))
    const prompt = new Prompt({ input: process.stdin, output: process.stderr, words: Object.keys(this.#commands) })
    let wasInterrupted = false
    while (!this.#left) {
      output.note('')
      const entered = await prompt.read(output.shown(output.paint('cyan', `${name} › `)))
      if (entered.kind !== 'text') output.note('')
      if (entered.kind === 'ended' || (entered.kind === 'interrupted' && wasInterrupted)) break
      wasInterrupted = entered.kind === 'interrupted'
      if (wasInterrupted) output.note(output.paint('dim', 'Ctrl-C again leaves.'))
      if (entered.kind === 'text' && entered.text !== '') await this.#take(entered.text)
    }
    return exitCodes.ok
  }

  async #take(text: string): Promise<void> {
    try {
      // Paths begin with a slash, too.
      if (/^\/[a-z]+(?: +\S+)?$/.test(text)) await this.#command(text)
      else {
        this.#output.note('')
        await converse(this.#conversation, text, this.#output)
      }
    } catch (error) {
      // What the next message cannot mend ends it.
      if (!(error instanceof Failure) || error.code === 'unauthenticated') throw error
      this.#output.fail(error)
    }
  }

  async #command(text: string): Promise<void> {
    const [name = '', ...words] = text.split(/\s+/)
    const command = this.#commands[name]
    if (command === undefined) this.#output.note(`There is no ${name}. /help lists what there is.`)
    else await command.run(words.join(' '))
  }

  #help(): void {
    for (const [name, { word = '', about }] of Object.entries(this.#commands))
      this.#output.note(`  ${`${name} ${word}`.padEnd(16)} ${about}`)
  }

  #new(): void {
    this.#conversation.leave()
    this.#output.note('The next message begins another conversation.')
  }

  async #diff(): Promise<void> {
    const turn = this.#lastChange()
    if (turn?.commit === undefined) return
    this.#output.result({}, diffText(await this.#conversation.diff(turn.commit), this.#output))
  }

  async #undo(): Promise<void> {
    const turn = this.#lastChange()
    if (turn === undefined) return
    const { undone = '' } = await this.#conversation.undo(turn)
    this.#output.note(`${this.#output.paint('green', 'undone')} ${undone.slice(0, 7)}  ${turn.files.join(', ')}`)
  }

  #lastChange(): AssistantTurn | undefined {
    const turn = this.#conversation.lastChange
    if (turn === undefined) this.#output.note('Nothing of this conversation has changed the branch.')
    return turn
  }

  async #list(): Promise<void> {
    const items = await this.#conversation.list(shownConversations)
    if (items.length === 0) this.#output.note('There are no conversations yet.')
    for (const [index, { id, title, turns }] of items.entries()) {
      const mark = id === this.#conversation.id ? this.#output.paint('cyan', '›') : ' '
      this.#output.note(
        `${mark} ${String(index + 1).padStart(2)}  ${title}  ${this.#output.paint('dim', count(turns, 'turn'))}`,
      )
    }
  }

  async #open(word: string): Promise<void> {
    const found = (await this.#conversation.list(shownConversations))[Number(word) - 1]
    if (found === undefined) {
      this.#output.note('/open takes a number that /list shows.')
      return
    }
    await goOn(this.#conversation, found.id, this.#output)
  }
}

/** One message and its answer; Ctrl-C breaks it off. Null when it had not begun then. */
export async function converse(
  conversation: BranchConversation,
  message: string,
  output: Output,
): Promise<AssistantTurn | null> {
  const view = new TurnView(output)
  try {
    const turn = await interruptible((signal) => conversation.ask(message, signal, (event) => view.show(event)))
    if (turn === null) output.note(`${output.paint('yellow', 'cancelled')}  It had not begun.`)
    else view.finish(turn, conversation.branch)
    return turn
  } finally {
    view.settle()
  }
}

/** Opens a conversation and says where it stands. */
export async function goOn(conversation: BranchConversation, id: string, output: Output): Promise<void> {
  const turns = await conversation.open(id)
  const last = turns.at(-1)
  if (last === undefined || output.json) return
  output.note(output.paint('dim', `${count(turns.length, 'turn')}; the last one:`))
  output.note(`${output.paint('cyan', '›')} ${last.question}`)
  const view = new TurnView(output)
  view.finish(last, conversation.branch)
}
