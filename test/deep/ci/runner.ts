import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { root } from '#lib/paths.ts'
import { startSilentRegistry } from '#test/support/registry.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

export interface Step {
  readonly id?: string
  readonly if?: string
  readonly shell?: string
  readonly env?: Readonly<Record<string, string>>
  readonly run?: string
}

type StepResults = Readonly<Record<string, { readonly outputs: Readonly<Record<string, string>> }>>

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default?: string; readonly required?: boolean }>>
  readonly outputs: Readonly<Record<string, { readonly value: string }>>
  readonly runs: { readonly using: string; readonly steps: readonly Step[] }
}

/** What GitHub tells a job. */
export interface Job {
  readonly event: string
  readonly payload: unknown
  readonly inputs: Readonly<Record<string, string>>
  /** Further variables of the job, such as where GitHub’s API is. */
  readonly environment?: Readonly<Record<string, string>>
}

export interface Finished {
  readonly code: number
  readonly log: string
  readonly outputs: Readonly<Record<string, string>>
  readonly summary: string
}

/** A checkout in which jobs run, one after the other, as a runner of GitHub’s has it. */
export interface Runner {
  readonly workspace: string
  /** What npm asked the registry for. */
  readonly asked: readonly string[]
  run(job: Job): Promise<Finished>
}

export async function readAction(): Promise<Action> {
  return parse(await readFile(join(root, 'action.yml'), 'utf8')) as Action
}

export async function openRunner(files: Readonly<Record<string, string>>): Promise<Runner> {
  const home = await temporaryDirectory()
  const workspace = join(home, 'work')
  for (const [path, content] of Object.entries(files)) {
    await mkdir(join(workspace, path, '..'), { recursive: true })
    await writeFile(join(workspace, path), content)
  }
  const registry = await startSilentRegistry()
  let jobs = 0
  return {
    workspace,
    asked: registry.asked,
    run: async (job) => {
      const folder = join(home, `job-${(jobs += 1)}`)
      await mkdir(folder)
      return runAction(job, { folder, workspace, registry: registry.url })
    },
  }
}

async function runAction(
  { event, payload, inputs: given, environment }: Job,
  { folder, workspace, registry }: { readonly folder: string; readonly workspace: string; readonly registry: string },
): Promise<Finished> {
  const action = await readAction()
  const github = { event: payload, event_name: event, token: environment?.['GITHUB_TOKEN'] ?? '' }
  const defaults = Object.entries(action.inputs).map(([name, { default: text = '' }]) => [
    name,
    filled(text, { github }),
  ])
  const inputs = { ...Object.fromEntries(defaults), ...given } as Record<string, string>
  const [summary, eventPath] = [join(folder, 'summary'), join(folder, 'event.json')]
  await writeFile(summary, '')
  await writeFile(eventPath, JSON.stringify(payload))
  const { code, log, steps } = await runSteps(action.runs.steps, {
    contexts: { github, inputs },
    folder,
    workspace,
    environment: {
      GITHUB_EVENT_NAME: event,
      GITHUB_EVENT_PATH: eventPath,
      GITHUB_STEP_SUMMARY: summary,
      npm_config_registry: registry,
      ...environment,
    },
  })
  const outputs = Object.entries(action.outputs).map(([name, { value }]) => [name, filled(value, { steps })])
  return {
    code,
    log,
    outputs: Object.fromEntries(outputs) as Record<string, string>,
    summary: await readFile(summary, 'utf8'),
  }
}

/** Runs the scripts of steps one after the other, until one fails, as a runner of GitHub’s does. */
export async function runSteps(
  all: readonly Step[],
  {
    contexts,
    folder,
    workspace,
    environment,
  }: {
    readonly contexts: object
    /** Of the job: what is temporary. */
    readonly folder: string
    readonly workspace: string
    readonly environment: Readonly<Record<string, string>>
  },
): Promise<{ readonly code: number; readonly log: string; readonly steps: StepResults }> {
  const steps: Record<string, StepResults[string]> = {}
  let log = ''
  for (const [index, step] of all.entries()) {
    const known = { ...contexts, steps }
    if (step.run === undefined || (step.if !== undefined && !valueOf(step.if, known))) continue
    if (step.shell !== undefined && step.shell !== 'bash') throw new Error(`the shell ${step.shell} is not known`)
    const [script, output] = [join(folder, `${index}.sh`), join(folder, `${index}.output`)]
    await writeFile(script, step.run)
    await writeFile(output, '')
    const own = Object.entries(step.env ?? {}).map(([name, text]) => [name, filled(text, known)])
    const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', script], {
      cwd: workspace,
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        CI: 'true',
        GITHUB_ACTIONS: 'true',
        GITHUB_OUTPUT: output,
        GITHUB_WORKSPACE: workspace,
        RUNNER_TEMP: folder,
        ...environment,
        ...(Object.fromEntries(own) as Record<string, string>),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (log += piece.toString()))
    const [status] = (await once(child, 'close')) as [number | null]
    if (step.id !== undefined) steps[step.id] = { outputs: pairsIn(await readFile(output, 'utf8')) }
    if (status !== 0) return { code: status ?? 1, log, steps }
  }
  return { code: 0, log, steps }
}

function pairsIn(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/^([\w-]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]))
}

/** A text with its `${{ … }}` filled in. */
export function filled(text: string, contexts: object): string {
  return text.replaceAll(/\$\{\{\s*(.*?)\s*\}\}/g, (_all, expression: string) => shown(valueOf(expression, contexts)))
}

const shown = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''

/** The part of GitHub’s expressions that the action and workflows use: paths, texts, `==`, `!=`, `&&` and `||`. */
export function valueOf(expression: string, contexts: object): unknown {
  for (const [operator, isEnd] of [
    ['||', Boolean],
    ['&&', (value: unknown) => !value],
  ] as const) {
    const parts = expression.split(operator)
    if (parts.length === 1) continue
    let value: unknown
    for (const part of parts) {
      value = valueOf(part.trim(), contexts)
      if (isEnd(value)) break
    }
    return value
  }
  const [left = '', operator, right] = expression.split(/([=!]=)/).map((part) => part.trim())
  if (right !== undefined) return (valueOf(left, contexts) === valueOf(right, contexts)) === (operator === '==')
  if (/^'[^']*'$/.test(expression)) return expression.slice(1, -1)
  if (!/^[\w-]+(\.[\w-]+)*$/.test(expression)) throw new Error(`the expression ${expression} is not known`)
  let at: unknown = contexts
  for (const name of expression.split('.')) at = (at as Record<string, unknown> | null | undefined)?.[name]
  return at
}
