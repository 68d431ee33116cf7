import type { Item } from './values.ts'

type Binding = { readonly value: Item } | { readonly evaluate: () => Item }

/** Names and what they stand for. Exports are evaluated when something first asks for them. */
export class Scope {
  private readonly parent: Scope | undefined
  private readonly bindings = new Map<string, Binding>()

  constructor(parent?: Scope) {
    this.parent = parent
  }

  define(name: string, value: Item): void {
    this.bindings.set(name, { value })
  }

  /** `evaluate` may throw: then it throws for everyone who asks. */
  defer(name: string, evaluate: () => Item): void {
    this.bindings.set(name, { evaluate })
  }

  /** The value in a box, so that `undefined` as a value differs from an unknown name. */
  find(name: string): { readonly value: Item } | undefined {
    const binding = this.bindings.get(name)
    if (binding === undefined) return this.parent?.find(name)
    return 'value' in binding ? binding : { value: binding.evaluate() }
  }

  /** The names bound here itself. */
  own(name: string): boolean {
    return this.bindings.has(name)
  }
}
