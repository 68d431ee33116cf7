import type { Node } from 'estree-jsx'
import { Html } from '#lib/html.ts'
import type { MethodHost } from './operations.ts'
import {
  characterWork,
  dictionary,
  isCallable,
  isDictionary,
  isList,
  isRefusedKey,
  memberWork,
  Native,
  NeedsScript,
  type Item,
} from './values.ts'

type Call = NonNullable<Native['call']>

function native(name: string, call: Call | undefined, members: Readonly<Record<string, Item>> = {}): Native {
  return new Native(name, call, new Map(Object.entries(members)))
}

/** A text that is read from end to end, some characters of it at a higher price than others. */
function readText(item: Item, host: MethodHost, node: Node): string {
  const text = host.text(item, node)
  host.chargeWork(characterWork * text.length, node)
  return text
}

function entriesOf(item: Item, host: MethodHost, node: Node): readonly (readonly [string, Item])[] {
  if (isList(item)) host.chargeList(item.length, node)
  if (isList(item)) return item.map((value, index) => [String(index), value] as const)
  if (isDictionary(item)) return Object.entries(item)
  throw new NeedsScript('takes the members of something that has none', node)
}

/** Data → plain JSON text; `undefined` and functions vanish as they do in JavaScript. */
class JsonWriter {
  readonly #indent: number
  readonly #host: MethodHost
  readonly #node: Node

  constructor(indent: Item, host: MethodHost, node: Node) {
    this.#indent = typeof indent === 'number' ? Math.min(10, Math.max(0, Math.trunc(indent))) : 0
    this.#host = host
    this.#node = node
  }

  write(item: Item, depth = 0): string | undefined {
    this.#host.chargeWork(memberWork, this.#node)
    if (depth > 64) throw new NeedsScript('writes JSON nested too deep', this.#node)
    if (item === undefined || isCallable(item)) return undefined
    if (item instanceof Html) throw new NeedsScript('writes elements as JSON', this.#node)
    if (typeof item === 'string') this.#host.charge(item.length, this.#node)
    const text = item === null || typeof item !== 'object' ? JSON.stringify(item) : this.#members(item, depth)
    this.#host.charge(text.length, this.#node)
    return text
  }

  #members(item: readonly Item[] | { readonly [key: string]: Item }, depth: number): string {
    const [open, close] = isList(item) ? ['[', ']'] : ['{', '}']
    this.#host.chargeList(isList(item) ? item.length : 0, this.#node)
    const members = isList(item)
      ? item.map((value) => this.write(value, depth + 1) ?? 'null')
      : Object.entries(item).flatMap(([key, value]) => {
          const text = this.write(value, depth + 1)
          return text === undefined ? [] : [`${JSON.stringify(key)}:${this.#indent > 0 ? ' ' : ''}${text}`]
        })
    this.#host.chargeList(members.length, this.#node)
    if (members.length === 0) return open + close
    if (this.#indent === 0) return open + members.join(',') + close
    const margin = '\n' + ' '.repeat(this.#indent * (depth + 1))
    return open + margin + members.join(',' + margin) + '\n' + ' '.repeat(this.#indent * depth) + close
  }
}

function maths(host: MethodHost): Native {
  const names = [
    'abs',
    'ceil',
    'floor',
    'round',
    'trunc',
    'sign',
    'sqrt',
    'cbrt',
    'log2',
    'log10',
    'min',
    'max',
    'pow',
  ] as const
  const functions = names.map((name) => {
    const run: (...values: number[]) => number = Math[name]
    const call: Call = (args, node) => run(...args.map((item) => host.number(item, node)))
    return [name, native(`Math.${name}`, call)] as const
  })
  return native('Math', undefined, { ...Object.fromEntries(functions), PI: Math.PI, E: Math.E })
}

function objects(host: MethodHost): Native {
  return native('Object', undefined, {
    keys: native('Object.keys', ([item], node) => entriesOf(item, host, node).map(([key]) => key)),
    values: native('Object.values', ([item], node) => entriesOf(item, host, node).map(([, value]) => value)),
    entries: native('Object.entries', ([item], node) => entriesOf(item, host, node).map((entry) => [...entry])),
    fromEntries: native('Object.fromEntries', ([item], node) => {
      const pairs = isList(item) ? item : []
      host.chargeList(pairs.length, node)
      return dictionary(
        pairs.map((pair) => {
          const key = isList(pair) ? pair[0] : undefined
          if (!isList(pair) || typeof key !== 'string' || isRefusedKey(key))
            throw new NeedsScript('makes an object of something else than pairs', node)
          return [key, pair[1]] as const
        }),
      )
    }),
  })
}

/** The names that every expression knows. They are ours, not the engine’s: nothing leads from them to the host. */
export function makeGlobals(host: MethodHost): ReadonlyMap<string, Item> {
  const number = native('Number', ([item], node) => host.number(item ?? 0, node), {
    isInteger: native('Number.isInteger', ([item]) => Number.isInteger(item)),
    isFinite: native('Number.isFinite', ([item]) => Number.isFinite(item)),
    parseFloat: native('Number.parseFloat', ([item], node) => Number.parseFloat(readText(item, host, node))),
  })
  return new Map<string, Item>([
    ['undefined', undefined],
    ['NaN', Number.NaN],
    ['Infinity', Infinity],
    ['String', native('String', ([item], node) => host.text(item ?? '', node))],
    ['Boolean', native('Boolean', ([item]) => Boolean(item))],
    ['Number', number],
    [
      'parseInt',
      native('parseInt', ([item, radix], node) =>
        Number.parseInt(readText(item, host, node), radix === undefined ? 10 : host.number(radix, node)),
      ),
    ],
    ['parseFloat', native('parseFloat', ([item], node) => Number.parseFloat(readText(item, host, node)))],
    [
      'encodeURIComponent',
      native('encodeURIComponent', ([item], node) =>
        encodeURIComponent(readText(item, host, node).replaceAll(/\p{Surrogate}/gu, '\uFFFD')),
      ),
    ],
    ['Array', native('Array', undefined, { isArray: native('Array.isArray', ([item]) => isList(item)) })],
    ['Object', objects(host)],
    ['Math', maths(host)],
    [
      'JSON',
      native('JSON', undefined, {
        stringify: native('JSON.stringify', ([item, , indent], node) => new JsonWriter(indent, host, node).write(item)),
      }),
    ],
  ])
}
