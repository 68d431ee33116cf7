import { readdirSync, readFileSync } from 'node:fs'
import { posix, join } from 'node:path'
import { parse } from 'yaml'

/** Whatever a description says: it is read here without the code that it tests. */
export type Value = unknown
export type Members = Readonly<Record<string, Value>>

/** A value, the file that says it, and the references that led to it. */
export interface Said {
  readonly value: Value
  readonly file: string
  /** `models/user.yaml#/User`, the first one first. */
  readonly via: readonly string[]
}

export const isMembers = (value: Value): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const membersOf = (value: Value): Members => (isMembers(value) ? value : {})
export const listOf = (value: Value): readonly Value[] => (Array.isArray(value) ? (value as readonly Value[]) : [])
export const textOf = (value: Value): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** JSON and YAML of a folder by path, as texts. */
export function filesOf(folder: string): Readonly<Record<string, string>> {
  const paths = (readdirSync(folder, { recursive: true }) as string[]).filter((path) => /\.(?:json|ya?ml)$/i.test(path))
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path), 'utf8')]))
}

/** Files that refer to each other. */
export class DescriptionFiles {
  readonly #texts: Readonly<Record<string, string>>
  readonly #values = new Map<string, Value>()

  constructor(texts: Readonly<Record<string, string>>) {
    this.#texts = texts
  }

  /** All of a file; undefined where there is none. */
  at(path: string): Value {
    if (!this.#values.has(path)) {
      const text = this.#texts[path]
      const value: Value =
        text === undefined
          ? undefined
          : path.endsWith('.json')
            ? JSON.parse(text)
            : parse(text, { merge: true, maxAliasCount: -1, uniqueKeys: false, logLevel: 'silent' })
      this.#values.set(path, value)
    }
    return this.#values.get(path)
  }

  /** What a value is, after all references that it may be; empty where one leads to one of `via`. */
  follow(value: Value, file: string, via: readonly string[] = []): Said {
    let said: Said = { value, file, via }
    for (;;) {
      const reference = textOf(membersOf(said.value)['$ref'])
      if (reference === undefined) return said
      const [path = '', pointer = ''] = reference.split('#', 2)
      const target = path === '' ? said.file : posix.join(posix.dirname(said.file), path)
      const key = `${target}#${pointer}`
      if (said.via.includes(key)) return { value: {}, file: target, via: said.via }
      const found = pointer
        .split('/')
        .slice(1)
        .map((token) => decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~'))
        .reduce<Value>(
          (at, token) => (Array.isArray(at) ? (at[Number(token)] as Value) : membersOf(at)[token]),
          this.at(target),
        )
      said = { value: found, file: target, via: [...said.via, key] }
    }
  }
}
