/** What people read of a schema (JSON Schema, as TypeBox makes it). */
export interface Shape {
  readonly type?: string
  readonly const?: unknown
  readonly anyOf?: readonly Shape[]
  readonly items?: Shape
  readonly properties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
  readonly description?: string
  readonly default?: unknown
}

/** A schema as people write types, with what it says of each member as a comment. */
export function schemaText(shape: Shape, indent = ''): string {
  if (shape.const !== undefined) return JSON.stringify(shape.const)
  if (shape.anyOf !== undefined) return shape.anyOf.map((option) => schemaText(option, indent)).join(' | ')
  if (shape.type === 'array') return `[${schemaText(shape.items ?? {}, indent)}, …]`
  if (shape.properties === undefined) return shape.type ?? 'any'
  const members = Object.entries(shape.properties).map(([name, member]) => {
    const optional = shape.required?.includes(name) === true ? '' : '?'
    const comment = member.description === undefined ? '' : `  // ${member.description}`
    return `${indent}  ${name}${optional}: ${schemaText(member, `${indent}  `)}${comment}`
  })
  return `{\n${members.join('\n')}\n${indent}}`
}
