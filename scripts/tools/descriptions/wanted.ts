import { type DescriptionFiles, isMembers, listOf, membersOf, type Said, textOf, type Value } from './files.ts'

/** Fields in each other that a page shows: `maxDepth` of src/site/api/fields.ts, and the first. */
const deepest = 9
/** Fields of an operation that are looked at: a page shows 1,500. */
const most = 6000
const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']
const places: Readonly<Record<string, string>> = {
  header: 'headers',
  path: 'pathParameters',
  query: 'queryParameters',
  cookie: 'cookies',
}

/** What a page should show of an operation. */
export interface Wanted {
  /** `GET /users`, `WEBHOOK order.created`. */
  readonly name: string
  /** Fields by where they stand (`queryParameters`, `body`, `response 200`) and the names that lead to them, with the values that they may have. */
  readonly fields: ReadonlyMap<string, readonly string[]>
  readonly responses: readonly string[]
  /** Examples of bodies and of responses, by where they stand. */
  readonly examples: readonly (readonly [where: string, value: Value])[]
}

/** Key of a field. */
export const fieldKey = (scope: string, path: readonly string[]): string =>
  [scope, ...path.map((name) => name.trim())].join(' › ')

export function wantedOf(files: DescriptionFiles, path: string): readonly Wanted[] {
  const document = membersOf(files.at(path))
  const kinds = [
    ['paths', (method: string, name: string) => `${method.toUpperCase()} ${name}`],
    ['webhooks', (_method: string, name: string) => `WEBHOOK ${name}`],
  ] as const
  return kinds.flatMap(([key, nameOf]) =>
    Object.entries(membersOf(document[key])).flatMap(([name, value]) => {
      const item = files.follow(value, path)
      return methods.flatMap((method) => {
        const own = files.follow(membersOf(item.value)[method], item.file)
        if (!isMembers(own.value) || name.startsWith('x-') || own.value['x-excluded'] === true) return []
        return [new OperationReader(files, key === 'webhooks').read(nameOf(method, name), item, own)]
      })
    }),
  )
}

class OperationReader {
  readonly #files: DescriptionFiles
  readonly #isWebhook: boolean
  readonly #fields = new Map<string, string[]>()
  readonly #examples: [string, Value][] = []

  constructor(files: DescriptionFiles, isWebhook: boolean) {
    this.#files = files
    this.#isWebhook = isWebhook
  }

  read(name: string, item: Said, own: Said): Wanted {
    for (const { value, file } of [item, own])
      for (const each of listOf(membersOf(value)['parameters'])) this.#parameter(each, file)
    const operation = membersOf(own.value)
    const body = this.#files.follow(operation['requestBody'], own.file)
    this.#content(body, this.#isWebhook ? 'payload' : 'body', this.#isWebhook ? 'writeOnly' : 'readOnly')
    const responses = Object.entries(membersOf(operation['responses']))
    for (const [status, value] of responses) this.#response(status, this.#files.follow(value, own.file))
    return { name, fields: this.#fields, responses: responses.map(([status]) => status), examples: this.#examples }
  }

  #parameter(value: Value, from: string): void {
    const { value: found, file } = this.#files.follow(value, from)
    const parameter = membersOf(found)
    const [place, name] = [places[textOf(parameter['in']) ?? ''], textOf(parameter['name'])]
    if (place === undefined || name === undefined) return
    const [media] = Object.values(membersOf(parameter['content']))
    this.#field({ value: parameter['schema'] ?? membersOf(media)['schema'], file, via: [] }, place, [name], 'readOnly')
  }

  #response(status: string, response: Said): void {
    const scope = `${this.#isWebhook ? 'answer' : 'response'} ${status}`
    for (const [name, value] of Object.entries(membersOf(membersOf(response.value)['headers']))) {
      const header = this.#files.follow(value, response.file)
      this.#field({ ...header, value: membersOf(header.value)['schema'], via: [] }, scope, [name], 'writeOnly')
    }
    this.#content(response, scope, this.#isWebhook ? 'readOnly' : 'writeOnly')
  }

  #content(holder: Said, scope: string, hidden: string): void {
    for (const [type, value] of Object.entries(membersOf(membersOf(holder.value)['content']))) {
      const { value: found, file } = this.#files.follow(value, holder.file)
      const media = membersOf(found)
      const before = this.#fields.size
      if (media['schema'] !== undefined) this.#inside({ value: media['schema'], file, via: [] }, scope, [], hidden)
      // What has no fields is one itself.
      if (media['schema'] !== undefined && this.#fields.size === before && !this.#hasFields(scope))
        this.#field({ value: media['schema'], file, via: [] }, scope, [type], hidden)
      if (media['example'] !== undefined) this.#examples.push([`${scope} ${type}`, media['example']])
      else
        for (const [name, each] of Object.entries(membersOf(media['examples']))) {
          const example = membersOf(this.#files.follow(each, file).value)
          if (example['value'] !== undefined) this.#examples.push([`${scope} ${type} ${name}`, example['value']])
        }
    }
  }

  /** Of another media type. */
  #hasFields(scope: string): boolean {
    return [...this.#fields.keys()].some((key) => key.startsWith(`${scope} › `))
  }

  #field(schema: Said, scope: string, path: readonly string[], hidden: string): void {
    const key = fieldKey(scope, path)
    this.#fields.set(key, this.#fields.get(key) ?? [])
    this.#inside(schema, scope, path, hidden)
  }

  #inside(schema: Said, scope: string, path: readonly string[], hidden: string): void {
    const { own, via } = this.#composed(schema)
    const options = this.#fields.get(fieldKey(scope, path))
    const before = options?.length ?? 0
    for (const { value, file } of own) {
      const says = membersOf(value)
      if (says['const'] !== undefined && own.length === 1) options?.push(literal(says['const']))
      if (says['items'] !== undefined) this.#inside({ value: says['items'], file, via }, scope, path, hidden)
      for (const variant of [...listOf(says['oneOf']), ...listOf(says['anyOf'])])
        this.#inside({ value: variant, file, via }, scope, path, hidden)
      if (path.length >= deepest || this.#fields.size >= most) continue
      for (const [name, property] of Object.entries(membersOf(says['properties']))) {
        const known = this.#composed({ value: property, file, via })
        if (known.own.some((each) => membersOf(each.value)[hidden] === true)) continue
        this.#field({ value: property, file, via }, scope, [...path, name], hidden)
      }
      for (const [pattern, each] of Object.entries(membersOf(says['patternProperties'])))
        this.#field({ value: each, file, via }, scope, [...path, `{${pattern}}`], hidden)
      for (const [index, each] of listOf(says['prefixItems']).entries())
        this.#field({ value: each, file, via }, scope, [...path, `[${index}]`], hidden)
      const others = membersOf(says['additionalProperties'])
      if (Object.keys(others).length === 0) continue
      const name = `{${textOf(others['x-additionalPropertiesName']) ?? 'key'}}`
      this.#field({ value: others, file, via }, scope, [...path, name], hidden)
    }
    // What is enumerated is some of what the choices of its parts have.
    const enumerated = own.map(({ value }) => listOf(membersOf(value)['enum'])).find((list) => list.length > 0)
    if (enumerated !== undefined)
      options?.splice(before, options.length, ...enumerated.filter((each) => each !== null).map(literal))
  }

  /** A schema and all that `allOf` adds to it, and the references that led to it. */
  #composed(schema: Said): { readonly own: readonly Said[]; readonly via: readonly string[] } {
    const found = this.#files.follow(schema.value, schema.file, schema.via)
    const beside = membersOf(schema.value)
    const own: Said[] = '$ref' in beside ? [{ ...schema, value: { ...beside, $ref: undefined } }, found] : [found]
    for (const each of listOf(membersOf(found.value)['allOf'])) {
      own.push(...this.#composed({ value: each, file: found.file, via: found.via }).own)
    }
    return { own, via: found.via }
  }
}

/** A value as pages write it. */
function literal(value: Value): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
