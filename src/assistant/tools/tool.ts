import { Type, type Static, type TObject } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Tool } from '../../models/model.ts'
import { bounds } from '../bounds.ts'
import { Refusal, type Draft } from '../draft.ts'
import type { Frame } from '../frame.ts'
import type { SiteChecks } from '../site-checks.ts'
import { lineOf } from '../words.ts'

/** All that a tool can reach. */
export interface Workbench {
  readonly draft: Draft
  readonly checks: SiteChecks
  /** Marks text of files as such. */
  readonly frame: Frame
  readonly signal: AbortSignal
}

export interface ToolAnswer {
  /** For the model. */
  readonly text: string
  /** For people, in a line. */
  readonly detail: string
}

/** A call whose arguments are what the tool takes. */
export interface ReadyCall {
  /** For people: what it is about. */
  readonly about: string
  /** Throws Refusal. */
  run(bench: Workbench): Promise<ToolAnswer>
}

export interface AssistantTool {
  readonly tool: Tool
  /** Throws Refusal for what is not JSON, or not what the schema says. */
  prepare(json: string): ReadyCall
}

/** Of a file, as an argument. */
export const Path = Type.String({
  minLength: 1,
  maxLength: 1100,
  description: 'From the root, such as guides/install.mdx',
})
/** Of arguments: members that the schema does not name are refused. */
export const closed = { additionalProperties: false } as const

/** A tool by the schema of its arguments. */
export function tool<S extends TObject>(definition: {
  readonly name: string
  readonly description: string
  readonly parameters: S
  readonly about: (args: Static<S>) => string
  readonly run: (args: Static<S>, bench: Workbench) => Promise<ToolAnswer>
}): AssistantTool {
  const { name, description, parameters, about, run } = definition
  const compiled = Compile(parameters)
  return {
    tool: { name, description, parameters },
    prepare: (json) => {
      const value = argumentsOf(json)
      if (!compiled.Check(value)) {
        const [finding] = compiled.Errors(value)
        const where = finding === undefined || finding.instancePath === '' ? 'They' : lineOf(finding.instancePath, 60)
        throw new Refusal(`The arguments are not what ${name} takes: ${where} ${finding?.message ?? 'are not valid'}.`)
      }
      return { about: lineOf(about(value), 200), run: (bench) => run(value, bench) }
    },
  }
}

function argumentsOf(json: string): unknown {
  if (json.length > bounds.arguments) throw new Refusal(`The arguments are longer than ${bounds.arguments} characters.`)
  try {
    // Some models send nothing where there is nothing to say.
    return JSON.parse(json.trim() === '' ? '{}' : json)
  } catch {
    throw new Refusal('The arguments are not JSON.')
  }
}
