import type { Endpoint } from '#contract/endpoint.ts'
import { contract } from '#contract/index.ts'

/** Every endpoint with its operation, such as `keys.create`: a new one is in all tables by itself. */
export const endpoints: readonly (readonly [operation: string, endpoint: Endpoint])[] = Object.entries(
  contract,
).flatMap(([noun, verbs]) =>
  Object.entries(verbs as Readonly<Record<string, Endpoint>>).map(
    ([verb, endpoint]) => [`${noun}.${verb}`, endpoint] as const,
  ),
)

/** The parts of JSON Schema that the contract's requests use. */
export interface Schema {
  readonly type?: string
  readonly const?: unknown
  readonly pattern?: string
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly uniqueItems?: boolean
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}
