import { text as textOf } from 'node:stream/consumers'
import type { Command } from 'commander'
import { failureOfProblem } from '../../src/client/problem.ts'
import { exitCodes, Failure } from '../../src/contract/failure.ts'
import { Chat, converse, goOn } from '../assistant/chat.ts'
import { BranchConversation } from '../assistant/conversation.ts'
import { addExamples } from '../help.ts'
import type { Output } from '../output.ts'
import { run } from '../program.ts'
import { findBranch, openProject } from '../service/project.ts'

export function defineAssistant(command: Command): void {
  addExamples(command, [
    ['assistant intro', 'a conversation'],
    ['assistant intro "Fix the typos"', 'one turn'],
    ['assistant intro --continue < feedback.txt', 'go on with the last one'],
  ])
    .argument('<branch>', 'name of the branch')
    .argument('[message]', 'what to do; - or nothing, where nobody types, for standard input')
    .option('--continue', 'go on with the last conversation of the branch')
    .option('--conversation <id>', 'go on with this one')
    .action((name: string, message: string | undefined, options: AssistantOptions) =>
      run((output, url) => talk(name, message, { ...options, url }, output)),
    )
}

interface AssistantOptions {
  readonly continue?: boolean
  readonly conversation?: string
}

/** `quire assistant <branch> [message]`. */
async function talk(
  name: string,
  given: string | undefined,
  options: AssistantOptions & { readonly url: string },
  output: Output,
): Promise<number> {
  const { interactive } = output.environment
  const message = given === '-' || (given === undefined && !process.stdin.isTTY) ? await textOf(process.stdin) : given
  if (message === undefined ? !interactive || output.json : message.trim() === '') {
    throw new Failure('invalid_request', 'What is the assistant to do? There is no message.', {
      hint: `Give one: quire assistant ${name} "Fix the typos", or hand it over on standard input.`,
    })
  }
  const project = await openProject(options.url, output)
  const conversation = new BranchConversation(project, await findBranch(project, name))
  const id = options.conversation ?? (options.continue === true ? await lastOf(conversation) : undefined)
  if (message === undefined) {
    if (id !== undefined) await goOn(conversation, id, output)
    return new Chat(conversation, output).run()
  }
  if (id !== undefined) await conversation.open(id)
  return once(conversation, message, output)
}

/** One message and its answer, as the command’s result. */
async function once(conversation: BranchConversation, message: string, output: Output): Promise<number> {
  const turn = await converse(conversation, message, output)
  const { name, previewUrl } = conversation.branch
  if (output.json) output.result({ conversation: conversation.id, branch: name, previewUrl, turn }, '')
  if (turn === null || turn.status === 'cancelled') return exitCodes.interrupted
  if (turn.problem !== undefined) return failureOfProblem(turn.problem).exitCode
  return turn.status === 'done' ? exitCodes.ok : exitCodes.failed
}

async function lastOf(conversation: BranchConversation): Promise<string> {
  const [last] = await conversation.list(1)
  if (last !== undefined) return last.id
  throw new Failure('not_found', `There is no conversation about ${conversation.branch.name} yet.`, {
    hint: 'Leave --continue out to begin one.',
  })
}
