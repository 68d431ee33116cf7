import type { ArrowFunctionExpression, FunctionDeclaration, FunctionExpression, Node } from 'estree-jsx'
import { Html } from '#lib/html.ts'
import type { Rendered, Value } from '../../components/component.tsx'
import { placeOf } from '../expression.ts'
import type { SourceLocation } from '../problem.ts'

/** What an expression may hold while it is evaluated: data, and callables that never leave the interpreter. */
export type Item = Value | Callable | readonly Item[] | { readonly [key: string]: Item }
export type Callable = Closure | Native | Imported
export type FunctionNode = ArrowFunctionExpression | FunctionExpression | FunctionDeclaration

/** A name that a module declares, or `default`. */
export interface Origin {
  readonly path: string
  readonly name: string
}

/** A function of the page: syntax and scope, never a function of the host. */
export class Closure {
  readonly node: FunctionNode
  readonly scope: Scope
  /** Where it is declared, when that is beside the content of a module: others can import it from there. */
  origin?: Origin
  constructor(node: FunctionNode, scope: Scope) {
    this.node = node
    this.scope = scope
  }
}

/** A function of ours with a name that pages know (`String`, `Math.max`). `members` are what stands behind its dot. */
export class Native {
  readonly name: string
  readonly call: ((args: readonly Item[], node: Node) => Item) | undefined
  readonly members: ReadonlyMap<string, Item>
  constructor(name: string, call: Native['call'], members: ReadonlyMap<string, Item> = new Map()) {
    this.name = name
    this.call = call
    this.members = members
  }
}

/** A snippet that was imported: a component whose body is a page. */
export class Imported {
  readonly path: string
  readonly render: (
    props: ReadonlyMap<string, Item>,
    children: readonly Rendered[],
    place: SourceLocation,
  ) => readonly Rendered[]
  constructor(path: string, render: Imported['render']) {
    this.path = path
    this.render = render
  }
}

/** Html that still knows its parts, so that `{tabs.map(…)}` inside `<Tabs>` is seen as tabs. */
export class Fragment extends Html {
  readonly parts: readonly Rendered[]
  constructor(parts: readonly Rendered[]) {
    super(parts.map((part) => part.html).join(''))
    this.parts = parts
  }
}

/** Names that an expression computes may be long: nobody reads that much. */
const maxReason = 300

/** The expression is no pure data: it needs a JavaScript engine, which only the reader’s browser is. */
export class NeedsScript extends Error {
  override readonly name = 'NeedsScript'
  readonly place: SourceLocation
  /** @param reason Completes “This needs JavaScript in the browser: it …”. */
  constructor(reason: string, place: Node | SourceLocation) {
    super(reason.length > maxReason ? `${reason.slice(0, maxReason)}…` : reason)
    this.place = 'type' in place ? placeOf(place) : place
  }
}

/** The expression uses a name that neither the page nor the interpreter has. */
export class UnknownName extends NeedsScript {
  readonly unknown: string
  constructor(unknown: string, place: Node | SourceLocation) {
    super(`uses \`${unknown}\`, which the page does not define`, place)
    this.unknown = unknown
  }
}

/** The page asked for more than the interpreter gives to one page. */
export class BudgetExceeded extends Error {
  override readonly name = 'BudgetExceeded'
  readonly place: SourceLocation | undefined
  constructor(message: string, place: SourceLocation | undefined) {
    super(message)
    this.place = place
  }
}

export type Dictionary = { [key: string]: Item }

export function dictionary(entries: Iterable<readonly [string, Item]> = []): Dictionary {
  const result = Object.create(null) as Dictionary
  for (const [key, value] of entries) result[key] = value
  return result
}

export function isList(item: Item): item is readonly Item[] {
  return Array.isArray(item)
}

export function isCallable(item: Item): item is Callable {
  return item instanceof Closure || item instanceof Native || item instanceof Imported
}

export function isDictionary(item: Item): item is { readonly [key: string]: Item } {
  return typeof item === 'object' && item !== null && !isList(item) && !(item instanceof Html) && !isCallable(item)
}

const refusedKeys = new Set([
  '__proto__',
  'constructor',
  'prototype',
  '__defineGetter__',
  '__defineSetter__',
  '__lookupGetter__',
  '__lookupSetter__',
])

/** Keys through which JavaScript code climbs to its engine. There is nothing to climb to here; they are still refused. */
export function isRefusedKey(key: string): boolean {
  return refusedKeys.has(key)
}

type Binding = { readonly value: Item } | { readonly evaluate: () => Item }

/** Names and what they stand for. Exports are evaluated when something first asks for them. */
export class Scope {
  readonly #parent: Scope | undefined
  readonly #bindings = new Map<string, Binding>()

  constructor(parent?: Scope) {
    this.#parent = parent
  }

  define(name: string, value: Item): void {
    this.#bindings.set(name, { value })
  }

  /** `evaluate` may throw: then it throws for everyone who asks. */
  defer(name: string, evaluate: () => Item): void {
    this.#bindings.set(name, { evaluate })
  }

  /** The value in a box, so that `undefined` as a value differs from an unknown name. */
  find(name: string): { readonly value: Item } | undefined {
    const binding = this.#bindings.get(name)
    if (binding === undefined) return this.#parent?.find(name)
    return 'value' in binding ? binding : { value: binding.evaluate() }
  }

  /** The names bound here itself. */
  get names(): readonly string[] {
    return [...this.#bindings.keys()]
  }
}

const reasons: Readonly<Record<string, string>> = {
  AssignmentExpression: 'assigns a variable',
  AwaitExpression: 'waits for something',
  ClassExpression: 'has a class',
  ImportExpression: 'imports while it runs',
  MetaProperty: 'reads `import.meta`',
  NewExpression: 'creates an object with `new`',
  SequenceExpression: 'has several expressions in one',
  TaggedTemplateExpression: 'has a tagged template',
  ThisExpression: 'uses `this`',
  UpdateExpression: 'assigns a variable',
  YieldExpression: 'has a generator',
}

/** Completes “it …” for a node type that is not pure data. */
export function reasonOf(node: Node): string {
  return reasons[node.type] ?? `has a ${node.type.replace(/(Statement|Expression|Declaration)$/, ' $1').toLowerCase()}`
}

/** What one page may ask of the interpreter. Lengths in UTF-16 units. */
const budgets = {
  steps: 50_000,
  text: 200_000,
  list: 10_000,
  depth: 200,
  /** All texts together, so that many long ones cannot fill the memory. */
  allText: 20_000_000,
  /** What is read, compared and copied. */
  work: 200_000_000,
  /** HTML that is put together at once: twice what a page may be, as components drop parts. */
  html: 4 * 1024 * 1024,
} as const

/** Work of looking at one member of a list or of a markup’s parts; a character of a text is one unit, about a nanosecond. */
export const memberWork = 100
/** Work of a character that is changed or judged, not only compared or copied. */
export const characterWork = 10

export class Budget {
  #steps = 0
  #depth = 0
  #produced = 0
  #worked = 0

  /** One evaluated node. */
  step(place: () => SourceLocation): void {
    if (++this.#steps > budgets.steps) {
      throw new BudgetExceeded(`The expressions of the page take more than ${budgets.steps} steps.`, place())
    }
  }

  /**
   * So much is about to be read, compared or copied: the worst case, and before it is done. A text that is searched
   * costs its length for each character that is searched for.
   */
  work(units: number, place: () => SourceLocation): void {
    requireAmount(units, place)
    this.#worked += units
    if (this.#worked > budgets.work)
      throw new BudgetExceeded('The expressions of the page read, compare and copy too much.', place())
  }

  /** HTML of this length is about to be put together. */
  html(length: number, place: () => SourceLocation): void {
    this.work(length, place)
    if (length > budgets.html)
      throw new BudgetExceeded(`An expression makes more than ${budgets.html / 1024 / 1024} MB of HTML.`, place())
  }

  /** A text of this length is about to be made. */
  text(length: number, place: () => SourceLocation): void {
    requireAmount(length, place)
    this.#produced += length
    if (length > budgets.text)
      throw new BudgetExceeded(`An expression makes a text of more than ${budgets.text} characters.`, place())
    if (this.#produced > budgets.allText) {
      throw new BudgetExceeded(
        `The expressions of the page make more than ${budgets.allText} characters of text.`,
        place(),
      )
    }
  }

  /** A list or object of this many members is about to be made. Each costs a step. */
  list(length: number, place: () => SourceLocation): void {
    requireAmount(length, place)
    this.#steps += length
    if (length > budgets.list)
      throw new BudgetExceeded(`An expression makes a list of more than ${budgets.list} members.`, place())
    this.step(place)
  }

  /** Runs a call one level deeper. */
  nested<T>(place: () => SourceLocation, run: () => T): T {
    if (this.#depth >= budgets.depth)
      throw new BudgetExceeded(`Calls and components are nested more than ${budgets.depth} deep.`, place())
    this.#depth++
    try {
      return run()
    } finally {
      this.#depth--
    }
  }
}

/** Nothing that cannot be counted passes: it would switch the budget off. */
function requireAmount(amount: number, place: () => SourceLocation): void {
  if (!(amount >= 0 && amount < Infinity))
    throw new BudgetExceeded('An expression asks for an amount that is no number.', place())
}
