import type { Deploy } from '#contract/deploys.ts'
import { contract } from '#contract/index.ts'
import type { Project } from '#contract/projects.ts'
import { firstItems } from '#cli/service/project.ts'
import { withRetry } from '#cli/service/retry.ts'
import type { Command, View } from '../../app/view.ts'
import type { Pane, Region, Size } from '../../canvas/pane.ts'
import { ListPane } from '../../panes/list.ts'
import { agoText } from '../shared/age.ts'
import { openAddress } from '../shared/address.ts'
import { deployWords } from '../branches/branch-details.ts'
import type { Context } from '../shared/context.ts'
import { deployDetails, deployRow, deployText } from './deploy-details.ts'
import { backTo, DetailsPane } from '../shared/details-pane.ts'
import { refusalOf } from '../shared/refusals.ts'
import type { FileLocation } from '../shared/problems.ts'
import { liveLines, policyOf } from '../publish/publish-run.ts'
import { sideBySide } from '../shared/side-by-side.ts'
import { isUnderWay } from '../shared/states.ts'
import { Watch } from '../shared/watch.ts'

/** At first, and more each time that older ones are asked for. */
const shownDeploys = 100
const soon = 1000
const seldom = 30_000
/** Milliseconds after which a selection is no more passed over. */
const settled = 150

/** The last deploys of a project: what each was, what was wrong with it, and the way back to one. */
export class DeploysView implements View {
  readonly title = 'Deploys'
  readonly about =
    'Everything that became live, or was to: Enter shows one with its errors and warnings. A rollback serves an earlier one again, at once and without a build.'
  focused: Pane | undefined
  readonly #context: Context
  readonly #project: Project
  readonly #list: ListPane<Deploy>
  readonly #details = new DetailsPane(() => this.#readsDetails())
  /** With all their errors: lists have the first few only. */
  readonly #whole = new Map<string, Deploy>()
  readonly #watch = new Watch(() => this.#read())
  readonly #reading = new Watch(() => this.#readSelected())
  #isLoaded = false
  /** Deploys that are read, the newest. */
  #wanted = shownDeploys
  #hasOlder = false
  #detailed: string | undefined

  constructor(context: Context, project: Project) {
    this.#context = context
    this.#project = project
    this.#list = new ListPane<Deploy>({
      row: (deploy, { width }) => deployRow(deploy, width, this.#list.items),
      text: (deploy) => deployText(deploy, this.#list.items),
      key: ({ id }) => id,
      empty: () => (this.#isLoaded ? 'Nothing was deployed yet. Publish a branch to see it here.' : 'Loading …'),
      onOpen: () => (this.focused = this.#details),
      opens: 'details',
      onSelect: () => this.#detail(),
    })
  }

  layout(size: Size): readonly Region[] {
    const number = this.#list.selected?.number
    return sideBySide(size, {
      list: { pane: this.#list, title: 'Deploys' },
      details: { pane: this.#details, title: number === undefined ? '' : `Deploy ${number}` },
      reading: this.#readsDetails(),
    })
  }

  shown(): void {
    void this.#load()
  }

  closed(): void {
    this.hidden()
  }

  hidden(): void {
    this.#watch.stop()
    this.#reading.stop()
  }

  commands(): readonly Command[] {
    const deploy = this.#list.selected
    const { app } = this.#context
    return [
      {
        id: 'deploy.rollback',
        title: 'Serve it again (rollback)',
        keys: ['b'],
        hint: 'roll back',
        ...unavailableBecause(deploy),
        ...refusalOf(this.#context.workspace, { project: this.#project, scope: 'deploy' }),
        run: () => deploy && this.#rollback(deploy),
      },
      {
        id: 'deploy.site',
        title: 'Open the site',
        keys: ['o'],
        hint: 'open site',
        run: () => openAddress(app, { title: this.#project.title, address: this.#project.url }),
      },
      ...(this.#hasOlder
        ? [{ id: 'deploy.older', title: 'Show older ones', keys: ['m'], hint: 'older', run: () => this.#older() }]
        : []),
      { id: 'deploy.reload', title: 'Refresh', keys: ['r'], run: () => this.#load() },
      ...(this.#readsDetails() ? [backTo('Back to the list', () => (this.focused = this.#list))] : []),
    ]
  }

  #readsDetails(): boolean {
    return this.focused === this.#details
  }

  #load(): Promise<void> {
    return this.#watch.begin((error) => this.#context.app.fail(error))
  }

  #older(): Promise<void> {
    this.#wanted += shownDeploys
    return this.#load()
  }

  /** @returns milliseconds until it is worth to look again */
  async #read(): Promise<number> {
    const params = { slug: this.#project.slug }
    const { client } = this.#context.workspace
    const wanted = this.#wanted
    const items = await firstItems((query) => client.call(contract.deploys.list, { params, query }), wanted)
    this.#isLoaded = true
    this.#hasOlder = items.length === wanted
    this.#list.items = items
    this.#detail()
    this.#context.app.refresh()
    return items.some(isUnderWay) ? soon : seldom
  }

  #detail(): void {
    const deploy = this.#list.selected
    if (deploy === undefined) return
    const whole = this.#wholeOf(deploy)
    this.#details.show(deployDetails(whole ?? deploy, { open: this.#openerOf(deploy), among: this.#list.items }), {
      sameSubject: deploy.id === this.#detailed,
    })
    this.#detailed = deploy.id
    if (whole === undefined) this.#reading.start(settled)
  }

  /** Undefined where there is more to it than the list says. */
  #wholeOf(deploy: Deploy): Deploy | undefined {
    const { errors, warnings, counts } = deploy
    const isWhole = errors.length === counts.errors && warnings.length === counts.warnings
    return isWhole ? deploy : this.#whole.get(deploy.id)
  }

  async #readSelected(): Promise<undefined> {
    const deploy = this.#list.selected
    if (deploy === undefined || this.#wholeOf(deploy) !== undefined) return
    const params = { slug: this.#project.slug, id: deploy.id }
    this.#whole.set(deploy.id, await this.#context.workspace.client.call(contract.deploys.read, { params }))
    this.#detail()
    this.#context.app.refresh()
  }

  /** Main has the files of what is live, and the branch of a publish that failed is still there: others are gone. */
  #openerOf({ status, kind, branch }: Deploy): ((place: FileLocation) => void) | undefined {
    const { app, workspace, routes } = this.#context
    if (status === 'live') return (place) => app.push(routes.page(this.#project, 'main', place))
    if (status !== 'failed' || kind !== 'publish' || branch === undefined) return undefined
    return (place) =>
      void app.task(`Opening ${place.path}`, async () => {
        const { value } = await workspace.project(this.#project.slug).branches()
        const found = value.find(({ name }) => name === branch)
        if (found === undefined) app.notify(`The branch ${branch} is gone.`, 'warning')
        else app.push(routes.page(this.#project, found, place))
      })
  }

  async #rollback(deploy: Deploy): Promise<void> {
    const { app, workspace } = this.#context
    const live = this.#list.items.find(({ status }) => status === 'live')
    const isSure = await app.dialogs.confirm({
      title: `Go back to deploy ${deploy.number}?`,
      body: [
        `Readers get what they had with deploy ${deploy.number}, ${agoText(deploy.createdAt)}: ${deployWords(deploy)}`,
        ...(live === undefined ? [] : [`It takes the place of deploy ${live.number}: ${deployWords(live)}`]),
        'Main gets a new commit with its files, so that later branches begin there. Nothing is deleted: every deploy stays in this list, and you can go forward again.',
      ],
      act: `Serve deploy ${deploy.number} again`,
    })
    if (!isSure) return
    const progress = app.dialogs.progress({ title: `Going back to deploy ${deploy.number}` })
    progress.phase('serving it again')
    try {
      const call = { params: { slug: this.#project.slug }, body: { deployId: deploy.id } }
      const done = await withRetry(() => workspace.client.call(contract.deploys.rollback, call), policyOf(progress))
      progress.close()
      app.notify(`Readers see deploy ${deploy.number} again: ${liveLines(done)[0] ?? ''}`, 'success')
    } catch (error) {
      progress.close()
      app.fail(error)
    }
    await this.#load()
  }
}

/** Why readers cannot be given a deploy. */
function unavailableBecause(deploy: Deploy | undefined): { readonly unavailable?: string } {
  if (deploy === undefined) return { unavailable: 'There is nothing to go back to.' }
  if (deploy.status === 'superseded') return {}
  if (deploy.status === 'live') return { unavailable: `Deploy ${deploy.number} is what readers see.` }
  return { unavailable: `Deploy ${deploy.number} never was what readers saw.` }
}
