import type { Expression } from 'estree-jsx'
import { type NeedsScript, UnknownName } from './interpreter/values.ts'
import type { MdxExpression } from './nodes.ts'

/** What only a browser, or a server, has. */
const surroundings = new Set([
  'window',
  'document',
  'globalThis',
  'navigator',
  'localStorage',
  'sessionStorage',
  'process',
])

/** Whether an expression itself has a name, and not what it stands for. */
const names = ({ value }: MdxExpression, name: string): boolean => value.split(/[^\w$]+/).includes(name)

/** Whether an expression only names things, and none that there is elsewhere. */
function isNaming(expression: Expression): boolean {
  const { type } = expression
  if (type === 'Identifier') return !surroundings.has(expression.name)
  if (type === 'Literal') return true
  if (type === 'MemberExpression')
    return !expression.computed && expression.object.type !== 'Super' && isNaming(expression.object)
  // `{get|set}`, `{first-name}`, `{a, b}`
  if (type === 'BinaryExpression')
    return expression.left.type !== 'PrivateIdentifier' && isNaming(expression.left) && isNaming(expression.right)
  return type === 'SequenceExpression' && expression.expressions.every(isNaming)
}

/**
 * What readers should see of braces whose expression cannot be evaluated, where they hold no code of the author’s: `{id}`,
 * `{"a": 1}` and `{"a", "b"}` in prose. A call of something unknown is code.
 */
export function shownAs(
  node: MdxExpression,
  expression: Expression,
  error: NeedsScript,
): 'an object' | 'several values' | 'a name' | undefined {
  if (expression.type === 'ObjectExpression' && node.value.trimStart().startsWith('{')) return 'an object'
  if (expression.type === 'SequenceExpression' && isNaming(expression)) return 'several values'
  return error instanceof UnknownName && isNaming(expression) && names(node, error.unknown) ? 'a name' : undefined
}
