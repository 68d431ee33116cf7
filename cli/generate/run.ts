import { randomUUID } from 'node:crypto'
import type { Check } from '../../src/contract/checks.ts'
import { Failure } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import type { ModelList } from '../../src/contract/generation.ts'
import type { Output } from '../output.ts'
import type { OpenProject } from '../service/project.ts'
import { withRetry } from '../service/retry.ts'
import { updateDocsJson } from './docs-json.ts'
import { checkOutput, settleNavigation } from './finish.ts'
import { Model, type Spent } from './model.ts'
import type { OutputFolder } from './output-folder.ts'
import { PageWriter } from './page-writer.ts'
import { pagesOf, type PlacedPage, type SitePlan } from './plan.ts'
import { makePlan, mostPages, planInputs } from './planner.ts'
import { Progress } from './progress.ts'
import type { Project } from './project.ts'
import { promptVersion } from './prompt.ts'
import { diffOf, type PageReport, type RunReport } from './report.ts'
import { pagesIn, SiteCheck } from './site-check.ts'
import { sourcesOf, type Standing, type State } from './state.ts'
import { unmatched, workOf, type PageWork, type Selection } from './work.ts'

export interface RunOptions extends Selection {
  readonly model?: string | undefined
  readonly maxCost?: number | undefined
}

interface RunContext {
  readonly project: Project
  readonly folder: OutputFolder
  readonly state: State
  readonly output: Output
  /** Signs in when it is first needed: a run with nothing to do needs no service. */
  readonly service: () => Promise<OpenProject>
  /** What could be refused is done before a model is asked, and paid for. */
  readonly beforeModel: () => Promise<void>
}

/** Before its page is written anew, somebody may have begun to change it. The others are written over by request. */
const unwritten: ReadonlySet<Standing> = new Set<Standing>(['new', 'stale', 'current', 'taken'])

const nothing: Spent = { requests: 0, inputTokens: 0, outputTokens: 0 }

/** One run: plans where there is no plan for these files, writes what is due, brings navigation up to date. */
export class Run {
  readonly #context: RunContext
  readonly #options: RunOptions
  readonly #progress: Progress
  readonly #reports = new Map<string, PageReport>()
  readonly #warnings: string[] = []
  #model: Model | undefined
  #models: ModelList | undefined
  #planned = false
  #check: Check | undefined
  #plan: SitePlan | undefined

  constructor(context: RunContext, options: RunOptions) {
    this.#context = context
    this.#options = options
    this.#progress = new Progress(context.output, () => this.#model?.spent ?? nothing)
  }

  /** What it has done so far, also when it was stopped. */
  get report(): RunReport {
    return {
      output: this.#context.folder.root,
      pages: [...this.#reports.values()],
      planned: this.#planned,
      leftOut: this.#plan?.leftOut ?? [],
      warnings: this.#warnings,
      ...(this.#check === undefined ? {} : { check: { errors: this.#check.errors, warnings: this.#check.warnings } }),
      usage: this.#model?.spent ?? nothing,
    }
  }

  /** @throws Failure, RunStopped: what is done stays, and the next run goes on from there. */
  async go(): Promise<void> {
    try {
      await this.#go()
    } catch (error) {
      // As when no plan came of what the model answered.
      if (error instanceof Failure && error.code === 'generation_failed') await this.#context.state.askAnew()
      throw await this.#refusal(error)
    }
  }

  /** A generation of the plan comprises so much: what is left of the run becomes another one, if the user wants that. */
  async #refusal(error: unknown): Promise<unknown> {
    const { state } = this.#context
    const isUsedUp = error instanceof Failure && error.code === 'quota_exceeded' && error.retryAfter === undefined
    if (!isUsedUp || state.lock.generation === undefined) return error
    await state.endGeneration()
    return new Failure(error.code, error.message, {
      hint: 'What is done stays. The same command goes on, as another generation of the plan.',
      cause: error,
    })
  }

  async #go(): Promise<void> {
    const { state, project } = this.#context
    const { model, force } = this.#options
    const difference = state.beginRun(promptVersion, model)
    if (difference !== undefined && force !== true) this.#warnings.push(difference)
    // What cannot be kept up to date is told before anything is paid for.
    await this.#docsJson([])
    const plan = await this.#planFor()
    this.#plan = plan
    const work = await workOf(plan, project, state, this.#options)
    for (const item of work) this.#note(item)
    this.#warnings.push(...unmatched(plan, this.#options))
    let changed = this.#planned || state.lock.generation !== undefined
    try {
      await this.#writePages(plan, work)
    } finally {
      // Also after a stop: what is there can be deployed.
      changed = (await this.#settle(plan)) || changed
    }
    if (changed) await this.#checkOutput(plan)
    const statuses = new Set(this.report.pages.map(({ status }) => status))
    const hasFailed = statuses.has('failed')
    await state.endRun({ hasPages: hasFailed || statuses.has('waiting'), isResumed: hasFailed && force === true })
  }

  async #planFor(): Promise<SitePlan> {
    const { project, state, folder } = this.#context
    const { lock } = state
    const inputs = planInputs(project)
    const before = lock.plan
    const known = new Set(lock.inputs)
    const appeared = inputs.filter((path) => !known.has(path))
    const vanished = lock.inputs.filter((path) => !inputs.includes(path))
    if (before !== undefined && appeared.length + vanished.length === 0) return before
    const model = await this.#openModel()
    this.#progress.start('planning the pages')
    const existing = (await pagesIn(folder)).filter((path) => lock.pages[path] === undefined)
    const { plan, warnings } = await makePlan(
      model,
      project,
      {
        maxPages: mostPages(project, this.#models?.generation.requests ?? 200),
        existing,
        ...(before === undefined ? {} : { before: { plan: before, appeared, vanished } }),
      },
      (tokens) => this.#progress.text(tokens),
    )
    this.#planned = true
    this.#warnings.push(...warnings)
    lock.plan = plan
    lock.inputs = inputs
    await state.save()
    this.#context.output.note(`planned ${pagesOf(plan).length} pages in ${plan.groups.length} groups`)
    return plan
  }

  #note({ page, standing, act }: PageWork): void {
    const statuses = {
      new: 'waiting',
      stale: 'waiting',
      current: 'current',
      taken: 'current',
      edited: 'kept',
      'edited-stale': 'offered',
      'edited-offered': 'offered',
      deleted: 'deleted',
      foreign: 'foreign',
    } as const
    const status = act === 'write' || act === 'wait' || act === 'offer' ? 'waiting' : statuses[standing]
    this.#set(page, { status })
  }

  #set({ path, title }: PlacedPage, report: Omit<PageReport, 'path' | 'title'>): void {
    this.#reports.set(path, { path, title, ...report })
  }

  async #writePages(plan: SitePlan, work: readonly PageWork[]): Promise<void> {
    const { state, folder, project } = this.#context
    for (const { page, standing, act } of work) {
      if (standing === 'taken') await state.adopt(page.path)
      if (standing === 'edited-offered' && act === 'leave') await this.#showOffer(page)
      if (act === 'take') await this.#take(page)
    }
    const due = work.filter(({ act }) => act === 'write' || act === 'offer')
    if (due.length === 0) return
    const model = await this.#openModel()
    const pages = pagesOf(plan)
    const check = new SiteCheck(await this.#context.service(), folder)
    const writer = new PageWriter({
      model,
      project,
      site: { name: plan.name, pages },
      check: check.ofPage(pages, await this.#docsJson(pages)),
    })
    this.#progress.begin(due.length)
    for (const item of due) await this.#writePage(item, writer)
  }

  async #writePage({ page, standing, act }: PageWork, writer: PageWriter): Promise<void> {
    const { state, project, output } = this.#context
    this.#progress.start(page.path)
    const outcome = await writer.write(page, (tokens) => this.#progress.text(tokens))
    if (outcome.kind === 'failed') {
      await state.askAnew()
      this.#set(page, { status: 'failed', errors: outcome.errors })
      this.#progress.end(`${output.paint('red', 'failed')}  ${page.path}`)
      return
    }
    const { content, warnings, material, model } = outcome
    const made = { sources: sourcesOf(page, project), material, model }
    const isOursYet = !unwritten.has(standing) || (await state.isAsWritten(page.path))
    if (!isOursYet && state.lock.pages[page.path] === undefined) {
      this.#set(page, { status: 'foreign' })
      this.#progress.end(`${output.paint('yellow', 'yours')}  ${page.path}`)
      return
    }
    if (act === 'offer' || !isOursYet) {
      await state.offer(page.path, { content, ...made })
      await this.#showOffer(page, warnings)
      this.#progress.end(`${output.paint('yellow', 'edited')}  ${page.path}`)
      return
    }
    const placed = state.lock.pages[page.path]?.placed
    const { generation: run } = state.lock
    await state.writePage(page.path, content, {
      ...made,
      ...(run === undefined ? {} : { run }),
      ...(placed === undefined ? {} : { placed }),
    })
    this.#set(page, { status: 'written', ...(warnings.length === 0 ? {} : { warnings }) })
    this.#progress.end(`${output.paint('green', 'written')}  ${page.path}`)
  }

  async #take(page: PlacedPage): Promise<void> {
    const { state } = this.#context
    const known = state.lock.pages[page.path]
    if (known?.offer === undefined) return
    const { content, ...made } = known.offer
    await state.writePage(page.path, content, {
      ...made,
      ...(known.placed === undefined ? {} : { placed: known.placed }),
    })
    this.#set(page, { status: 'written' })
  }

  async #showOffer(page: PlacedPage, warnings: readonly string[] = []): Promise<void> {
    const { state } = this.#context
    const after = state.lock.pages[page.path]?.offer?.content ?? ''
    const diff = diffOf(page.path, (await state.textOf(page.path)) ?? '', after)
    this.#set(page, { status: 'offered', diff, ...(warnings.length === 0 ? {} : { warnings }) })
  }

  /** docs.json as it is with these pages. */
  async #docsJson(pages: readonly PlacedPage[]): Promise<string> {
    const { folder, project } = this.#context
    const text = await folder.read('docs.json')
    return updateDocsJson(text, { name: project.name, pages, placed: new Map() })
  }

  async #settle(plan: SitePlan): Promise<boolean> {
    const { state, folder, project } = this.#context
    const { removed, released, changed } = await settleNavigation({ plan, state, folder, name: project.name })
    for (const path of removed) this.#reports.set(path, { path, title: path, status: 'removed' })
    for (const path of released) this.#warnings.push(`${path} has left the plan; it stays, because you changed it.`)
    return changed || removed.length > 0
  }

  async #checkOutput(plan: SitePlan): Promise<void> {
    const { state, folder, project } = this.#context
    this.#progress.start('checking all pages')
    const check = new SiteCheck(await this.#context.service(), folder)
    const result = await checkOutput(check, { plan, state, folder, name: project.name })
    this.#check = result.check
    for (const path of result.mended) this.#warnings.push(`${path}: links that led nowhere became plain words.`)
  }

  async #openModel(): Promise<Model> {
    if (this.#model !== undefined) return this.#model
    const { state, output } = this.#context
    const project = await this.#context.service()
    const models = await withRetry(() => project.client.call(contract.generation.models), project.policy)
    if (!models.configured)
      throw new Failure('generation_not_configured', 'This service has no language model.', {
        hint: 'Its operator sets MODEL_ROUTER_URL and MODEL_ROUTER_KEY.',
      })
    if (models.demo === true) output.note('This is a demo: what is written is made up of the outline, by no model.')
    await this.#context.beforeModel()
    if (state.lock.generation === undefined) {
      state.lock.generation = randomUUID()
      await state.save()
    }
    this.#models = models
    const { model, maxCost } = this.#options
    const { generation } = state.lock
    this.#model = new Model({ project, models, model, maxCost, generation, attempt: () => state.lock.attempt ?? 0 })
    return this.#model
  }
}
