import { useQueryClient } from '@tanstack/react-query'
import type { BodyOf } from '../../contract/endpoint.ts'
import { contract } from '../../contract/index.ts'
import type { CreatedKey } from '../../contract/keys.ts'
import { client } from '../client.ts'
import { listQuery } from './list.ts'

export type NewKeyBody = BodyOf<typeof contract.keys.create>

export function keysQuery(slug: string) {
  return listQuery(['project', slug, 'keys'], (cursor, signal) =>
    client.call(contract.keys.list, { params: { slug }, query: cursor, signal }),
  )
}

/** Creates keys of a project; `reload` looks again at those that there are. */
export function useNewKey(slug: string): {
  readonly create: (body: NewKeyBody) => Promise<CreatedKey>
  readonly reload: () => Promise<void>
} {
  const queries = useQueryClient()
  const reload = () => queries.invalidateQueries({ queryKey: keysQuery(slug).queryKey })
  const create = async (body: NewKeyBody): Promise<CreatedKey> => {
    const key = await client.call(contract.keys.create, { params: { slug }, body })
    void reload()
    return key
  }
  return { create, reload }
}
