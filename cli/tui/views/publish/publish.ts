import type { Branch } from '#contract/branches.ts'
import type { Deploy } from '#contract/deploys.ts'
import { Failure } from '#contract/failure.ts'
import type { Project } from '#contract/projects.ts'
import type { Progress } from '../../app/dialogs.ts'
import type { Command, View } from '../../app/view.ts'
import type { Region, Size } from '../../canvas/pane.ts'
import { shown } from '../../canvas/width.ts'
import type { DecisionPlace } from '../../data/drafts/decision.ts'
import { openAddress } from '../shared/address.ts'
import type { Context } from '../shared/context.ts'
import { DetailsPane } from '../shared/details-pane.ts'
import { resolveConflicts } from '../merge/conflicts.ts'
import { updateBranch } from '../merge/update.ts'
import type { FileLocation } from '../shared/problems.ts'
import { PublishFacts } from './publish-facts.ts'
import { PublishMessage } from './publish-message.ts'
import { liveLines, PublishKey, refusalLines, runPublish, type PublishEnd } from './publish-run.ts'
import { refusalOf } from '../shared/refusals.ts'
import { goneWords, summaryDetails, summaryWords } from './publish-summary.ts'

interface PublishOptions {
  readonly project: Project
  readonly branch: Branch | 'main'
  /** It is live, and the branch is gone: absent, this view is left. */
  readonly onPublished?: () => void
}

const unchanged = 'Readers see what they saw before, and the branch is as it was.'

/** Columns: longer lines are hard to read. */
const widest = 110

/** A publish: what it would do, and on Enter it is done. */
export class PublishView implements View {
  readonly title = 'Publish'
  readonly about =
    'What readers would get, and what they have now. Enter publishes: the branch becomes part of main, the site is built, and readers see it only when all of it is ready.'
  readonly #context: Context
  readonly #options: PublishOptions
  readonly #pane = new DetailsPane()
  readonly #key = new PublishKey()
  readonly #facts: PublishFacts
  readonly #message: PublishMessage | undefined
  #failed: Deploy | undefined
  #publishing = false
  /** The publish without anybody who waited, of which the person knows. */
  #told: string | undefined

  constructor(context: Context, options: PublishOptions) {
    this.#context = context
    this.#options = options
    const { branch, project } = options
    this.#message = branch === 'main' ? undefined : new PublishMessage(context, project.slug, branch)
    this.#facts = new PublishFacts(context, options, () => this.#learned())
    this.#renew()
  }

  layout({ width, height }: Size): readonly Region[] {
    return [{ pane: this.#pane, row: 0, column: 0, width: Math.min(width, widest), height }]
  }

  spoken(): string {
    return summaryWords(this.#facts)
  }

  shown(): void {
    this.#facts.start()
    const remembered = this.#message?.remember().then(() => this.#renew())
    remembered?.catch((error: unknown) => this.#context.app.fail(error))
  }

  closed(): void {
    this.hidden()
  }

  hidden(): void {
    this.#facts.stop()
  }

  commands(): readonly Command[] {
    const branch = this.#facts.branch
    const { app, routes } = this.#context
    const publish = branch === 'main' ? 'Publish main again' : `Publish ${shown(branch.name)}`
    // Where there are errors, Enter goes to one of them.
    const goes = this.#hasErrors()
      ? { keys: ['P'], hint: 'publish all the same' }
      : { keys: ['enter'], hint: 'publish' }
    const { selected } = this.#pane
    const { gone } = this.#facts
    if (branch !== 'main' && gone !== undefined)
      return [{ id: 'publish', title: publish, keys: ['enter'], unavailable: goneWords(branch, gone), run: () => {} }]
    return [
      { id: 'publish', title: publish, ...goes, run: () => this.#publish() },
      ...(selected?.open === undefined
        ? []
        : [
            {
              id: 'publish.place',
              title: 'Open the place that is selected',
              keys: ['e'],
              ...(this.#hasErrors() ? {} : { hint: 'open place' }),
              run: selected.open,
            },
          ]),
      ...(branch === 'main'
        ? []
        : [
            {
              id: 'publish.message',
              title: 'Say what changes',
              keys: ['m'],
              hint: 'message',
              run: () => this.#ask(),
            },
            {
              id: 'publish.diff',
              title: 'What the branch changed',
              keys: ['d'],
              hint: 'diff',
              run: () => app.push(routes.diff(this.#facts.project, branch)),
            },
            {
              id: 'publish.history',
              title: 'History of the branch',
              keys: ['h'],
              run: () => app.push(routes.history(this.#facts.project, branch)),
            },
            {
              id: 'publish.preview',
              title: 'Open the preview',
              keys: ['o'],
              run: () => openAddress(app, { title: `Preview of ${branch.name}`, address: branch.previewUrl }),
            },
            {
              id: 'publish.update',
              title: 'Take in what main has since, to see both in the preview first',
              keys: ['u'],
              ...(branch.upToDate
                ? { unavailable: `${shown(branch.name)} has all that main has.` }
                : { hint: 'update first' }),
              ...refusalOf(this.#context.workspace, { project: this.#facts.project, scope: 'write' }),
              run: () => this.#update(branch),
            },
          ]),
    ]
  }

  #hasErrors(): boolean {
    return (
      this.#failed !== undefined || (this.#facts.branch !== 'main' && this.#facts.branch.preview.status === 'failed')
    )
  }

  async #publish(): Promise<void> {
    if (this.#publishing) return
    this.#publishing = true
    try {
      if (!(await this.#mayLeaveDrafts())) return
      while ((await this.#run()) === 'conflicts') if (!(await this.#settle())) break
    } finally {
      this.#publishing = false
    }
  }

  /** The branch goes with the publish, and with it the place where a draft can be saved. */
  async #mayLeaveDrafts(): Promise<boolean> {
    const drafts = await this.#facts.readDrafts()
    if (drafts.length === 0) return true
    return this.#context.app.dialogs.confirm({
      title: 'Publish without what is not saved?',
      body: [
        `Not saved on the branch: ${drafts.map(({ path }) => path).join(', ')}.`,
        'What you typed there stays on this machine, but it is not published, and the branch on which you could save it goes. Esc goes back, to save it first.',
      ],
      act: 'Publish without it',
      danger: true,
    })
  }

  /** @returns 'conflicts' where these are to be settled */
  async #run(): Promise<'conflicts' | 'over'> {
    const { app, pendingMerges } = this.#context
    const branch = this.#facts.branch
    const name = branch === 'main' ? 'main' : shown(branch.name)
    const progress = app.dialogs.progress({ title: `Publishing ${name}`, cancel: 'stop waiting' })
    const request = {
      slug: this.#facts.project.slug,
      branchId: branch === 'main' ? undefined : branch.id,
      message: this.#message?.text,
    }
    let end: PublishEnd
    try {
      const pendingMerge = branch === 'main' ? {} : { pendingMerge: await pendingMerges.open(this.#placeOf(branch)) }
      end = await runPublish(this.#context, request, { progress, key: this.#key, ...pendingMerge })
    } catch (error) {
      await this.#tellRefused(error, progress)
      return 'over'
    }
    if (end === 'conflicts') {
      progress.close()
      return end
    }
    if (end === 'left') {
      progress.close()
      app.notify('You no longer wait for it. If it has begun it goes on, and you are told here how it ended.')
      this.#facts.follow(this.#failed)
    } else if (end.deploy.status === 'failed') await this.#tellFailed(end.deploy, progress)
    else await this.#tellLive(end.deploy, progress)
    return 'over'
  }

  async #tellRefused(refusal: unknown, progress: Progress): Promise<void> {
    const { app } = this.#context
    if (!(refusal instanceof Failure)) {
      progress.close()
      return app.fail(refusal)
    }
    // Of a branch that is no more the person wants to know what became of it.
    if (refusal.code === 'not_found') await this.#facts.look().catch(() => undefined)
    const { branch, gone } = this.#facts
    if (branch === 'main' || gone === undefined) {
      const nothing = refusal.status < 500 ? [unchanged] : []
      return progress.end('failed', [...refusalLines(refusal), ...nothing])
    }
    void this.#context.pendingMerges.giveUp(this.#placeOf(branch))
    await progress.end(gone.deploy === undefined ? 'failed' : 'done', [goneWords(branch, gone)])
  }

  async #tellLive(deploy: Deploy, progress: Progress): Promise<void> {
    const { app, pendingMerges } = this.#context
    const { branch } = this.#facts
    if (branch !== 'main') void pendingMerges.forget(this.#placeOf(branch))
    this.#message?.forget()
    await progress.end('done', liveLines(deploy), [
      {
        id: 'publish.site',
        title: 'Open the site',
        keys: ['o'],
        hint: 'open site',
        run: () => openAddress(app, { title: this.#facts.project.title, address: deploy.url }),
      },
    ])
    if (this.#options.onPublished === undefined) app.pop()
    else this.#options.onPublished()
  }

  async #tellFailed(deploy: Deploy, progress: Progress): Promise<void> {
    this.#failed = deploy
    this.#renew()
    const { errors } = deploy.counts
    await progress.end('failed', [
      `The site does not build: ${errors === 1 ? 'an error' : `${errors} errors`}.`,
      unchanged,
      'Close this to see what is wrong; Enter opens each place then.',
    ])
  }

  #placeOf({ id }: Branch): DecisionPlace {
    return { slug: this.#facts.project.slug, branchId: id }
  }

  async #settle(): Promise<boolean> {
    const branch = this.#facts.branch
    if (branch === 'main') return false
    const pendingMerge = await this.#context.pendingMerges.open(this.#placeOf(branch))
    return resolveConflicts(this.#context, { branch, pendingMerge, goOn: 'Publish' })
  }

  async #update(branch: Branch): Promise<void> {
    if (await updateBranch(this.#context, this.#facts.project, branch)) this.#facts.start()
  }

  async #ask(): Promise<void> {
    await this.#message?.ask()
    this.#renew()
  }

  /** How a publish ended for which nobody waited is told once. */
  #learned(): void {
    const { branch, gone, unattended } = this.#facts
    // A branch that was published is gone a moment later.
    const isKnown = unattended?.status === 'failed' || gone !== undefined
    if (branch !== 'main' && unattended !== undefined && isKnown && unattended.id !== this.#told) {
      this.#told = unattended.id
      const { app, pendingMerges } = this.#context
      if (unattended.status === 'failed') {
        this.#failed = unattended
        app.notify(`${shown(branch.name)} was not published: the site does not build.`, 'warning')
      } else if (gone !== undefined) {
        void pendingMerges.forget(this.#placeOf(branch))
        this.#message?.forget()
        app.notify(goneWords(branch, gone), 'success')
      }
    }
    this.#renew()
  }

  #renew(): void {
    const { project, branch, files, commits, since, drafts, gone } = this.#facts
    const email = this.#context.workspace.identity.account?.email
    const known = { project, branch, files, commits, since, drafts, email, gone }
    const summary = { ...known, message: this.#message?.text, failed: this.#failed }
    const open = (place: FileLocation): void =>
      this.#context.app.push(this.#context.routes.page(this.#facts.project, this.#facts.branch, place))
    this.#pane.show(summaryDetails(summary, open), { sameSubject: true })
    this.#context.app.refresh()
  }
}
