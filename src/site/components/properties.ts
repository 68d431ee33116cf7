import type { ComponentInfo } from '../../contract/components.ts'
import type { RuleName } from '../../contract/rules.ts'
import { nearestName } from '../../lib/nearest-name.ts'
import { otherCalloutTypes } from './boxes.tsx'
import { componentFacts } from './facts.ts'

/** Other names for a property, as other docs have it: read, and not offered. */
export const otherProperties: Readonly<Record<string, string>> = { iconLibrary: 'library', initialValue: 'default' }

/** Words beside the choices that mean what is done without them, or one of them. */
const otherChoices: Readonly<Record<string, readonly string[]>> = {
  'Badge.size': ['md'],
  'Badge.shape': ['rounded'],
  'Callout.type': otherCalloutTypes,
  'Steps.titleSize': ['p'],
}

/** What the properties of a component are judged by. */
interface Known {
  readonly names: ReadonlySet<string>
  /** The choices of a property, and those that are taken beside them. */
  readonly choices: ReadonlyMap<string, readonly [offered: readonly string[], taken: ReadonlySet<string>]>
}

const known: ReadonlyMap<string, Known> = new Map(componentFacts.map((info) => [info.name, knownOf(info)]))

function knownOf({ name, properties }: ComponentInfo): Known {
  const names = new Set(properties.map((property) => property.name))
  for (const [other, own] of Object.entries(otherProperties)) if (names.has(own)) names.add(other)
  // A parameter has its name as the value of its place; other docs say `name`.
  if (name === 'ParamField') names.add('name')
  const choices = properties.flatMap((property) =>
    property.choices === undefined
      ? []
      : [
          [
            property.name,
            [property.choices, new Set([...property.choices, ...(otherChoices[`${name}.${property.name}`] ?? [])])],
          ] as const,
        ],
  )
  return { names, choices: new Map(choices) }
}

/** What is wrong with a property as it is written: with its name, or with its value where that is one of few. */
export function judgeProperty(
  component: string,
  property: string,
  value: unknown,
): { readonly rule: RuleName; readonly message: string; readonly hint?: string } | undefined {
  const facts = known.get(component)
  if (facts === undefined) return undefined
  if (!facts.names.has(property)) {
    const meant = nearestName(property, [...facts.names])
    const question = meant === undefined ? '' : ` Did you mean \`${meant}\`?`
    return {
      rule: 'component-property',
      message: `\`<${component}>\` has no property \`${property.slice(0, 60)}\`: it does nothing.${question}`,
      ...(meant === undefined ? {} : { hint: `Write \`${meant}\`.` }),
    }
  }
  const [offered, taken] = facts.choices.get(property) ?? []
  const word = typeof value === 'string' ? value.trim().toLowerCase() : ''
  if (offered === undefined || word === '' || taken?.has(word) === true) return undefined
  const meant = nearestName(word, offered)
  return {
    rule: 'component-value',
    message: `\`${property}\` of \`<${component}>\` cannot be \`${word.slice(0, 60)}\`: it does nothing. It is one of ${offered.join(', ')}.`,
    ...(meant === undefined ? {} : { hint: `Write \`${meant}\`.` }),
  }
}
