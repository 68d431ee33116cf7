import type { Node, BinaryExpression } from 'estree-jsx'
import { isList, NeedsScript, type Item, isCallable, isDictionary } from './values.ts'
import { Html } from '../../../lib/html.ts'

/** What a method may use of the interpreter. */
export interface MethodHost {
  call(callee: Item, args: readonly Item[], node: Node): Item
  /** Primitive → text, as JavaScript would; refuses what has no text. */
  text(item: Item, node: Node): string
  number(item: Item, node: Node): number
  /** Charges a text of this length before it is made. */
  charge(length: number, node: Node): void
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

/** A search in a text costs what it reads: a step for each 1,000 characters is in the price of the text made. */
const word =
  (run: (self: string, word: string, from: number | undefined) => Item): Method<string> =>
  (self, args, host, node) =>
    run(self, host.text(args[0], node), optional(args[1], host, node))

const made =
  (run: (self: string, args: readonly Item[], host: MethodHost, node: Node) => string): Method<string> =>
  (self, args, host, node) => {
    const result = run(self, args, host, node)
    host.charge(result.length, node)
    return result
  }

const pad =
  (run: (self: string, length: number, fill: string) => string): Method<string> =>
  (self, args, host, node) => {
    const length = host.number(args[0], node)
    host.charge(Math.max(self.length, length), node)
    return run(self, length, args[1] === undefined ? ' ' : host.text(args[1], node))
  }

function replacement(name: 'replace' | 'replaceAll'): Method<string> {
  return (self, args, host, node) => {
    const search = host.text(args[0], node)
    const into = host.text(args[1], node)
    // A regular expression and a function cannot come here: both are refused before. `$` means itself.
    const times = name === 'replace' ? 1 : self.split(search).length
    host.charge(self.length + times * into.length, node)
    return name === 'replace' ? self.replace(search, () => into) : self.replaceAll(search, () => into)
  }
}

export const textMethods: MethodTable<string> = new Map<string, Method<string>>([
  ['at', (self, args, host, node) => self.at(host.number(args[0], node))],
  ['charAt', (self, args, host, node) => self.charAt(host.number(args[0] ?? 0, node))],
  ['charCodeAt', (self, args, host, node) => self.charCodeAt(host.number(args[0] ?? 0, node))],
  ['codePointAt', (self, args, host, node) => self.codePointAt(host.number(args[0] ?? 0, node))],
  ['concat', made((self, args, host, node) => self + args.map((item) => host.text(item, node)).join(''))],
  ['endsWith', word((self, text, end) => self.endsWith(text, end))],
  ['includes', word((self, text, from) => self.includes(text, from))],
  ['indexOf', word((self, text, from) => self.indexOf(text, from))],
  ['lastIndexOf', word((self, text, from) => self.lastIndexOf(text, from))],
  ['localeCompare', word((self, text) => (self < text ? -1 : self > text ? 1 : 0))],
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
  [
    'split',
    (self, args, host, node) => {
      host.charge(self.length, node)
      return args[0] === undefined
        ? [self]
        : self.split(host.text(args[0], node), optional(args[1], host, node) ?? 10_001)
    },
  ],
  ['startsWith', word((self, text, from) => self.startsWith(text, from))],
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
  return [...self].sort((a, b) => {
    if (comparator !== undefined) return host.number(host.call(comparator, [a, b], node), node)
    const [left, right] = [host.text(a, node), host.text(b, node)]
    return left < right ? -1 : left > right ? 1 : 0
  })
}

function reduce(self: List, args: readonly Item[], host: MethodHost, node: Node): Item {
  if (self.length === 0 && args.length < 2) throw new NeedsScript('reduces an empty list without a first value', node)
  const [first, rest, offset] = args.length > 1 ? [args[1], self, 0] : [self[0], self.slice(1), 1]
  return rest.reduce((sum, item, index) => host.call(args[0], [sum, item, index + offset, self], node), first)
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
  ['includes', (self, args) => self.includes(args[0])],
  ['indexOf', (self, args) => self.indexOf(args[0])],
  [
    'join',
    (self, args, host, node) => {
      const separator = args[0] === undefined ? ',' : host.text(args[0], node)
      const parts = self.map((item) => (item === undefined || item === null ? '' : host.text(item, node)))
      host.charge(
        parts.reduce((sum, part) => sum + part.length + separator.length, 0),
        node,
      )
      return parts.join(separator)
    },
  ],
  ['lastIndexOf', (self, args) => self.lastIndexOf(args[0])],
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

export const numberMethods: MethodTable<number> = new Map<string, Method<number>>([
  ['toFixed', (self, args, host, node) => self.toFixed(digits(args[0], host, node))],
  // One locale, so that a page is the same wherever it is built.
  ['toLocaleString', (self) => self.toLocaleString('en-US')],
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
      return left === right
    case '!==':
      return left !== right
    case '==':
      return looselyEqual(left, right)
    case '!=':
      return !looselyEqual(left, right)
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
