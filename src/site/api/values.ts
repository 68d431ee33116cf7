import { isObject, type Json, type JsonObject } from '../../lib/json-reader.ts'

export function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

export function objectAt(value: Json | undefined, key: string): JsonObject | undefined {
  const inner = isObject(value) ? value[key] : undefined
  return isObject(inner) ? inner : undefined
}

export const pick = <Key extends string, Value>(key: Key, value: Value | undefined) =>
  (value === undefined ? {} : { [key]: value }) as { readonly [Name in Key]?: Value }
