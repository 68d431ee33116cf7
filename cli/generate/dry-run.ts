import { exitCodes, Failure } from '../../src/contract/failure.ts'
import { generation, type ModelList } from '../../src/contract/generation.ts'
import { count, fileSize, type Output } from '../output.ts'
import { createClient } from '../../src/client/client.ts'
import { send } from '../service/http.ts'
import { findCredential } from '../service/service.ts'
import { materialOf } from './material.ts'
import { usualAnswer } from './model.ts'
import type { OutputFolder } from './output-folder.ts'
import { pagePrompt } from './page-prompt.ts'
import { planPrompt } from './plan-prompt.ts'
import { pagesOf } from './plan.ts'
import { mostPages, planInputs } from './planner.ts'
import { costOf, dollars, priceOf } from './prices.ts'
import { thousands } from './progress.ts'
import type { Project } from './project.ts'
import { promptTokens } from './prompt.ts'
import { pagesIn } from './site-check.ts'
import type { State } from './state.ts'
import { workOf, type Selection } from './work.ts'

interface DryRun {
  readonly project: Project
  readonly state: State
  readonly folder: OutputFolder
  readonly options: Selection & { readonly url: string; readonly model?: string }
  readonly output: Output
}

interface Estimate {
  /** Exact where there is a plan; else a guess by the size of the project. */
  readonly pages: readonly { readonly path: string; readonly why: string; readonly inputTokens: number }[]
  readonly guessedPages: number
  readonly planning: boolean
  readonly inputTokens: number
  readonly outputTokens: number
}

/** `--dry-run`: what would be read and made, and what it may cost. Asks the service for its prices only. */
export async function dryRun({ project, state, folder, options, output }: DryRun): Promise<number> {
  const { models, source } = await pricesOf(options.url, output)
  const estimate = await estimateOf({ project, state, folder, options, output }, models)
  const model = options.model ?? models.default
  const price = priceOf(model, models)
  const costUsd = costOf(price, estimate)
  const prices = price.assumed === true ? 'assumed' : source
  const kinds = kindsOf(project)
  const document = {
    dryRun: true,
    files: [...project.files.values()].map(({ path, kind, size }) => ({ path, kind, size })),
    skipped: project.skipped,
    ...estimate,
    model,
    costUsd,
    prices,
  }
  const skipped = project.skipped.map(
    ({ path, detail, line }) =>
      `  ${output.paint('yellow', 'skipped')}  ${path}${line === undefined ? '' : `:${line}`}  ${detail}`,
  )
  const lines = [
    ...kinds.map(
      ({ kind, files, bytes }) =>
        `${kind.padEnd(8)} ${count(files, 'file').padStart(11)}  ${fileSize(bytes).padStart(9)}`,
    ),
    ...skipped.slice(0, 30),
    ...(skipped.length > 30 ? [`  … and ${skipped.length - 30} more; all of them with --json`] : []),
    ...pageLines(estimate, output),
    `${thousands(estimate.inputTokens)} tokens to ${model}, about ${thousands(estimate.outputTokens)} from it: about ${dollars(costUsd)}${prices === 'service' ? '' : ' at assumed prices'}. Nothing was sent.`,
  ]
  output.result(document, lines.join('\n'))
  return exitCodes.ok
}

function kindsOf(project: Project): { kind: string; files: number; bytes: number }[] {
  const kinds = new Map<string, { kind: string; files: number; bytes: number }>()
  for (const { kind, size } of project.files.values()) {
    const entry = kinds.get(kind) ?? { kind, files: 0, bytes: 0 }
    kinds.set(kind, { kind, files: entry.files + 1, bytes: entry.bytes + size })
  }
  return [...kinds.values()].toSorted((a, b) => b.files - a.files)
}

function pageLines({ pages, guessedPages, planning }: Estimate, output: Output): string[] {
  if (planning) return [`The pages are planned first; of a project like this become about ${guessedPages}.`]
  if (pages.length === 0) return ['No page is to be made.']
  return pages.map(
    ({ path, why, inputTokens }) =>
      `${output.paint('green', 'make')}  ${path}  ${why}, ${thousands(inputTokens)} tokens`,
  )
}

const reasons = { new: 'new', stale: 'sources changed', 'edited-stale': 'sources changed, edited by you' } as const

async function estimateOf({ project, state, folder, options }: DryRun, models: ModelList): Promise<Estimate> {
  const { plan, inputs } = state.lock
  const now = planInputs(project)
  const isKnown =
    plan !== undefined && now.length === inputs.length && now.every((path, index) => path === inputs[index])
  if (!isKnown) {
    const maxPages = mostPages(project, models.generation.requests)
    const messages = await planPrompt(project, { maxPages, existing: await pagesIn(folder) })
    const bytes = [...project.files.values()].reduce((sum, { kind, size }) => sum + (kind === 'source' ? size : 0), 0)
    const guessedPages = Math.max(1, Math.round(maxPages * 0.6))
    const eachPage = Math.min(16_000, bytes / 3.6 / guessedPages) + 2500
    return {
      pages: [],
      guessedPages,
      planning: true,
      inputTokens: Math.round(promptTokens(messages) + guessedPages * eachPage),
      outputTokens: usualAnswer.plan + guessedPages * usualAnswer.page,
    }
  }
  const site = { name: plan.name, pages: pagesOf(plan) }
  const pages: { path: string; why: string; inputTokens: number }[] = []
  for (const { page, standing, act } of await workOf(plan, project, state, options)) {
    if (act !== 'write' && act !== 'offer') continue
    const inputTokens = promptTokens(pagePrompt(page, await materialOf(page, project), site))
    const why = standing in reasons ? reasons[standing as keyof typeof reasons] : 'asked for'
    pages.push({ path: page.path, why, inputTokens })
  }
  const inputTokens = pages.reduce((sum, page) => sum + page.inputTokens, 0)
  const outputTokens = pages.length * usualAnswer.page
  return { pages, guessedPages: pages.length, planning: false, inputTokens, outputTokens }
}

/** Of a service that nobody could ask. */
const unknownService: ModelList = {
  configured: false,
  default: 'the default model',
  models: [],
  maxTokens: 8000,
  promptBytes: 512 * 1024,
  generation: { requests: 200, tokens: 4_000_000 },
}

async function pricesOf(url: string, output: Output): Promise<{ models: ModelList; source: 'service' | 'assumed' }> {
  const credential = await findCredential(url, output)
  if (credential === undefined) return { models: unknownService, source: 'assumed' }
  try {
    const client = createClient({ baseUrl: url, fetch: send, token: credential.token })
    const models = await client.call(generation.models)
    if (!models.configured) output.note('This service has no language model.')
    return { models, source: 'service' }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    output.note(`The service’s prices are not known: ${error.message}`)
    return { models: unknownService, source: 'assumed' }
  }
}
