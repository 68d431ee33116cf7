import { Failure } from '../../../../src/contract/failure.ts'
import type { App } from '../../app/app.ts'
import { shown } from '../../canvas/width.ts'
import type { BranchFiles } from '../../data/branch-files.ts'
import type { DraftState } from '../../data/drafts/draft.ts'
import type { NavigationPlace, NavigationPlaces } from './navigation.ts'

const config = 'docs.json'

/** Shows pages in the navigation of docs.json, where the person says so. */
export class NavigationOffer {
  readonly #app: App
  readonly #files: BranchFiles

  constructor(app: App, files: BranchFiles) {
    this.#app = app
    this.#files = files
  }

  /** Of a page that was just made: nothing is said where docs.json has no place for it. */
  async offer(path: string): Promise<void> {
    const { has, places } = await this.#read(path).catch((): NavigationPlaces => ({ has: undefined, places: [] }))
    if (has === undefined && places.length > 0) await this.#choose(path, places)
  }

  /** Of any page. @throws Failure where docs.json has no place for it */
  async add(path: string): Promise<void> {
    const { has, places } = await this.#read(path)
    if (has !== undefined) return this.#app.notify(`${shown(path)} is in ${shown(has)} already.`)
    if (places.length === 0)
      throw new Failure('invalid_content', 'docs.json has no list of pages that this one could stand in.', {
        hint: 'Open it, and add a group with "pages" to its navigation.',
      })
    await this.#choose(path, places)
  }

  async #read(path: string): Promise<NavigationPlaces> {
    const draft = await this.#files.edit(config)
    try {
      return await placesIn(draft.text, path)
    } finally {
      await draft.close()
    }
  }

  async #choose(path: string, places: readonly NavigationPlace[]): Promise<void> {
    const place = await this.#app.dialogs.choose<NavigationPlace | undefined>({
      title: `Show ${shown(path)} in the navigation?`,
      choices: [
        ...places.map((one) => ({
          value: one,
          label: `In ${shown(one.label)}`,
          detail: one.after === undefined ? 'the first page there' : `after ${shown(one.after)}`,
        })),
        { value: undefined, label: 'Not now', detail: 'docs.json stays as it is' },
      ],
    })
    if (place !== undefined) await this.#app.task('Saving docs.json', () => this.#insert(path, place))
  }

  async #insert(path: string, { label, after }: NavigationPlace): Promise<void> {
    const draft = await this.#files.edit(config)
    const stateNow = (): DraftState => draft.state
    try {
      if (stateNow() !== 'saved')
        throw new Failure('invalid_request', 'docs.json has changes here that are not saved.', {
          hint: 'Open it, save or discard them, and then add the page with N.',
        })
      // Somebody may have saved it while the person chose: theirs stays.
      const { places } = await placesIn(draft.text, path)
      const place = places.find((one) => one.label === label && one.after === after)
      if (place === undefined)
        throw new Failure('stale_file', 'docs.json was changed meanwhile, and has no such place any more.', {
          hint: 'N shows the places that it has now.',
        })
      const { cursor } = draft
      const text = place.insert()
      draft.changed(
        () => text,
        () => cursor,
      )
      await draft.save(`Show ${path} in the navigation`)
      if (stateNow() === 'conflict')
        this.#app.notify('Somebody saved docs.json meanwhile: open it to settle the conflict.', 'warning')
      else this.#app.notify(`${shown(path)} is in ${shown(label)}; docs.json is saved.`, 'success')
    } finally {
      await draft.close()
    }
  }
}

/** What reads JSON with its places is loaded when it is needed. */
async function placesIn(text: string, path: string): Promise<NavigationPlaces> {
  const { navigationPlaces } = await import('./navigation.ts')
  return navigationPlaces(text, path)
}
