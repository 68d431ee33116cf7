import type {
  BlockStatement,
  Expression,
  Node,
  ObjectPattern,
  Pattern,
  Statement,
  VariableDeclaration,
} from 'estree-jsx'
import { placeOf } from '../expression.ts'
import { type Budget, reasonOf, Scope, Closure, dictionary, isDictionary, NeedsScript, type Item } from './values.ts'

/** What of the interpreter functions need. */
interface Evaluator {
  readonly budget: Budget
  evaluate(node: Expression, scope: Scope): Item
  spread(item: Item, node: Node): readonly Item[]
  chargeList(length: number, node: Node): void
  key(node: Expression, computed: boolean, scope: Scope): string
  property(object: Item, key: string, node: Node): Item
}

/** Runs a function of the page: `const`, `if`, `return` and inner functions; anything else is refused. */
export function runFunction(interpreter: Evaluator, closure: Closure, args: readonly Item[]): Item {
  const { node } = closure
  if (node.async === true || node.generator === true) throw new NeedsScript('has an async or generator function', node)
  const scope = new Scope(closure.scope)
  for (const [index, parameter] of node.params.entries()) {
    if (parameter.type === 'RestElement') {
      interpreter.chargeList(args.length, node)
      bind(interpreter, parameter.argument, args.slice(index), scope)
    } else bind(interpreter, parameter, args[index], scope)
  }
  if (node.body.type !== 'BlockStatement') return interpreter.evaluate(node.body, scope)
  return runBlock(interpreter, node.body, scope)?.value
}

/** The returned value in a box; undefined where the block ends without `return`. */
function runBlock(interpreter: Evaluator, block: BlockStatement, outer: Scope): { readonly value: Item } | undefined {
  const scope = new Scope(outer)
  for (const statement of block.body) {
    if (statement.type === 'FunctionDeclaration') scope.define(statement.id.name, new Closure(statement, scope))
  }
  for (const statement of block.body) {
    const result = runStatement(interpreter, statement, scope)
    if (result !== undefined) return result
  }
  return undefined
}

function runStatement(
  interpreter: Evaluator,
  statement: Statement,
  scope: Scope,
): { readonly value: Item } | undefined {
  interpreter.budget.step(() => placeOf(statement))
  switch (statement.type) {
    case 'VariableDeclaration':
      declare(interpreter, statement, scope)
      return undefined
    case 'FunctionDeclaration':
    case 'EmptyStatement':
      return undefined
    case 'ReturnStatement':
      return { value: statement.argument ? interpreter.evaluate(statement.argument, scope) : undefined }
    case 'BlockStatement':
      return runBlock(interpreter, statement, scope)
    case 'IfStatement': {
      const branch = interpreter.evaluate(statement.test, scope) ? statement.consequent : statement.alternate
      return branch ? runStatement(interpreter, branch, scope) : undefined
    }
    case 'ExpressionStatement':
      interpreter.evaluate(statement.expression, scope)
      return undefined
    default:
      throw new NeedsScript(reasonOf(statement), statement)
  }
}

function declare(interpreter: Evaluator, declaration: VariableDeclaration, scope: Scope): void {
  for (const { id, init } of declaration.declarations) {
    bind(interpreter, id, init ? interpreter.evaluate(init, scope) : undefined, scope)
  }
}

/** Binds the names of a pattern (`{ a, b: [c], ...rest }`) to the parts of a value. */
export function bind(interpreter: Evaluator, pattern: Pattern, value: Item, scope: Scope): void {
  interpreter.budget.step(() => placeOf(pattern))
  switch (pattern.type) {
    case 'Identifier':
      scope.define(pattern.name, value)
      return
    case 'AssignmentPattern':
      bind(interpreter, pattern.left, value === undefined ? interpreter.evaluate(pattern.right, scope) : value, scope)
      return
    case 'ObjectPattern':
      bindObject(interpreter, pattern, value, scope)
      return
    case 'ArrayPattern': {
      const items = interpreter.spread(value, pattern)
      for (const [index, element] of pattern.elements.entries()) {
        if (element?.type === 'RestElement') {
          interpreter.chargeList(items.length, pattern)
          bind(interpreter, element.argument, items.slice(index), scope)
        } else if (element) bind(interpreter, element, items[index], scope)
      }
      return
    }
    default:
      throw new NeedsScript('assigns a variable', pattern)
  }
}

function bindObject(interpreter: Evaluator, pattern: ObjectPattern, value: Item, scope: Scope): void {
  const taken = new Set<string>()
  for (const property of pattern.properties) {
    if (property.type === 'RestElement') {
      const rest = isDictionary(value) ? Object.entries(value).filter(([key]) => !taken.has(key)) : []
      interpreter.chargeList(rest.length, pattern)
      bind(interpreter, property.argument, dictionary(rest), scope)
      continue
    }
    const key = interpreter.key(property.key, property.computed, scope)
    taken.add(key)
    bind(interpreter, property.value, interpreter.property(value, key, property), scope)
  }
}
