import type { AssistantTurn } from '#contract/assistant.ts'
import type { Branch } from '#contract/branches.ts'
import { Failure } from '#contract/failure.ts'
import { limits } from '#contract/limits.ts'
import { BranchConversation } from '#cli/assistant/conversation.ts'
import { count } from '#cli/output.ts'
import type { Command, View } from '../../app/view.ts'
import { span } from '../../canvas/lines.ts'
import type { Pane, Region, Size } from '../../canvas/pane.ts'
import type { Line } from '../../canvas/style.ts'
import { shown } from '../../canvas/width.ts'
import { isUndone } from '../../data/drafts/draft-failures.ts'
import { agoText } from '../shared/age.ts'
import type { ProjectPlace } from '../shared/context.ts'
import { MessageField } from './message-field.ts'
import { markOf, UnsentField } from './unsent-field.ts'
import { Transcript } from './transcript.ts'
import { TurnDiffView } from './turn-diff.ts'
import { refusalOf } from '../shared/refusals.ts'
import { findUnsaved } from '../shared/unsaved.ts'

interface AssistantOptions extends ProjectPlace {
  readonly branch: Branch
}

/** Conversations that can be gone on with. */
const listed = 50
/** Rows of the message. */
const fieldRows = 4

/** Talks with the assistant of a branch: what it does is saved there, shown, and taken back with a key. */
export class AssistantView implements View {
  readonly title = 'Assistant'
  readonly about =
    'Say what to do: the assistant reads the files of this branch and changes them, each time in one commit that can be ' +
    'taken back. Enter sends, Alt-Enter begins another line, PgUp and PgDn scroll the conversation.'
  focused: Pane | undefined
  readonly #options: AssistantOptions
  readonly #conversation: BranchConversation
  readonly #transcript: Transcript
  readonly #field: MessageField
  readonly #unsent: UnsentField
  #isBusy = false
  /** Drafts that the person was told of. */
  #told = ''

  constructor(options: AssistantOptions) {
    const { app, workspace, project, branch } = options
    this.#options = options
    const policy = { tries: 3, contentionMs: 0 }
    this.#conversation = new BranchConversation({ client: workspace.client, slug: project.slug, policy }, branch)
    this.#transcript = new Transcript([
      `The assistant works on ${shown(branch.name)} alone: nothing is published.`,
      'Such as: “Write a page about rate limits, and link it from the overview.”',
      'What it changed is shown here, and Ctrl-U takes it back.',
    ])
    this.#field = new MessageField({
      isBusy: () => this.#isBusy,
      placeholder: 'Say what to do, and press Enter.',
      onChange: () => this.#unsent.changed(),
      onSend: (text) => void this.#send(text).catch((error: unknown) => app.fail(error)),
      copy: (text) => app.copy(text),
      scroll: (input) => this.#transcript.input(input),
    })
    this.#unsent = new UnsentField(this.#field)
    this.focused = this.#field
  }

  shown(): void {
    void this.#remember().catch((error: unknown) => this.#options.app.fail(error))
  }

  closed(): void {
    this.#unsent.leave()
  }

  layout({ width, height }: Size): readonly Region[] {
    const rows = Math.min(fieldRows, Math.max(1, height - 4))
    const above = Math.max(1, height - rows - 1)
    return [
      { pane: this.#transcript, row: 0, column: 0, width, height: above },
      {
        pane: this.#field,
        row: above + 1,
        column: 0,
        width,
        height: rows,
        title: this.#isBusy ? 'Esc breaks it off' : 'Message',
      },
    ]
  }

  commands(): readonly Command[] {
    const busy = this.#isBusy ? { unavailable: 'The assistant is at work: Esc breaks it off.' } : {}
    const refusal = { ...busy, ...refusalOf(this.#options.workspace) }
    const change = this.#conversation.lastChange
    const nothing = change === undefined ? { unavailable: 'Nothing of this conversation has changed the branch.' } : {}
    return [
      {
        id: 'assistant.undo',
        title: 'Take back what the last turn changed',
        keys: ['ctrl+u', 'u'],
        ...(change === undefined ? nothing : { hint: 'undo the turn' }),
        ...refusal,
        run: () => this.#undo(),
      },
      {
        id: 'assistant.diff',
        title: 'See all that the last turn changed',
        keys: ['ctrl+d', 'd'],
        ...(change === undefined ? nothing : { hint: 'all changes' }),
        run: () => this.#open(),
      },
      {
        id: 'assistant.list',
        title: 'Go on with another conversation',
        keys: ['ctrl+o', 'o'],
        hint: 'conversations',
        ...refusal,
        run: () => this.#choose(),
      },
      {
        id: 'assistant.new',
        title: 'Begin another conversation',
        keys: ['ctrl+n', 'n'],
        hint: 'new',
        ...busy,
        run: () => this.#begin(),
      },
    ]
  }

  status(): Line {
    const { trouble } = this.#unsent
    if (trouble !== undefined) return [span(trouble, { color: 'danger' })]
    return this.#isBusy ? [span('at work', { color: 'accent' })] : []
  }

  async mayLeave(): Promise<boolean> {
    if (!this.#isBusy) return true
    return this.#options.app.dialogs.confirm({
      title: 'Leave while the assistant works?',
      body: ['It goes on, and saves what it does. The conversation shows later what came of it.'],
      act: 'Leave',
    })
  }

  /** What was typed here before and not sent stands in the field again. */
  async #remember(): Promise<void> {
    const { app, workspace, project, branch } = this.#options
    const message = await workspace.project(project.slug).message?.('assistant', branch)
    // What is found is not mixed with what is on its way; what is typed is kept from now on all the same.
    if (message === undefined || (this.#isBusy && message.text !== '')) return
    const isFirst = !this.#unsent.isKept
    this.#unsent.keepIn(message)
    if (isFirst && message.notice !== undefined) app.notify(message.notice, 'warning')
    if (isFirst && message.sent !== undefined)
      this.#transcript.remark('No answer came to this message: it is looked for before it is sent again.')
    app.refresh()
  }

  async #send(text: string): Promise<void> {
    const { app, workspace } = this.#options
    const { unavailable } = refusalOf(workspace)
    if (this.#isBusy) return app.notify('It is still at work: Esc breaks it off.', 'warning')
    if (unavailable !== undefined) return app.notify(unavailable, 'warning')
    if (text.length > limits.assistantMessage)
      return app.notify(`A message has at most ${limits.assistantMessage.toLocaleString('en')} characters.`, 'warning')
    // At once: what is typed meanwhile is of the next message, and a second Enter sends nothing twice.
    this.#isBusy = true
    this.#unsent.take(text)
    try {
      if ((await this.#mayGoOn()) && !(await this.#isThere(text))) await this.#ask(text)
    } finally {
      // What the service does not have is there to be sent again, with what was typed since.
      this.#unsent.giveBack()
      this.#isBusy = false
      if (!this.#unsent.isKept) this.shown()
      app.refresh()
    }
  }

  async #ask(text: string): Promise<void> {
    const { app } = this.#options
    const conversation = this.#conversation
    await this.#unsent.begin()
    this.#transcript.question(text)
    let problem: unknown
    const turn = await app.task('The assistant works', async (signal) => {
      try {
        return await conversation.ask(text, signal, (event) => {
          if (event.type === 'started') this.#unsent.arrived()
          if (event.type === 'delta') this.#transcript.text(event.text)
          if (event.type === 'step') this.#transcript.step(event.step)
          app.refresh()
        })
      } catch (error) {
        problem = error
        throw error
      }
    })
    if (turn === null || turn === undefined) {
      this.#transcript.remark(turn === null ? 'Broken off before it had begun.' : wordsOf(problem), {
        color: 'danger',
      })
      this.#unsent.failed(text, { isDoubted: turn === null || !isUndone(problem) })
      return
    }
    this.#unsent.arrived()
    await this.#show(turn)
  }

  /**
   * Looks for a message of which no answer came, before it is sent again.
   * @returns whether it is not to be sent: the service has it, or nobody knows
   */
  async #isThere(text: string): Promise<boolean> {
    const { app } = this.#options
    const { doubt } = this.#unsent
    if (doubt === undefined) return false
    const found = await app.task('Looking whether it was sent before', () =>
      this.#conversation.find((question) => markOf(question) === doubt),
    )
    if (found === undefined) return true
    const { status, question } = found?.turn ?? {}
    if (found === null || question === undefined || (status !== 'running' && status !== 'done')) return false
    const turns = await app.task('Opening the conversation', () => this.#conversation.open(found.conversation))
    if (turns === undefined) return true
    await this.#replayAll(turns)
    if (!text.startsWith(question)) {
      this.#unsent.failed(text, { isDoubted: false })
      return false
    }
    this.#unsent.arrived(text.slice(question.length).trim())
    app.notify('The assistant had this message already: what came of it stands above.', 'warning')
    return true
  }

  /** What came of a turn, with what it changed. */
  async #show(turn: AssistantTurn): Promise<void> {
    const { commit, undone } = turn
    if (commit !== undefined && undone === undefined) await this.#showDiff(commit)
    this.#transcript.outcome(turn, 'Ctrl-U takes it back.')
    this.#options.app.refresh()
  }

  async #showDiff(commit: string): Promise<void> {
    try {
      this.#transcript.diff(await this.#conversation.diff(commit))
    } catch (error) {
      // The change is saved all the same.
      this.#transcript.remark(`What changed cannot be shown: ${messageOf(error)}`)
    }
  }

  async #open(): Promise<void> {
    const { app } = this.#options
    const commit = this.#conversation.lastChange?.commit
    if (commit === undefined) return
    const files = await app.task('Reading what it changed', () => this.#conversation.diff(commit))
    if (files !== undefined) app.push(new TurnDiffView(files))
  }

  async #undo(): Promise<void> {
    const { app } = this.#options
    const turn = this.#conversation.lastChange
    if (turn === undefined) return
    const undone = await app.task('Taking the changes back', () => this.#conversation.undo(turn))
    if (undone === undefined) return
    this.#transcript.remark(`Taken back: ${undone.files.join(', ')}`, { color: 'warning' })
    app.notify(`${count(undone.files.length, 'file')} as before the turn.`, 'success')
  }

  #begin(): void {
    this.#conversation.leave()
    this.#transcript.clear()
    this.focused = this.#field
  }

  async #choose(): Promise<void> {
    const { app } = this.#options
    const conversations = await app.task('Reading the conversations', () => this.#conversation.list(listed))
    if (conversations === undefined) return
    if (conversations.length === 0) return app.notify('There are no conversations on this branch yet.')
    const id = await app.dialogs.choose({
      title: 'Conversations',
      choices: conversations.map((one) => ({
        value: one.id,
        label: one.title,
        detail: `${count(one.turns, 'turn')}, ${agoText(one.updatedAt)}`,
      })),
    })
    if (id === undefined) return
    const turns = await app.task('Opening the conversation', () => this.#conversation.open(id))
    if (turns === undefined) return
    await this.#replayAll(turns)
  }

  async #replayAll(turns: readonly AssistantTurn[]): Promise<void> {
    this.#transcript.clear()
    for (const turn of turns) this.#transcript.turn(turn)
    const last = turns.at(-1)
    if (last?.commit !== undefined && last.undone === undefined) await this.#showDiff(last.commit)
    this.#options.app.refresh()
  }

  /** The assistant sees what the branch has: what is typed here and not saved would be in its way. */
  async #mayGoOn(): Promise<boolean> {
    const { app, workspace, project, branch } = this.#options
    const found = await findUnsaved(app, workspace)
    if (found === undefined) return false
    const unsaved = found.filter(
      (one) => one.slug === project.slug && one.branch === branch.name && one.message === undefined,
    )
    const paths = unsaved.map(({ path }) => shown(path)).join(', ')
    if (paths === '' || paths === this.#told) return true
    const isMeant = await app.dialogs.confirm({
      title: 'Some pages are not saved',
      body: [
        `${paths} ${unsaved.length === 1 ? 'has' : 'have'} changes here that are not saved on the branch.`,
        'The assistant does not see them. If it changes the same pages, saving yours asks you to merge both.',
      ],
      act: 'Ask it anyway',
    })
    if (isMeant) this.#told = paths
    return isMeant
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'It was broken off.'
}

/** A turn goes on without its audience: whether it did can be seen when the service is back. */
function wordsOf(problem: unknown): string {
  if (!(problem instanceof Failure)) return messageOf(problem)
  const { code, message, hint } = problem
  const lost = 'It may have gone on all the same: Ctrl-O shows what came of it when the service is back.'
  return [message, code === 'unavailable' ? lost : hint].filter(Boolean).join(' ')
}
