import { queryOptions } from '@tanstack/react-query'
import type { Comment, CommentChange, NewComment } from '../../contract/comments.ts'
import { contract } from '../../contract/index.ts'
import { client } from '../client.ts'
import { queryClient } from '../query-client.ts'

/** Milliseconds between two looks at what others say. */
const lookMs = 10_000

const keyOf = (slug: string, id: string) => ['project', slug, 'branches', id, 'comments'] as const

/** All comments on a branch, the newest first. */
export function commentsQuery(slug: string, id: string) {
  return queryOptions({
    queryKey: [...keyOf(slug, id), 'all'],
    queryFn: async ({ signal }) => {
      const items: Comment[] = []
      let cursor: string | undefined
      do {
        const query = { limit: 200, ...(cursor === undefined ? {} : { cursor }) }
        const page = await client.call(contract.comments.list, { params: { slug, id }, query, signal })
        items.push(...page.items)
        cursor = page.nextCursor
        queryClient.setQueryData(openThreadsQuery(slug, id).queryKey, page.openThreads)
      } while (cursor !== undefined)
      return items
    },
    refetchInterval: ({ state }) => (state.error === null ? lookMs : false),
  })
}

/** How many threads of a branch are not resolved. */
export function openThreadsQuery(slug: string, id: string) {
  return queryOptions({
    queryKey: [...keyOf(slug, id), 'open'],
    queryFn: async ({ signal }): Promise<number> => {
      const query = { limit: 1 }
      return (await client.call(contract.comments.list, { params: { slug, id }, query, signal })).openThreads
    },
  })
}

function commentsChanged(slug: string, id: string): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: keyOf(slug, id) })
}

export async function addComment(slug: string, id: string, body: NewComment): Promise<Comment> {
  const made = await client.call(contract.comments.create, { params: { slug, id }, body })
  await commentsChanged(slug, id)
  return made
}

export async function changeComment(slug: string, id: string, comment: string, body: CommentChange): Promise<void> {
  await client.call(contract.comments.update, { params: { slug, id, comment }, body })
  await commentsChanged(slug, id)
}

export async function removeComment(slug: string, id: string, comment: string): Promise<void> {
  await client.call(contract.comments.remove, { params: { slug, id, comment } })
  await commentsChanged(slug, id)
}
