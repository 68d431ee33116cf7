import { dictionary, isDictionary, isList, type Dictionary, type Item } from '../../src/site/mdx/interpreter/values.ts'

/** What settings files say, with what takes it apart: a value of another kind is as if it were not there. */
export { isDictionary, type Dictionary, type Item }

/** A call that only the framework could make: its name and what it is given. */
export const callKey = '$call'

/** Data of YAML and JSON, as settings files in JavaScript have it. */
export function dataOf(value: unknown): Item {
  if (Array.isArray(value)) return value.map(dataOf)
  if (typeof value === 'object' && value !== null)
    return dictionary(Object.entries(value).map(([key, item]) => [key, dataOf(item)] as const))
  return value as Item
}

/** An object, also where it is wrapped in a call: `defineConfig({ … })`. */
export function objectIn(item: Item): Dictionary {
  if (!isDictionary(item)) return {}
  if (!(callKey in item)) return item
  const args = listIn(item['arguments'])
  return objectIn(args.find((argument) => isDictionary(argument)))
}

export function listIn(item: Item): readonly Item[] {
  return isList(item) ? item : []
}

export function textIn(item: Item): string | undefined {
  return typeof item === 'string' && item !== '' ? item : undefined
}

/** Whether it is a call of a function of this name. */
export function isCallOf(item: Item, name: string): boolean {
  return isDictionary(item) && item[callKey] === name
}
