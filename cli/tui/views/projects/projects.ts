import { setTimeout as sleep } from 'node:timers/promises'
import { contract } from '#contract/index.ts'
import { slugFault } from '#contract/patterns.ts'
import type { Project } from '#contract/projects.ts'
import type { Command, TourNote, View } from '../../app/view.ts'
import { span } from '../../canvas/lines.ts'
import type { Region, Size } from '../../canvas/pane.ts'
import type { Line } from '../../canvas/style.ts'
import { shown, widthOf } from '../../canvas/width.ts'
import type { Loaded, UnsavedFile, Workspace } from '../../data/workspace.ts'
import { ListPane } from '../../panes/list.ts'
import { ageOf } from '../shared/age.ts'
import { openDraft } from './open-draft.ts'
import { BranchesView } from '../branches/branches.ts'
import { asOfLine } from '../shared/loaded.ts'
import { refusalOf } from '../shared/refusals.ts'
import { openAddress } from '../shared/address.ts'
import type { Context } from '../shared/context.ts'
import { row, widest } from '../shared/row.ts'
import { liveState } from '../shared/states.ts'

type Item =
  | { readonly kind: 'draft'; readonly draft: UnsavedFile }
  | { readonly kind: 'project'; readonly project: Project }

const projectsTour: TourNote = {
  text: [
    'These are your projects: each is one documentation site. Enter goes into one.',
    'What you type is kept on this machine as you type. Whatever is not saved yet stands at the top here, also after a crash.',
  ],
}

const noSite = { unavailable: 'There is no site yet: publish a branch first.' }

/** So long projects wait for drafts, in milliseconds: some are read in less. */
const draftsMs = 100

/** The projects of the account, and above them what was typed here and is not saved. */
export class ProjectsView implements View {
  readonly title = 'Projects'
  readonly about =
    'The projects that you may work on. Drafts of this machine that are not saved on their branches stand above them: Enter opens one where you left it.'
  readonly tour = projectsTour
  readonly #context: Context
  readonly #app: Context['app']
  readonly #workspace: Workspace
  readonly #list: ListPane<Item>
  #loaded: Loaded<readonly Project[]> | undefined
  /** Undefined until they were read once. */
  #drafts: readonly UnsavedFile[] | undefined
  #empty = 'Loading …'
  #stopListening: (() => void) | undefined
  readonly #wanted: string | undefined
  /** A project was gone into by itself; whoever comes back wants the list. */
  #hasGoneIn = false

  /** @param wanted slug of the one to begin in */
  constructor(context: Context, wanted?: string) {
    this.#context = context
    this.#wanted = wanted
    this.#app = context.app
    this.#workspace = context.workspace
    this.#list = new ListPane<Item>({
      row: (item, { width }) =>
        item.kind === 'draft' ? draftRow(item.draft, width) : this.#projectRow(item.project, width),
      text: textOf,
      key: keyOf,
      empty: () => this.#empty,
      onOpen: (item) => void this.#open(item),
    })
  }

  layout({ width, height }: Size): readonly Region[] {
    return [{ pane: this.#list, title: 'Projects', row: 1, column: 0, width, height: height - 1 }]
  }

  status(): Line {
    return asOfLine(this.#loaded)
  }

  shown(): void {
    this.#stopListening ??= this.#workspace.onChange(() => void this.#loadDrafts())
    void this.#load()
  }

  closed(): void {
    this.#stopListening?.()
    this.#stopListening = undefined
  }

  commands(): readonly Command[] {
    const { selected } = this.#list
    const project = selected?.kind === 'project' ? selected.project : undefined
    const needsOne = project === undefined ? { unavailable: 'Select a project first.' } : {}
    return [
      {
        id: 'project.create',
        title: 'Create a project',
        keys: ['n'],
        hint: 'new',
        ...(this.#workspace.identity.kind === 'key'
          ? { unavailable: 'An API key is of one project: sign in to create others.' }
          : {}),
        ...refusalOf(this.#workspace),
        run: () => this.#create(),
      },
      {
        id: 'project.site',
        title: 'Open the site in the browser',
        keys: ['o'],
        hint: 'open site',
        ...needsOne,
        ...(project !== undefined && project.live === undefined ? noSite : {}),
        run: () => project && openAddress(this.#app, { title: project.title, address: project.url }),
      },
      {
        id: 'project.copy',
        title: 'Copy the address of the site',
        keys: ['c'],
        ...needsOne,
        run: () => {
          this.#app.copy(project?.url ?? '')
          this.#app.notify(`Copied ${project?.url ?? ''}`, 'success')
        },
      },
      { id: 'project.reload', title: 'Refresh', keys: ['r'], hint: 'refresh', run: () => this.#load() },
      ...this.#context.routes.more().map((command) => ({ ...command, keys: ['a'], hint: 'account' })),
    ]
  }

  async #load(): Promise<void> {
    const reading = this.#workspace.unsaved().catch(() => [])
    const loaded = await this.#workspace.projects().catch((error: unknown) => this.#app.fail(error))
    if (loaded !== undefined) this.#loaded = loaded
    // Drafts stand first and are selected, but hundreds of them are not waited for.
    if (loaded !== undefined && (await Promise.race([reading, sleep(draftsMs)])) === undefined) this.#show()
    const drafts = await reading
    this.#empty =
      this.#loaded === undefined
        ? 'The projects could not be read. Press r to try again.'
        : await this.#withoutProjects()
    this.#show(drafts)
    if (this.#loaded === undefined || drafts.length > 0 || this.#hasGoneIn) return
    const first = this.#first(this.#loaded.value)
    if (first !== undefined) this.#enter(first)
  }

  /** The project that is meant, or the only one. */
  #first(projects: readonly Project[]): Project | undefined {
    const [only, second] = projects
    if (this.#wanted === undefined) return second === undefined ? only : undefined
    const wanted = projects.find(({ slug }) => slug === this.#wanted)
    if (wanted === undefined) this.#app.notify(`You have no project ${shown(this.#wanted)} here.`, 'warning')
    return wanted
  }

  async #withoutProjects(): Promise<string> {
    const { workspace } = this.#context
    const isAsked = workspace.identity.kind === 'session' && this.#loaded?.value.length === 0
    const invited = isAsked
      ? await workspace.client.call(contract.invitations.received, {}).catch(() => ({ items: [] }))
      : { items: [] }
    const [first] = invited.items
    return first === undefined
      ? 'You have no project yet. Press n to create one, or have an owner invite you to theirs.'
      : `You are invited to ${shown(first.title)}. Press a to accept or decline it under your account, or n to create a project of your own.`
  }

  async #loadDrafts(): Promise<void> {
    this.#show(await this.#workspace.unsaved().catch(() => []))
  }

  #show(drafts = this.#drafts): void {
    // Who has not gone down yet is offered what is not saved, also where that comes late.
    const isAtFirst = this.#drafts === undefined && this.#list.selected === this.#list.items[0]
    this.#drafts = drafts
    const projects = this.#loaded?.value ?? []
    this.#list.items = [
      ...(drafts ?? []).map((draft): Item => ({ kind: 'draft', draft })),
      ...projects.map((project): Item => ({ kind: 'project', project })),
    ]
    if (isAtFirst) this.#list.selected = this.#list.items[0]
    this.#app.refresh()
  }

  async #open(item: Item): Promise<void> {
    if (item.kind === 'project') return this.#enter(item.project)
    this.#hasGoneIn = true
    await this.#app.task(`Opening ${shown(item.draft.path)}`, () => openDraft(this.#context, item.draft))
  }

  #enter(project: Project): void {
    this.#hasGoneIn = true
    this.#app.push(new BranchesView(this.#context, project))
  }

  async #create(): Promise<void> {
    let created: Project | undefined
    await this.#app.dialogs.ask({
      title: 'New project',
      fields: [
        {
          name: 'title',
          label: 'Title',
          placeholder: 'Acme Docs',
          help: 'Readers see it on top of every page.',
          optional: true,
        },
        {
          name: 'slug',
          label: 'Name in its address',
          placeholder: 'acme-docs',
          help: 'Lower-case letters, digits and hyphens. Owners can change it later.',
          check: (value) => slugTrouble(value, this.#loaded?.value ?? []),
        },
      ],
      act: 'Create',
      submit: async ({ title = '', slug = '' }) => {
        const body = { slug, ...(title === '' ? {} : { title }) }
        created = await this.#workspace.client.call(contract.projects.create, { body })
      },
    })
    if (created === undefined) return
    this.#app.notify(`Created ${shown(created.title)}`, 'success')
    this.#enter(created)
  }

  #projectRow(project: Project, width: number): Line {
    const { title, slug, role = this.#workspace.readOnly ? '' : 'key', live } = project
    const all = this.#loaded?.value ?? []
    const slugs = widest(
      all.map((one) => one.slug.length),
      30,
    )
    return row(width, [
      { line: [span(shown(title), { bold: true })] },
      { line: [span(slug, { color: 'muted' })], width: slugs, from: 50 },
      { line: [span(role)], width: 6, from: 70 },
      { line: liveState(project), width: 18 },
      {
        line: [span(live === undefined ? '' : ageOf(live.createdAt), { color: 'muted' })],
        width: 10,
        right: true,
        from: 60,
      },
    ])
  }
}

/** Why a text cannot be the slug of a new project. */
export function slugTrouble(value: string, projects: readonly Project[]): string | undefined {
  const fault = slugFault(value)
  if (fault !== undefined) return `The name ${fault}.`
  return projects.some(({ slug }) => slug === value) ? 'You have a project of that name already.' : undefined
}

function draftState({ waiting, elsewhere, refusal }: UnsavedFile): string {
  if (elsewhere) return 'open in another terminal'
  if (refusal !== undefined) return 'could not be saved'
  return waiting ? 'waits for the connection' : 'draft, not saved'
}

function draftRow(draft: UnsavedFile, width: number): Line {
  const { path, slug, branch, changedAt } = draft
  const state = draftState(draft)
  return row(width, [
    { line: [span('● ', { color: 'warning' }), span(shown(path))] },
    {
      line: [span(shown(`${slug} › ${branch}`), { color: 'muted' })],
      width: widest([widthOf(`${slug} › ${branch}`)], 36),
      from: 60,
    },
    { line: [span(state, { color: 'warning' })], width: state.length, from: 50 },
    { line: [span(ageOf(changedAt), { color: 'muted' })], width: 10, right: true, from: 60 },
  ])
}

function textOf(item: Item): string {
  if (item.kind === 'draft') return `draft of ${shown(`${item.draft.path}, ${item.draft.slug}, ${item.draft.branch}`)}`
  const { title, slug, live } = item.project
  return shown(`${title}, ${slug}${live === undefined ? ', not published yet' : ''}`)
}

function keyOf(item: Item): string {
  return item.kind === 'draft'
    ? `draft ${item.draft.slug} ${item.draft.branch} ${item.draft.path}`
    : `project ${item.project.slug}`
}
