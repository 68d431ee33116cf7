import { tsPlugin } from '@sveltejs/acorn-typescript'
import { Parser } from 'acorn'
import type { Program } from 'estree-jsx'

/** Reads TypeScript with JSX. What it adds to JavaScript is taken out by `withoutTypes`. */
export const TypeScriptParser = Parser.extend(tsPlugin({ jsx: true }))

interface Syntax {
  type?: string
  expression?: unknown
  importKind?: string
  exportKind?: string
  declare?: boolean
  body?: unknown
  [key: string]: unknown
}

/** Around an expression: `x as T`, `x!`, `x satisfies T`, `<T>x`, `f<T>`. */
const wrappers = new Set([
  'TSAsExpression',
  'TSNonNullExpression',
  'TSSatisfiesExpression',
  'TSTypeAssertion',
  'TSInstantiationExpression',
])
/** Say nothing that runs. */
const declarations = new Set(['TSInterfaceDeclaration', 'TSTypeAliasDeclaration', 'TSDeclareFunction'])
/** Beside names, parameters and calls. */
const annotations = ['typeAnnotation', 'returnType', 'typeParameters', 'typeArguments', 'superTypeParameters']

/** TypeScript’s tree → the one of the same JavaScript, in place and without recursion. Enums and namespaces stay: they run. */
export function withoutTypes(program: Program): Program {
  const stack: unknown[] = [program]
  while (stack.length > 0) {
    const node = stack.pop()
    if (typeof node !== 'object' || node === null) continue
    const syntax = node as Syntax
    for (const key of annotations) delete syntax[key]
    for (const [key, value] of Object.entries(syntax)) {
      if (key === 'loc' || typeof value !== 'object' || value === null) continue
      syntax[key] = Array.isArray(value) ? value.filter((item) => !isType(item)).map(unwrapped) : unwrapped(value)
      stack.push(syntax[key])
    }
  }
  return program
}

function unwrapped(node: unknown): unknown {
  let inner = node
  while (wrappers.has((inner as Syntax | null)?.type ?? '')) inner = (inner as Syntax).expression
  return inner
}

function isType(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false
  const { type = '', importKind, exportKind, declare, declaration } = node as Syntax
  return (
    declarations.has(type) ||
    importKind === 'type' ||
    exportKind === 'type' ||
    declare === true ||
    (type === 'ExportNamedDeclaration' && isType(declaration))
  )
}
