import { isArray, isObject, pointerTo, type Json, type JsonObject } from '../../lib/json-reader.ts'
import type { NewEntry, Parts } from './parts.ts'
import { objectAt, pick, textOf } from './values.ts'

/** Messages of a channel, as who uses the API sees them, and what is said of sending or receiving. */
interface Direction {
  readonly about: readonly JsonObject[]
  readonly messages: readonly Json[]
}

/**
 * Channels of AsyncAPI 2 and 3. Version 3 says what the application does, version 2 what may be done with it: pages tell
 * what who uses it sends and receives.
 */
export async function channelsOf(document: JsonObject, parts: Parts): Promise<NewEntry[]> {
  const isThird = textOf(document['asyncapi'])?.startsWith('2.') !== true
  const entries: NewEntry[] = []
  for (const [name, value] of Object.entries(objectAt(document, 'channels') ?? {})) {
    const { value: channel, file } = await parts.follow(value)
    if (!isObject(channel)) continue
    const { sends, receives } = await (isThird ? ofThird(document, name, channel, parts) : ofSecond(channel, parts))
    const address = isThird ? (textOf(channel['address']) ?? name) : name
    const part = {
      kind: 'channel',
      name,
      address,
      ...pick('summary', textOf(channel['summary'])),
      ...pick('description', textOf(channel['description'])),
      parameters: channel['parameters'] ?? {},
      servers: await serversOf(document, channel, parts),
      sends: { about: sends.about, messages: sends.messages },
      receives: { about: receives.about, messages: receives.messages },
      ...pick('bindings', objectAt(channel, 'bindings')),
    }
    const [tag] = isArray(channel['tags']) ? channel['tags'] : []
    entries.push({
      kind: 'channel',
      name,
      path: address,
      title: textOf(channel['title']) ?? name,
      ...pick('description', textOf(channel['description'])),
      ...pick('tag', isObject(tag) ? textOf(tag['name']) : undefined),
      ...pick('deprecated', channel['deprecated'] === true || undefined),
      part: parts.add(`channel ${name}`, part, file),
    })
  }
  return entries
}

/** What who uses a channel sends and receives. */
interface Directions {
  readonly sends: Direction
  readonly receives: Direction
}

async function ofSecond(channel: JsonObject, parts: Parts): Promise<Directions> {
  const direction = async (operation: JsonObject | undefined): Promise<Direction> => {
    const message = operation?.['message']
    const { value } = await parts.follow(message)
    const several = isObject(value) ? value['oneOf'] : undefined
    const messages = isArray(several) ? several : message === undefined ? [] : [message]
    return { about: operation === undefined ? [] : [about(operation)], messages }
  }
  return {
    sends: await direction(objectAt(channel, 'publish')),
    receives: await direction(objectAt(channel, 'subscribe')),
  }
}

async function ofThird(document: JsonObject, name: string, channel: JsonObject, parts: Parts): Promise<Directions> {
  const own: JsonObject[] = []
  for (const each of Object.values(objectAt(document, 'operations') ?? {})) {
    const { value } = await parts.follow(each)
    const target = textOf(objectAt(value, 'channel')?.['$ref'])
    if (isObject(value) && target === pointerTo('#/channels', name)) own.push(value)
  }
  const all = Object.values(objectAt(channel, 'messages') ?? {})
  const direction = (action: string): Direction => {
    const operations = own.filter((operation) => operation['action'] === action)
    const named = operations.flatMap((operation) => (isArray(operation['messages']) ? operation['messages'] : all))
    const distinct = new Map(named.map((message) => [JSON.stringify(message), message]))
    return { about: operations.map(about), messages: [...distinct.values()] }
  }
  // Where nobody says who does what, its messages are shown all the same.
  const receives = own.length === 0 ? { about: [], messages: all } : direction('send')
  return { sends: direction('receive'), receives }
}

function about(operation: JsonObject): JsonObject {
  const { summary, title, description } = operation
  return { ...pick('summary', textOf(summary) ?? textOf(title)), ...pick('description', textOf(description)) }
}

/** Addresses of the servers that have the channel. */
async function serversOf(document: JsonObject, channel: JsonObject, parts: Parts): Promise<Json> {
  const all = objectAt(document, 'servers') ?? {}
  const wanted = isArray(channel['servers']) ? channel['servers'] : []
  const named = wanted.map((each) => (typeof each === 'string' ? (all[each] ?? null) : each))
  const servers: Json[] = []
  for (const each of wanted.length === 0 ? Object.values(all) : named) {
    const { value: server } = await parts.follow(each)
    if (!isObject(server)) continue
    const host = textOf(server['url']) ?? textOf(server['host']) ?? ''
    const protocol = textOf(server['protocol']) ?? 'wss'
    const url = /^[a-z][a-z\d+.-]*:/i.test(host) ? host : `${protocol}://${host}${textOf(server['pathname']) ?? ''}`
    const variables = objectAt(server, 'variables')
    servers.push({ url, ...pick('description', textOf(server['description'])), ...pick('variables', variables) })
  }
  return servers
}
