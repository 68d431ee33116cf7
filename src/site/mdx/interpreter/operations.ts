import type { Node, BinaryExpression } from 'estree-jsx'
import { characterWork, isList, memberWork, NeedsScript, type Item, isCallable, isDictionary } from './values.ts'
import { Html } from '#lib/html.ts'

/** What a method may use of the interpreter. */
export interface MethodHost {
  call(callee: Item, args: readonly Item[], node: Node): Item
  /** Primitive → text, as JavaScript would; refuses what has no text. */
  text(item: Item, node: Node): string
  number(item: Item, node: Node): number
  /** Charges a text of this length before it is made. */
  charge(length: number, node: Node): void
  /** Charges what is read, compared and copied, before that is done: see `Budget.work`. */
  chargeWork(units: number, node: Node): void
  /** Charges a list of this length before it is made. */
  chargeList(length: number, node: Node): void
}

type Method<T> = (self: T, args: readonly Item[], host: MethodHost, node: Node) => Item
type MethodTable<T> = ReadonlyMap<string, Method<T>>
type List = readonly Item[]

const optional = (item: Item, host: MethodHost, node: Node): number | undefined =>
  item === undefined ? undefined : host.number(item, node)
const truthy = (host: MethodHost, callee: Item, node: Node) => (item: Item, index: number, all: List) =>
  Boolean(host.call(callee, [item, index, all], node))

/** A search costs the length of the text for each character that is searched for: engines do no better in the worst case. */
function chargeSearch(self: string, wanted: string, { host, node }: { host: MethodHost; node: Node }): void {
  host.chargeWork(self.length + Math.max(0, self.length - wanted.length + 1) * wanted.length, node)
}

const search =
  (run: (self: string, wanted: string, from: number | undefined) => Item): Method<string> =>
  (self, args, host, node) => {
    const wanted = host.text(args[0], node)
    chargeSearch(self, wanted, { host, node })
    return run(self, wanted, optional(args[1], host, node))
  }

/** Looks at one place only. */
const comparison =
  (run: (self: string, other: string, at: number | undefined) => Item): Method<string> =>
  (self, args, host, node) => {
    const other = host.text(args[0], node)
    host.chargeWork(2 * Math.min(self.length, other.length), node)
    return run(self, other, optional(args[1], host, node))
  }

const made =
  (run: (self: string, args: readonly Item[], host: MethodHost, node: Node) => string): Method<string> =>
  (self, args, host, node) => {
    host.chargeWork(characterWork * self.length, node)
    const result = run(self, args, host, node)
    host.charge(result.length, node)
    return result
  }

const pad =
  (run: (self: string, length: number, fill: string) => string): Method<string> =>
  (self, args, host, node) => {
    // As JavaScript has it: what is no number is 0, and less than the text has is nothing to do.
    const length = Math.max(self.length, host.number(args[0], node) || 0)
    host.charge(length, node)
    return run(self, length, args[1] === undefined ? ' ' : host.text(args[1], node))
  }

function replacement(name: 'replace' | 'replaceAll'): Method<string> {
  return (self, args, host, node) => {
    const wanted = host.text(args[0], node)
    const into = host.text(args[1], node)
    host.charge(self.length, node)
    // Once to count, once to replace.
    for (let times = 0; times < 2; times++) chargeSearch(self, wanted, { host, node })
    // A regular expression and a function cannot come here: both are refused before. `$` means itself.
    const times = name === 'replace' ? 1 : occurrences(self, wanted)
    host.charge(self.length + times * into.length, node)
    return name === 'replace' ? self.replace(wanted, () => into) : self.replaceAll(wanted, () => into)
  }
}

function occurrences(self: string, wanted: string): number {
  if (wanted === '') return self.length + 1
  let count = 0
  for (let at = self.indexOf(wanted); at !== -1; at = self.indexOf(wanted, at + wanted.length)) count += 1
  return count
}

/** Members of a list from a text that are still looked at, one more than a list may have. */
const mostPieces = 10_001

function split(self: string, args: readonly Item[], host: MethodHost, node: Node): Item {
  host.charge(self.length, node)
  if (args[0] === undefined) return [self]
  const separator = host.text(args[0], node)
  chargeSearch(self, separator, { host, node })
  const limit = optional(args[1], host, node)
  return self.split(separator, limit === undefined ? mostPieces : Math.min(limit >>> 0, mostPieces))
}

export const textMethods: MethodTable<string> = new Map<string, Method<string>>([
  ['at', (self, args, host, node) => self.at(host.number(args[0], node))],
  ['charAt', (self, args, host, node) => self.charAt(host.number(args[0] ?? 0, node))],
  ['charCodeAt', (self, args, host, node) => self.charCodeAt(host.number(args[0] ?? 0, node))],
  ['codePointAt', (self, args, host, node) => self.codePointAt(host.number(args[0] ?? 0, node))],
  ['concat', made((self, args, host, node) => self + args.map((item) => host.text(item, node)).join(''))],
  ['endsWith', comparison((self, text, end) => self.endsWith(text, end))],
  ['includes', search((self, text, from) => self.includes(text, from))],
  ['indexOf', search((self, text, from) => self.indexOf(text, from))],
  ['lastIndexOf', search((self, text, from) => self.lastIndexOf(text, from))],
  ['localeCompare', comparison((self, text) => (self < text ? -1 : self > text ? 1 : 0))],
  ['padEnd', pad((self, length, fill) => self.padEnd(length, fill))],
  ['padStart', pad((self, length, fill) => self.padStart(length, fill))],
  [
    'repeat',
    (self, args, host, node) => {
      const times = host.number(args[0], node)
      if (!(times >= 0) || times === Infinity)
        throw new NeedsScript('repeats a text a negative or infinite number of times', node)
      host.charge(self.length * times, node)
      return self.repeat(times)
    },
  ],
  ['replace', replacement('replace')],
  ['replaceAll', replacement('replaceAll')],
  ['slice', made((self, args, host, node) => self.slice(optional(args[0], host, node), optional(args[1], host, node)))],
  ['split', split],
  ['startsWith', comparison((self, text, from) => self.startsWith(text, from))],
  [
    'substring',
    made((self, args, host, node) => self.substring(host.number(args[0] ?? 0, node), optional(args[1], host, node))),
  ],
  ['toLowerCase', made((self) => self.toLowerCase())],
  ['toString', (self) => self],
  ['toUpperCase', made((self) => self.toUpperCase())],
  ['trim', made((self) => self.trim())],
  ['trimEnd', made((self) => self.trimEnd())],
  ['trimStart', made((self) => self.trimStart())],
])

function flatten(list: List, depth: number, host: MethodHost, node: Node): Item[] {
  host.chargeWork(memberWork * list.length, node)
  const levels = list.map((item) => (isList(item) && depth > 0 ? flatten(item, depth - 1, host, node) : [item]))
  host.chargeList(
    levels.reduce((sum, level) => sum + level.length, 0),
    node,
  )
  const flat: Item[] = []
  for (const level of levels) for (const item of level) flat.push(item)
  return flat
}

function concat(self: List, args: readonly Item[], host: MethodHost, node: Node): Item {
  return flatten([self, ...args], 1, host, node)
}

function sorted(self: List, args: readonly Item[], host: MethodHost, node: Node): Item {
  const comparator = args[0]
  host.chargeWork(memberWork * self.length, node)
  return [...self].sort((a, b) => {
    if (comparator !== undefined) return host.number(host.call(comparator, [a, b], node), node)
    const [left, right] = [host.text(a, node), host.text(b, node)]
    host.chargeWork(memberWork + 2 * Math.min(left.length, right.length), node)
    return left < right ? -1 : left > right ? 1 : 0
  })
}

function reduce(self: List, args: readonly Item[], host: MethodHost, node: Node): Item {
  if (self.length === 0 && args.length < 2) throw new NeedsScript('reduces an empty list without a first value', node)
  const [first, rest, offset] = args.length > 1 ? [args[1], self, 0] : [self[0], self.slice(1), 1]
  return rest.reduce((sum, item, index) => host.call(args[0], [sum, item, index + offset, self], node), first)
}

/** The text of a list: its members’, with the separator between them. */
export function join(self: List, separator: string, host: MethodHost, node: Node): string {
  host.chargeWork(memberWork * self.length, node)
  const parts = self.map((item) => (item === undefined || item === null ? '' : host.text(item, node)))
  host.charge(
    parts.reduce((sum, part) => sum + part.length + separator.length, 0),
    node,
  )
  return parts.join(separator)
}

/** A search in a list compares each member with what is searched for, to its last character in the worst case. */
const lookup =
  (run: (self: List, wanted: Item) => Item): Method<List> =>
  (self, args, host, node) => {
    const wanted = args[0]
    host.chargeWork(self.length * (memberWork + (typeof wanted === 'string' ? wanted.length : 0)), node)
    return run(self, wanted)
  }

/** Nothing here changes its list: `sort` and `reverse` give a new one, which is all that a pure page can see. */
export const listMethods: MethodTable<List> = new Map<string, Method<List>>([
  ['at', (self, args, host, node) => self.at(host.number(args[0], node))],
  ['concat', concat],
  ['every', (self, args, host, node) => self.every(truthy(host, args[0], node))],
  ['filter', (self, args, host, node) => self.filter(truthy(host, args[0], node))],
  ['find', (self, args, host, node) => self.find(truthy(host, args[0], node))],
  ['findIndex', (self, args, host, node) => self.findIndex(truthy(host, args[0], node))],
  ['findLast', (self, args, host, node) => self.findLast(truthy(host, args[0], node))],
  ['flat', (self, args, host, node) => flatten(self, Math.min(10, optional(args[0], host, node) ?? 1), host, node)],
  [
    'flatMap',
    (self, args, host, node) =>
      flatten(
        self.map((item, index) => host.call(args[0], [item, index, self], node)),
        1,
        host,
        node,
      ),
  ],
  ['includes', lookup((self, wanted) => self.includes(wanted))],
  ['indexOf', lookup((self, wanted) => self.indexOf(wanted))],
  ['join', (self, args, host, node) => join(self, args[0] === undefined ? ',' : host.text(args[0], node), host, node)],
  ['lastIndexOf', lookup((self, wanted) => self.lastIndexOf(wanted))],
  ['map', (self, args, host, node) => self.map((item, index) => host.call(args[0], [item, index, self], node))],
  ['reduce', reduce],
  ['reverse', (self) => self.toReversed()],
  ['slice', (self, args, host, node) => self.slice(optional(args[0], host, node), optional(args[1], host, node))],
  ['some', (self, args, host, node) => self.some(truthy(host, args[0], node))],
  ['sort', sorted],
  ['toReversed', (self) => self.toReversed()],
  ['toSorted', sorted],
  ['toString', (self, _args, host, node) => host.text(self, node)],
])

function digits(item: Item, host: MethodHost, node: Node): number {
  const value = optional(item, host, node) ?? 0
  if (!(value >= 0 && value <= 100)) throw new NeedsScript('asks for an impossible number of digits', node)
  return value
}

/** Made once: to make one takes far longer than to use it. */
const numbers = new Intl.NumberFormat('en-US')

export const numberMethods: MethodTable<number> = new Map<string, Method<number>>([
  ['toFixed', (self, args, host, node) => self.toFixed(digits(args[0], host, node))],
  // One locale, so that a page is the same wherever it is built.
  ['toLocaleString', (self) => numbers.format(self)],
  [
    'toString',
    (self, args, host, node) => {
      const radix = optional(args[0], host, node) ?? 10
      if (!(radix >= 2 && radix <= 36)) throw new NeedsScript('asks for an impossible radix', node)
      return self.toString(radix)
    },
  ],
])

/** `left operator right` on data. Objects are equal when they are the same; nothing else works on them. */
export function binary(host: MethodHost, node: BinaryExpression, left: Item, right: Item): Item {
  switch (node.operator) {
    case '===':
    case '!==':
    case '==':
    case '!=':
      return isEqual(host, node, left, right) === node.operator.startsWith('=')
    case '+':
      return add(host, node, left, right)
    case '<':
    case '>':
    case '<=':
    case '>=':
      return compare(host, node, left, right)
    default:
      return arithmetic(node, host.number(left, node), host.number(right, node))
  }
}

function isEqual(host: MethodHost, node: BinaryExpression, left: Item, right: Item): boolean {
  const isDifferent = typeof left === 'string' && typeof right === 'string' && left.length !== right.length
  if (!isDifferent) host.chargeWork(lengthOf(left) + lengthOf(right), node)
  return node.operator.length === 3 ? left === right : looselyEqual(left, right)
}

function lengthOf(item: Item): number {
  return typeof item === 'string' ? item.length : 0
}

function looselyEqual(left: Item, right: Item): boolean {
  if (left === null || left === undefined || right === null || right === undefined)
    return (left ?? null) === (right ?? null)
  if (typeof left === 'object' || typeof right === 'object' || typeof left === typeof right) return left === right
  return Number(left) === Number(right)
}

function isComposite(item: Item): boolean {
  return isDictionary(item) || isCallable(item) || item instanceof Html
}

function add(host: MethodHost, node: BinaryExpression, left: Item, right: Item): Item {
  if (isComposite(left) || isComposite(right))
    throw new NeedsScript('adds something that is neither text nor number', node)
  const asText = [left, right].some((item) => typeof item === 'string' || Array.isArray(item))
  if (!asText) return host.number(left, node) + host.number(right, node)
  const [before, after] = [host.text(left, node), host.text(right, node)]
  host.charge(before.length + after.length, node)
  return before + after
}

function compare(host: MethodHost, node: BinaryExpression, left: Item, right: Item): boolean {
  const texts = typeof left === 'string' && typeof right === 'string'
  if (texts) host.chargeWork(Math.min(left.length, right.length), node)
  const [a, b] = texts ? [left, right] : [host.number(left, node), host.number(right, node)]
  if (node.operator === '<') return a < b
  if (node.operator === '>') return a > b
  return node.operator === '<=' ? a <= b : a >= b
}

function arithmetic(node: BinaryExpression, left: number, right: number): number {
  switch (node.operator) {
    case '-':
      return left - right
    case '*':
      return left * right
    case '/':
      return left / right
    case '%':
      return left % right
    case '**':
      return left ** right
    case '|':
      return left | right
    case '&':
      return left & right
    case '^':
      return left ^ right
    case '<<':
      return left << right
    case '>>':
      return left >> right
    case '>>>':
      return left >>> right
    default:
      throw new NeedsScript(`uses \`${node.operator}\``, node)
  }
}
