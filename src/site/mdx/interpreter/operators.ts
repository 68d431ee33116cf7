import type { BinaryExpression } from 'estree-jsx'
import type { MethodHost } from './methods.ts'
import { isCallable, isDictionary, NeedsScript, type Item } from './values.ts'
import { Html } from '../../../lib/html.ts'

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
