import type { Entry } from '#contract/changelog.ts'
import { Failure } from '#contract/failure.ts'
import { contract } from '#contract/index.ts'
import type { App } from '../../app/app.ts'
import type { Draft } from '../../data/drafts/draft.ts'
import type { Entries } from '../../data/entries.ts'
import { troubleOf, type EntryForm } from './entry-form.ts'
import { inWords, markersOf, savedText } from './entry-words.ts'
import { changelogOf, type ChangelogPlace } from './place.ts'

export interface EntrySavingOptions {
  readonly place: ChangelogPlace & { readonly entries: Entries }
  readonly draft: Draft
  readonly form: EntryForm
  /** Begins to merge the two texts of a conflict. */
  readonly merge: () => Promise<void>
}

/** Brings what is typed of an entry to the service, and knows how the service has it. */
export class EntrySaving {
  readonly #place: EntrySavingOptions['place']
  readonly #draft: Draft
  readonly #form: EntryForm
  readonly #merge: () => Promise<void>
  /** As the service had it last. */
  #entry: Entry | undefined

  constructor({ place, draft, form, merge }: EntrySavingOptions) {
    this.#place = place
    this.#draft = draft
    this.#form = form
    this.#merge = merge
  }

  get entry(): Entry | undefined {
    return this.#entry
  }

  /** @returns whether the service has all that was typed */
  async save(): Promise<boolean> {
    const { app } = this.#place
    const trouble = troubleOf(this.#form.document)
    if (trouble !== undefined) {
      app.notify(trouble, 'error')
      return false
    }
    if (this.#draft.state !== 'conflict') await this.#send()
    if (this.#draft.state === 'conflict' && (await this.#settle())) await this.#send()
    if (this.#draft.state === 'waiting')
      app.notify('The service cannot be reached: it is saved when it is back. Your text is kept here.', 'warning')
    if (this.#draft.state !== 'saved') return false
    await this.learn()
    app.notify(savedText(this.#entry), 'success')
    return true
  }

  /** What the service finds wrong in the text is marked at its lines. */
  async #send(): Promise<void> {
    const { editor } = this.#form
    await this.#place.app.task('Saving the entry', async () => {
      try {
        await this.#draft.save()
        editor.markers = []
      } catch (error) {
        editor.markers = error instanceof Failure ? markersOf(error.errors) : []
        throw inWords(error, this.#draft.path)
      }
    })
  }

  /** Asks what becomes of the two texts. @returns whether that is to be saved now */
  async #settle(): Promise<boolean> {
    const { app, project, pendingMerges } = this.#place
    const way = await conflictWay(app, this.#draft)
    const place = { ...changelogOf(project), path: this.#draft.path }
    if (way === 'mine') {
      this.#draft.rebase(this.#draft.text)
      // What was written by hand to merge both is in neither.
      void pendingMerges.giveUp(place)
    }
    if (way === 'theirs') {
      await this.#draft.discard()
      this.#form.load(this.#draft.text)
      await pendingMerges.forget(place)
    }
    if (way === 'merge') await this.#merge()
    return way === 'mine'
  }

  /** Saves it, and does something with what the service has then. */
  async act(work: (entry: Entry) => Promise<boolean>): Promise<void> {
    const isSaved = this.#draft.state === 'saved' && this.#entry !== undefined
    if (!isSaved && !(await this.save())) return
    await this.learn()
    if (this.#entry !== undefined && (await work(this.#entry))) await this.learn()
  }

  /** What the service says of it; what it cannot say now is not needed to write. */
  async learn(): Promise<void> {
    const { workspace, project, entries, app } = this.#place
    const id = entries.idOf(this.#draft)
    if (id === undefined || workspace.connection === 'offline') return
    try {
      this.#entry = await workspace.client.call(contract.changelog.read, { params: { slug: project.slug, id } })
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      app.log(`The entry ${id}: ${error.message}`)
    }
    app.refresh()
  }
}

/** What becomes of an entry that somebody else changed meanwhile; undefined: it is left as it is. */
type Way = 'mine' | 'theirs' | 'merge'

function conflictWay(app: App, { theirs }: Pick<Draft, 'theirs'>): Promise<Way | undefined> {
  if (theirs?.text === null) {
    return app.dialogs.choose<Way>({
      title: 'Somebody else deleted this entry',
      choices: [{ value: 'mine', label: 'Keep mine', detail: 'As a new entry, a draft' }],
    })
  }
  return app.dialogs.choose<Way>({
    title: 'Somebody else changed this entry',
    choices: [
      { value: 'merge', label: 'Put both together', detail: 'Piece by piece' },
      { value: 'mine', label: 'Keep mine', detail: 'What they wrote is replaced' },
      { value: 'theirs', label: 'Take theirs', detail: 'What you wrote here is forgotten' },
    ],
  })
}
