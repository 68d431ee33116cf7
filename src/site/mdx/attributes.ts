import type { Value } from '../components/component.tsx'
import type { AttributeValue } from '../sanitise/tag.ts'
import {
  type Budget,
  characterWork,
  isCallable,
  isDictionary,
  isList,
  NeedsScript,
  type Item,
} from './interpreter/values.ts'
import type { SourceLocation } from './problem.ts'

/** Of an element or a component as its author writes it, by name. */
export type Attributes = ReadonlyMap<string, Item>

/** What copies of values cost, and where they stand. */
interface Cost {
  readonly budget: Budget
  readonly place: SourceLocation
}

/** Whether an attribute handles an event. */
export function isHandler(name: string, value: Item): boolean {
  return isCallable(value) && /^on[A-Z]/.test(name)
}

/**
 * What a component gets of an attribute: data and markup.
 * @throws NeedsScript for a function, however deep
 */
export function componentValue(item: Item, name: string, cost: Cost): Value {
  const { budget, place } = cost
  if (isCallable(item)) throw new NeedsScript(`passes a function as \`${name}\``, place)
  if (typeof item === 'string') budget.work(characterWork * item.length, () => place)
  if (!isList(item) && !isDictionary(item)) return item
  return budget.nested(
    () => place,
    () => {
      if (isList(item)) {
        budget.list(item.length, () => place)
        return item.map((member) => componentValue(member, name, cost))
      }
      const members = Object.entries(item)
      budget.list(members.length, () => place)
      const result = Object.create(null) as { [key: string]: Value }
      for (const [key, member] of members) result[key] = componentValue(member, `${name}.${key}`, cost)
      return result
    },
  )
}

/**
 * What a tag gets of an attribute. Objects are styles; lists are joined as class names are.
 * @throws NeedsScript for a function
 */
export function tagValue(item: Item, name: string, { budget, place }: Cost): AttributeValue {
  if (isCallable(item))
    throw new NeedsScript(/^on/i.test(name) ? `handles an event (\`${name}\`)` : `has a function as \`${name}\``, place)
  if (typeof item === 'string') budget.work(characterWork * item.length, () => place)
  if (item === null || item === undefined || typeof item !== 'object') return item
  if (isList(item)) {
    budget.list(item.length, () => place)
    const words = item.flatMap((member) =>
      typeof member === 'string' || typeof member === 'number' ? [String(member)] : [],
    )
    budget.text(
      words.reduce((sum, word) => sum + word.length + 1, 0),
      () => place,
    )
    return words.join(' ')
  }
  if (!isDictionary(item)) return undefined
  const members = Object.entries(item)
  budget.list(members.length, () => place)
  const pairs = members.filter(
    (pair): pair is [string, string | number] => typeof pair[1] === 'string' || typeof pair[1] === 'number',
  )
  return { pairs }
}
