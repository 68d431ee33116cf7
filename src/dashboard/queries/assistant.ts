import { queryOptions } from '@tanstack/react-query'
import type { AssistantEvent, AssistantTurn } from '../../contract/assistant.ts'
import { contract } from '../../contract/index.ts'
import { client } from '../client.ts'
import { queryClient } from '../query-client.ts'
import { branchChanged, type BranchRef } from './files.ts'
import { listQuery } from './list.ts'

/** Milliseconds between two looks at a turn that another tab or a terminal waits for. */
const lookMs = 2_000

const keyOf = ({ slug, id }: BranchRef) => ['project', slug, 'assistant', id] as const

/** Conversations about a branch, the newest first. */
export function conversationsQuery(branchRef: BranchRef) {
  return listQuery([...keyOf(branchRef), 'list'], (cursor, signal) =>
    client.call(contract.assistant.list, { params: { ...branchRef }, query: { limit: 20, ...cursor }, signal }),
  )
}

/** A conversation with all its turns; read again while its last one runs. */
export function conversationQuery(branchRef: BranchRef, conversation: string) {
  return queryOptions({
    queryKey: [...keyOf(branchRef), 'conversation', conversation],
    queryFn: ({ signal }) => client.call(contract.assistant.read, { params: { ...branchRef, conversation }, signal }),
    refetchInterval: ({ state }) => (state.data?.turns.at(-1)?.status === 'running' ? lookMs : false),
  })
}

/** @param conversation to go on with; absent: a new one. What is thrown before the first event refused the question */
export function askAssistant(
  branchRef: BranchRef,
  content: string,
  conversation: string | undefined,
  signal: AbortSignal,
) {
  return client.events<AssistantEvent>(contract.assistant.send, {
    params: { ...branchRef },
    body: { messages: [{ role: 'user', content }], ...(conversation === undefined ? {} : { conversation }) },
    signal,
  })
}

/** A turn has ended: its record is known before it is read. */
export function turnEnded(branchRef: BranchRef, conversation: string, turn: AssistantTurn): void {
  queryClient.setQueryData(conversationQuery(branchRef, conversation).queryKey, (known) =>
    known === undefined ? known : { ...known, turns: [...known.turns.filter(({ id }) => id !== turn.id), turn] },
  )
}

/** Something was said: what was read of conversations is old. */
export function conversationsChanged(branchRef: BranchRef): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: keyOf(branchRef) })
}

export async function removeConversation(branchRef: BranchRef, conversation: string): Promise<void> {
  await client.call(contract.assistant.remove, { params: { ...branchRef, conversation } })
  queryClient.removeQueries({ queryKey: conversationQuery(branchRef, conversation).queryKey })
  await conversationsChanged(branchRef)
}

/** Takes back what a turn changed. @throws Failure `stale_file` */
export async function undoTurn(branchRef: BranchRef, conversation: string, turn: string): Promise<AssistantTurn> {
  const undone = await client.call(contract.assistant.undo, { params: { ...branchRef, conversation }, body: { turn } })
  branchChanged(branchRef)
  await conversationsChanged(branchRef)
  return undone
}
