import { queryOptions } from '@tanstack/react-query'
import type { AssistantEvent, AssistantTurn } from '../../contract/assistant.ts'
import { contract } from '../../contract/index.ts'
import { client } from '../client.ts'
import { branchChanged, type Place } from './files.ts'
import { listQuery } from './list.ts'
import { queryClient } from './query-client.ts'

/** Milliseconds between two looks at a turn that another tab or a terminal waits for. */
const lookMs = 2_000

const keyOf = ({ slug, id }: Place) => ['project', slug, 'assistant', id] as const

/** Conversations about a branch, the newest first. */
export function conversationsQuery(place: Place) {
  return listQuery([...keyOf(place), 'list'], (cursor, signal) =>
    client.call(contract.assistant.list, { params: { ...place }, query: { limit: 20, ...cursor }, signal }),
  )
}

/** A conversation with all its turns; read again while its last one runs. */
export function conversationQuery(place: Place, conversation: string) {
  return queryOptions({
    queryKey: [...keyOf(place), 'conversation', conversation],
    queryFn: ({ signal }) => client.call(contract.assistant.read, { params: { ...place, conversation }, signal }),
    refetchInterval: ({ state }) => (state.data?.turns.at(-1)?.status === 'running' ? lookMs : false),
  })
}

/** @param conversation to go on with; absent: a new one. What is thrown before the first event refused the question */
export function askAssistant(place: Place, content: string, conversation: string | undefined, signal: AbortSignal) {
  return client.events<AssistantEvent>(contract.assistant.send, {
    params: { ...place },
    body: { messages: [{ role: 'user', content }], ...(conversation === undefined ? {} : { conversation }) },
    signal,
  })
}

/** Something was said: what was read of conversations is old. */
export function conversationsChanged(place: Place): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: keyOf(place) })
}

export async function removeConversation(place: Place, conversation: string): Promise<void> {
  await client.call(contract.assistant.remove, { params: { ...place, conversation } })
  queryClient.removeQueries({ queryKey: conversationQuery(place, conversation).queryKey })
  await conversationsChanged(place)
}

/** Takes back what a turn changed. @throws Failure `stale_file` */
export async function undoTurn(place: Place, conversation: string, turn: string): Promise<AssistantTurn> {
  const undone = await client.call(contract.assistant.undo, { params: { ...place, conversation }, body: { turn } })
  branchChanged(place)
  await conversationsChanged(place)
  return undone
}
