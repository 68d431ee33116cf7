import type { ComponentInfo, ComponentProperty } from '../contract/components.ts'
import type { Completion, CompletionList } from './language.ts'
import type { OpenTag } from './open-tag.ts'
import { ranked } from './ranking.ts'

/** What stands around the name of a tag that is being typed. */
export interface TagContext {
  /** What was typed of the name. */
  readonly typed: string
  /** Column behind the `<`. */
  readonly from: number
  /** What stands before the `<` on its line. */
  readonly before: string
  /** What stands behind the cursor on its line. */
  readonly after: string
}

/** Components for what was typed behind `<`: the whole element, with the cursor where its first words go. */
export function componentCompletions(catalogue: readonly ComponentInfo[], place: TagContext): CompletionList {
  const items = ranked(catalogue, place.typed, ({ name }) => name).map((component): Completion => {
    const written = /^[\w.]*[\s/>]/.test(place.after) ? { insert: component.name } : element(component, place.before)
    return { label: component.name, detail: component.about, ...written }
  })
  return { from: place.from, items }
}

function element({ name, children, properties }: ComponentInfo, before: string): Pick<Completion, 'insert' | 'caret'> {
  const required = properties.filter((property) => property.required === true)
  const first = required[0]
  const attributes = required.map((property) => ` ${valued(property).insert}`).join('')
  const isInText = before.trim() !== ''
  const indent = /^\s*/.exec(before)?.[0] ?? ''
  const open = `${name}${attributes}`
  const insert = !children
    ? `${open} />`
    : isInText
      ? `${open}></${name}>`
      : `${open}>\n${indent}  \n${indent}</${name}>`
  if (first !== undefined) return { insert, caret: name.length + 1 + valued(first).caret }
  if (!children) return { insert, caret: open.length + 1 }
  return { insert, caret: open.length + (isInText ? 1 : indent.length + 4) }
}

function valued({ name, type }: ComponentProperty): { readonly insert: string; readonly caret: number } {
  if (type === 'boolean') return { insert: name, caret: name.length }
  const [open, close] = type === 'text' || type === 'choice' ? ['"', '"'] : ['{', '}']
  return { insert: `${name}=${open}${close}`, caret: name.length + 2 }
}

/** Properties that a tag does not have yet. */
export function propertyCompletions(
  { properties }: ComponentInfo,
  tag: OpenTag,
  { column, after }: { readonly column: number; readonly after: string },
): CompletionList {
  const open = properties.filter(({ name }) => !tag.properties.includes(name))
  const items = ranked(open, tag.typed, ({ name }) => name).map((property): Completion => {
    const detail = property.choices?.join(', ') ?? property.about
    const written = /^\s*=/.test(after) ? { insert: property.name } : valued(property)
    return { label: property.name, ...(detail === undefined ? {} : { detail }), ...written }
  })
  return { from: column - tag.typed.length, items }
}

/** What a property can have as its value, where that is one of a few words. */
export function valueCompletions(component: ComponentInfo, tag: OpenTag, column: number): CompletionList | undefined {
  const typed = tag.value?.typed ?? ''
  const property = component.properties.find(({ name }) => name === tag.value?.property)
  const choices = property?.choices ?? (property?.type === 'boolean' ? ['true', 'false'] : [])
  if (choices.length === 0) return undefined
  const items = ranked(choices, typed, (choice) => choice).map((choice) => ({ label: choice, insert: choice }))
  return { from: column - typed.length, items }
}
