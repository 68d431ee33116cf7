import type { Entry } from '#contract/changelog.ts'
import { contract } from '#contract/index.ts'
import { firstItems } from '#cli/service/project.ts'
import type { Command, View } from '../../app/view.ts'
import { PanelView } from '../settings/panel.ts'
import { openAddress } from '../shared/address.ts'
import type { Context, ProjectPlace } from '../shared/context.ts'
import { readOnlyReason, refusalOf } from '../shared/refusals.ts'
import { entryDetails, entryItems, entryRow, entryWords, titleOf, type EntryItem } from './entry-rows.ts'
import { openEntry } from './entry-view.ts'
import { changelogOf, type ChangelogPlace } from './place.ts'
import { PreviewView } from './preview-view.ts'
import { Publication } from './publication.ts'

type Panel = PanelView<EntryItem>

/** The changelog of a project: its entries, and what can be done with them. */
export function changelogView(own: ProjectPlace & Pick<Context, 'pendingMerges'>): View {
  const { app, workspace, project } = own
  const isWriter = readOnlyReason(workspace, { project, scope: 'write' }).unavailable === undefined
  const entries = isWriter ? workspace.project(project.slug).entries : undefined
  const place = { ...own, entries, publication: new Publication(own) }
  return new PanelView<EntryItem>(app, {
    title: 'Changelog',
    about:
      'What is new, for readers: on the changelog page, in feeds and to webhooks. An entry is a draft until it is published, now or at a time that you choose.',
    load: () => itemsOf(place),
    row: entryRow,
    text: entryWords,
    key: ({ key }) => key,
    empty:
      'Nothing is written here yet. An entry tells readers what is new, on a page of its own and in feeds: n begins one.',
    details: entryDetails,
    onOpen: (item) => (place.entries === undefined ? preview(place, item) : void openEntry(place, item.key)),
    opens: place.entries === undefined ? 'preview' : 'write',
    commands: (panel) => commandsOf(panel, place),
  })
}

async function itemsOf({ workspace, project, entries }: ChangelogPlace): Promise<readonly EntryItem[]> {
  if (entries !== undefined) {
    const [{ value }, unsaved] = await Promise.all([entries.list(), entries.unsaved()])
    return entryItems(value, unsaved, (id) => entries.keyOf(id))
  }
  const { client } = workspace
  const { slug } = project
  const all = await firstItems((query) => client.call(contract.changelog.list, { params: { slug }, query }))
  return entryItems(all, [], (id) => id)
}

function preview({ app }: ChangelogPlace, item: EntryItem): void {
  if (item.entry !== undefined) app.push(new PreviewView(app, titleOf(item), item.entry.content))
}

function commandsOf(panel: Panel, place: ChangelogPlace): Command[] {
  const { selected } = panel
  const create: Command = {
    id: 'entry.create',
    title: 'Begin an entry',
    keys: ['n'],
    hint: 'new',
    ...readOnlyReason(place.workspace, { project: place.project, scope: 'write' }),
    run: () => openEntry(place),
  }
  if (selected === undefined) return [create]
  const { entry, unsaved } = selected
  return [
    ...(place.entries === undefined
      ? []
      : [
          {
            id: 'entry.edit',
            title: 'Open the entry to write it',
            keys: ['enter', 'e'],
            hint: 'write',
            run: () => openEntry(place, selected.key),
          },
        ]),
    create,
    ...(entry === undefined ? [] : entryCommands(panel, place, { ...selected, entry })),
    ...(unsaved === undefined ? [] : [forgetting(panel, place, selected)]),
  ]
}

/** Of an entry that the service has. */
function entryCommands(
  panel: Panel,
  place: ChangelogPlace,
  item: EntryItem & { readonly entry: Entry },
): readonly Command[] {
  const { app, publication } = place
  const { entry } = item
  const isDraft = entry.status === 'draft'
  const refusal = refusalOf(place.workspace, { project: place.project, scope: 'write' })
  const unfinished =
    item.unsaved === undefined
      ? refusal
      : { unavailable: 'It has text that is not saved: open it, and save that first.' }
  const act =
    (work: (entry: Entry) => Promise<boolean>): (() => Promise<void>) =>
    async () => {
      if (await work(entry)) await panel.reload()
    }
  const one = (command: Command, only: boolean): readonly Command[] => (only ? [command] : [])
  return [
    { id: 'entry.preview', title: 'Preview', keys: ['v'], hint: 'preview', run: () => preview(place, item) },
    ...one(
      {
        id: 'entry.publish',
        title: isDraft ? 'Publish the entry' : 'Publish the entry now',
        keys: ['P'],
        hint: 'publish',
        ...unfinished,
        run: act((each) => publication.publish(each)),
      },
      entry.status !== 'published',
    ),
    ...one(
      {
        id: 'entry.schedule',
        title: isDraft ? 'Publish it later' : 'Publish it at another time',
        keys: ['s'],
        hint: 'schedule',
        ...unfinished,
        run: act((each) => publication.schedule(each)),
      },
      entry.status !== 'published',
    ),
    ...one(
      {
        id: 'entry.withdraw',
        title: 'Withdraw it: a draft again',
        keys: ['w'],
        hint: 'withdraw',
        ...refusal,
        run: act((each) => publication.withdraw(each)),
      },
      !isDraft,
    ),
    ...one(
      {
        id: 'entry.open',
        title: 'Open its page in the browser',
        keys: ['o'],
        hint: 'open',
        run: () => openAddress(app, { title: entry.title, address: entry.url }),
      },
      entry.status === 'published',
    ),
    {
      id: 'entry.remove',
      title: 'Delete the entry',
      keys: ['x', 'delete'],
      hint: 'delete',
      ...refusal,
      run: act((each) => publication.remove(each)),
    },
  ]
}

function forgetting(panel: Panel, place: ChangelogPlace, item: EntryItem): Command {
  const onlyHere = item.entry === undefined
  return {
    id: 'entry.forget',
    title: onlyHere ? 'Delete what was begun' : 'Forget the text that is not saved',
    keys: onlyHere ? ['x', 'delete'] : ['X'],
    ...(onlyHere ? { hint: 'delete' } : {}),
    ...(item.unsaved?.elsewhere === true ? { unavailable: 'Another terminal works on it.' } : {}),
    run: async () => {
      if (await forget(place, item)) await panel.reload()
    },
  }
}

async function forget({ app, entries, project, pendingMerges }: ChangelogPlace, item: EntryItem): Promise<boolean> {
  const isMeant = await app.dialogs.confirm({
    title: item.entry === undefined ? 'Delete what was begun?' : 'Forget the text that is not saved?',
    body: [
      `“${titleOf(item)}”`,
      item.entry === undefined
        ? 'It is only on this machine, and cannot be brought back.'
        : 'The entry stays as the service has it. What you wrote since cannot be brought back.',
    ],
    act: item.entry === undefined ? 'Delete it' : 'Forget it',
    danger: true,
  })
  if (!isMeant || entries === undefined) return false
  const done = await app.task('Forgetting what was written', async () => {
    const draft = await entries.edit(item.key)
    await draft.discard()
    void pendingMerges.forget({ ...changelogOf(project), path: draft.path })
    await draft.close()
    return true
  })
  return done === true
}
