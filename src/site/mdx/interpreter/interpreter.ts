import type {
  BinaryExpression,
  SimpleCallExpression as CallExpression,
  Expression,
  JSXElement,
  JSXFragment,
  MemberExpression,
  Node,
  ObjectExpression,
  TemplateLiteral,
  UnaryExpression,
} from 'estree-jsx'
import type { Html } from '#lib/html.ts'
import { placeOf } from '../expression.ts'
import {
  type Budget,
  reasonOf,
  type Scope,
  Closure,
  dictionary,
  isCallable,
  isDictionary,
  isList,
  isRefusedKey,
  Native,
  NeedsScript,
  UnknownName,
  type Item,
} from './values.ts'
import { runFunction } from './functions.ts'
import { makeGlobals } from './globals.ts'
import { reactOf } from './hooks.ts'
import { join, listMethods, numberMethods, textMethods, type MethodHost, binary } from './operations.ts'

/** Renders JSX that stands in an expression. */
export interface JsxHost {
  jsx(node: JSXElement | JSXFragment, scope: Scope): Html
}

/** What `?.` yields where the chain ends early; never leaves `ChainExpression`. */
const skipped = Symbol('skipped')

/**
 * An allow-list interpreter: a node type that is not named here is refused, a name that is not bound here is unknown,
 * a property is read only where it is the value’s own, a method only where it stands in a table. No function, object
 * or prototype of the engine is ever a value, so there is nothing to climb to. Every node costs a step.
 */
export class Interpreter implements MethodHost {
  readonly budget: Budget
  readonly #host: JsxHost
  readonly #globals: ReadonlyMap<string, Item>
  /** React with its hooks, which are names that every component knows, too. */
  readonly react: Native

  constructor(budget: Budget, host: JsxHost) {
    this.budget = budget
    this.#host = host
    this.react = reactOf(this)
    this.#globals = new Map([...this.react.members, ['React', this.react], ...makeGlobals(this)])
  }

  /** @throws NeedsScript where the expression is not pure, BudgetExceeded where it is too much. */
  evaluate(node: Expression, scope: Scope): Item {
    this.budget.step(() => placeOf(node))
    switch (node.type) {
      case 'Literal':
        return literal(node)
      case 'TemplateLiteral':
        return this.#template(node, scope)
      case 'Identifier':
        return this.#identifier(node.name, node, scope)
      case 'ObjectExpression':
        return this.#object(node, scope)
      case 'ArrayExpression':
        return this.#array(node.elements, node, scope)
      case 'UnaryExpression':
        return this.#unary(node, scope)
      case 'BinaryExpression':
        return this.#binary(node, scope)
      case 'LogicalExpression': {
        const left = this.evaluate(node.left, scope)
        if (node.operator === '??') return left ?? this.evaluate(node.right, scope)
        return Boolean(left) === (node.operator === '||') ? left : this.evaluate(node.right, scope)
      }
      case 'ConditionalExpression':
        return this.evaluate(this.evaluate(node.test, scope) ? node.consequent : node.alternate, scope)
      case 'ArrowFunctionExpression':
      case 'FunctionExpression':
        if (node.async === true || node.generator === true)
          throw new NeedsScript('has an async or generator function', node)
        return new Closure(node, scope)
      case 'ChainExpression': {
        const value = this.#link(node.expression, scope)
        return value === skipped ? undefined : value
      }
      case 'MemberExpression':
      case 'CallExpression':
        return this.#link(node, scope) as Item
      case 'JSXElement':
      case 'JSXFragment':
        return this.#host.jsx(node, scope)
      default:
        throw new NeedsScript(reasonOf(node), node)
    }
  }

  call(callee: Item, args: readonly Item[], node: Node): Item {
    this.budget.step(() => placeOf(node))
    if (callee instanceof Native && callee.call !== undefined) return this.#charged(callee.call(args, node), node)
    if (!(callee instanceof Closure)) throw new NeedsScript('calls something that is not a function of the page', node)
    return this.budget.nested(
      () => placeOf(node),
      () => runFunction(this, callee, args),
    )
  }

  text(item: Item, node: Node): string {
    if (typeof item === 'string') return item
    if (item === null || typeof item !== 'object') return String(item)
    if (isList(item)) {
      return this.budget.nested(
        () => placeOf(node),
        () => join(item, ',', this, node),
      )
    }
    throw new NeedsScript('makes text of something that is no text', node)
  }

  number(item: Item, node: Node): number {
    if (typeof item === 'object' && item !== null)
      throw new NeedsScript('makes a number of something that is no number', node)
    if (typeof item === 'string') this.chargeWork(item.length, node)
    return Number(item)
  }

  charge(length: number, node: Node): void {
    this.budget.text(length, () => placeOf(node))
  }

  chargeWork(units: number, node: Node): void {
    this.budget.work(units, () => placeOf(node))
  }

  chargeList(length: number, node: Node): void {
    this.budget.list(length, () => placeOf(node))
  }

  /** A property of a value, own ones only; undefined where there is none. */
  property(object: Item, key: string, node: Node): Item {
    if (isRefusedKey(key)) throw new NeedsScript(`reads \`${key}\``, node)
    if (object === null || object === undefined) throw new NeedsScript(`reads \`${key}\` of ${String(object)}`, node)
    if (typeof object === 'string' || isList(object)) {
      if (key === 'length') return object.length
      const index = /^(?:0|[1-9]\d{0,8})$/.test(key) ? Number(key) : -1
      return index < 0 ? undefined : object[index]
    }
    if (object instanceof Native) {
      const member = object.members.get(key)
      if (member === undefined) throw new NeedsScript(`uses \`${object.name}.${key}\``, node)
      return member
    }
    if (!isDictionary(object)) return undefined
    return Object.hasOwn(object, key) ? object[key] : undefined
  }

  /** Binds pattern values; shared with function parameters. */
  spread(item: Item, node: Node): readonly Item[] {
    if (isList(item)) return item
    if (typeof item === 'string') {
      this.chargeList(item.length, node)
      return Array.from(item)
    }
    throw new NeedsScript('spreads something that is no list', node)
  }

  #charged(item: Item, node: Node): Item {
    if (typeof item === 'string') this.charge(item.length, node)
    else if (isList(item)) this.chargeList(item.length, node)
    return item
  }

  #knows(name: string, scope: Scope): boolean {
    return this.#globals.has(name) || scope.find(name) !== undefined
  }

  #identifier(name: string, node: Node, scope: Scope): Item {
    const found = scope.find(name)
    if (found !== undefined) return found.value
    if (this.#globals.has(name)) return this.#globals.get(name)
    throw new UnknownName(name, node)
  }

  #template(node: TemplateLiteral, scope: Scope): string {
    let text = ''
    for (const [index, quasi] of node.quasis.entries()) {
      text += quasi.value.cooked ?? ''
      const expression = node.expressions[index]
      if (expression !== undefined) text += this.text(this.evaluate(expression, scope), expression)
      this.charge(text.length, node)
    }
    return text
  }

  #object(node: ObjectExpression, scope: Scope): Item {
    const result = dictionary()
    this.chargeList(node.properties.length, node)
    for (const property of node.properties) {
      if (property.type === 'SpreadElement') {
        const value = this.evaluate(property.argument, scope)
        if (isDictionary(value)) this.chargeList(Object.keys(value).length, node)
        if (isDictionary(value)) Object.assign(result, value)
        else if (value !== undefined && value !== null && value !== false)
          throw new NeedsScript('spreads something that is no object', property)
        continue
      }
      if (property.kind !== 'init') throw new NeedsScript('has a getter or setter', property)
      const key = this.key(property.key, property.computed, scope)
      if (isRefusedKey(key)) throw new NeedsScript(`sets \`${key}\``, property)
      result[key] = this.evaluate(property.value as Expression, scope)
    }
    return result
  }

  /** The name of a property in an object, a pattern or behind a dot. */
  key(node: Expression, computed: boolean, scope: Scope): string {
    if (!computed && node.type === 'Identifier') return node.name
    const key = this.text(this.evaluate(node, scope), node)
    this.chargeWork(key.length, node)
    return key
  }

  #array(
    elements:
      | CallExpression['arguments']
      | readonly (Expression | { type: 'SpreadElement'; argument: Expression } | null)[],
    node: Node,
    scope: Scope,
  ): Item[] {
    const result: Item[] = []
    for (const element of elements) {
      if (element?.type === 'SpreadElement') {
        const items = this.spread(this.evaluate(element.argument, scope), node)
        this.chargeList(result.length + items.length, node)
        for (const item of items) result.push(item)
      } else result.push(element === null ? undefined : this.evaluate(element, scope))
    }
    this.chargeList(result.length, node)
    return result
  }

  #unary(node: UnaryExpression, scope: Scope): Item {
    // How code asks whether it is in a browser.
    if (node.operator === 'typeof' && node.argument.type === 'Identifier' && !this.#knows(node.argument.name, scope))
      return 'undefined'
    const value = this.evaluate(node.argument, scope)
    switch (node.operator) {
      case '!':
        return !value
      case '-':
        return -this.number(value, node)
      case '+':
        return this.number(value, node)
      case 'typeof':
        return isCallable(value) ? 'function' : typeof value
      default:
        throw new NeedsScript(`uses \`${node.operator}\``, node)
    }
  }

  #binary(node: BinaryExpression, scope: Scope): Item {
    if (node.left.type === 'PrivateIdentifier') throw new NeedsScript('uses a private name', node)
    const result = binary(this, node, this.evaluate(node.left, scope), this.evaluate(node.right, scope))
    if (typeof result === 'string') this.charge(result.length, node)
    return result
  }

  /** A step of a member or call chain. */
  #link(node: Expression, scope: Scope): Item | typeof skipped {
    if (node.type === 'MemberExpression') return this.#member(node, scope)
    if (node.type === 'CallExpression') return this.#callExpression(node, scope)
    return this.evaluate(node, scope)
  }

  #member(node: MemberExpression, scope: Scope): Item | typeof skipped {
    const target = this.#target(node, scope)
    return target === skipped ? skipped : this.property(target.object, target.key, node)
  }

  #target(node: MemberExpression, scope: Scope): { readonly object: Item; readonly key: string } | typeof skipped {
    if (node.object.type === 'Super' || node.property.type === 'PrivateIdentifier')
      throw new NeedsScript('uses a class', node)
    this.budget.step(() => placeOf(node))
    const object = this.#link(node.object, scope)
    if (object === skipped || (node.optional && (object === null || object === undefined))) return skipped
    return { object, key: this.key(node.property, node.computed, scope) }
  }

  #callExpression(node: CallExpression, scope: Scope): Item | typeof skipped {
    const { callee } = node
    if (callee.type === 'Super') throw new NeedsScript('uses a class', node)
    this.budget.step(() => placeOf(node))
    if (callee.type === 'MemberExpression') {
      const target = this.#target(callee, scope)
      if (target === skipped) return skipped
      return this.#method(target.object, target.key, node, scope)
    }
    const value = this.#link(callee, scope)
    if (value === skipped || (node.optional && (value === null || value === undefined))) return skipped
    return this.call(value, this.#array(node.arguments, node, scope), node)
  }

  #method(object: Item, key: string, node: CallExpression, scope: Scope): Item {
    if (isRefusedKey(key)) throw new NeedsScript(`calls \`${key}\``, node)
    if (typeof object === 'string') return this.#tabled(object, textMethods.get(key), key, node, scope)
    if (typeof object === 'number') return this.#tabled(object, numberMethods.get(key), key, node, scope)
    if (isList(object)) return this.#tabled(object, listMethods.get(key), key, node, scope)
    const callee = this.property(object, key, node)
    if (node.optional && (callee === null || callee === undefined)) return undefined
    return this.call(callee, this.#array(node.arguments, node, scope), node)
  }

  #tabled<T extends Item>(
    self: T,
    method: ((self: T, args: readonly Item[], host: MethodHost, node: Node) => Item) | undefined,
    key: string,
    node: CallExpression,
    scope: Scope,
  ): Item {
    if (method === undefined) throw new NeedsScript(`calls \`${key}\``, node)
    return this.#charged(method(self, this.#array(node.arguments, node, scope), this, node), node)
  }
}

function literal(node: Expression & { type: 'Literal' }): Item {
  if ('regex' in node) throw new NeedsScript('has a regular expression', node)
  if (typeof node.value === 'bigint' || 'bigint' in node) throw new NeedsScript('has a big integer', node)
  return node.value
}
