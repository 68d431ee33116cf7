import type { Node } from 'estree-jsx'

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
