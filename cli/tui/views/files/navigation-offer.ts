import { configFile, eachConfigFile } from '#authoring/config-files.ts'
import type { NavigationPlace, NavigationPlaces } from '#authoring/navigation.ts'
import { Failure } from '#contract/failure.ts'
import type { App } from '../../app/app.ts'
import { shown } from '../../canvas/width.ts'
import type { BranchFiles } from '../../data/branch-files.ts'
import type { DraftState } from '../../data/drafts/draft.ts'

/** Shows pages in the navigation of docs.json, or of a file that it includes, where the person says so. */
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
    const all: NavigationPlaces[] = []
    await eachConfigFile(
      (file) => this.#text(file),
      async (file, text) => void all.push(await placesIn(text, path, file)),
    )
    return {
      has: all.find(({ has }) => has !== undefined)?.has,
      places: all.flatMap(({ places }) => places).toSorted((a, b) => b.siblings - a.siblings),
    }
  }

  /** With what is typed and not saved. That docs.json includes what is not there is told where it is written. */
  async #text(file: string): Promise<string | undefined> {
    try {
      const draft = await this.#files.edit(file)
      await draft.close()
      return draft.text
    } catch (error) {
      if (file === configFile || !(error instanceof Failure) || error.code !== 'not_found') throw error
      return undefined
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
        { value: undefined, label: 'Not now', detail: 'the navigation stays as it is' },
      ],
    })
    if (place !== undefined) await this.#app.task(`Saving ${shown(place.file)}`, () => this.#insert(path, place))
  }

  async #insert(path: string, { file, label, after }: NavigationPlace): Promise<void> {
    const draft = await this.#files.edit(file)
    const name = shown(file)
    const stateNow = (): DraftState => draft.state
    try {
      if (stateNow() !== 'saved')
        throw new Failure('invalid_request', `${name} has changes here that are not saved.`, {
          hint: 'Open it, save or discard them, and then add the page with N.',
        })
      // Somebody may have saved it while the person chose: theirs stays.
      const { places } = await placesIn(draft.text, path, file)
      const place = places.find((one) => one.label === label && one.after === after)
      if (place === undefined)
        throw new Failure('stale_file', `${name} was changed meanwhile, and has no such place any more.`, {
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
        this.#app.notify(`Somebody saved ${name} meanwhile: open it to settle the conflict.`, 'warning')
      else
        this.#app.notify(
          `${shown(path)} is in ${shown(label)}; ${file === configFile ? name : 'it'} is saved.`,
          'success',
        )
    } finally {
      await draft.close()
    }
  }
}

/** What reads JSON with its places is loaded when it is needed. */
async function placesIn(text: string, path: string, file: string): Promise<NavigationPlaces> {
  const { navigationPlaces } = await import('#authoring/navigation.ts')
  return navigationPlaces(text, path, file)
}
