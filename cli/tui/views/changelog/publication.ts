import type { Entry, EntryChange } from '#contract/changelog.ts'
import { Failure } from '#contract/failure.ts'
import { contract } from '#contract/index.ts'
import type { Confirmation } from '../../app/dialogs.ts'
import { shown } from '../../canvas/width.ts'
import type { ProjectPlace } from '../shared/context.ts'
import { distanceText, readTime, whenText } from './when.ts'

/** What a person can do with an entry that the service has; each asks first, and answers whether it was done. */
export class Publication {
  readonly #place: ProjectPlace

  constructor(place: ProjectPlace) {
    this.#place = place
  }

  /** Now, or back at the time at which it was published before. */
  async publish(entry: Entry): Promise<boolean> {
    const { id, status, published_at: before } = entry
    const isAgain = status === 'draft' && before !== undefined && Date.parse(before) <= Date.now()
    const time = isAgain ? await this.#timeAgain(entry, before) : 'now'
    if (time === undefined) return false
    if (!isAgain && !(await this.#confirmed(publishing(entry)))) return false
    // Of what is scheduled, `is_draft` says nothing new.
    const at = time === 'now' && status === 'draft' ? {} : { published_at: new Date().toISOString() }
    const change = time === 'back' && before !== undefined ? { published_at: before } : at
    const seen = { id, if_updated_at: entry.updated_at }
    return this.#change(`Publishing ${name(entry)}`, { ...seen, is_draft: false, ...change }, 'is published')
  }

  async schedule(entry: Entry): Promise<boolean> {
    const { status, published_at: before } = entry
    let done = false
    await this.#place.app.dialogs.ask({
      title: status === 'scheduled' ? 'Publish it at another time' : 'Publish it later',
      body: [`${name(entry)} appears on the changelog page and in the feeds at that time.`],
      fields: [
        {
          name: 'when',
          label: 'When',
          value: status === 'scheduled' && before !== undefined ? localText(new Date(before)) : '',
          placeholder: 'tomorrow 9:00',
          help: helpOf,
          check: troubleOf,
        },
      ],
      act: 'Schedule it',
      submit: async ({ when = '' }) => {
        const read = readTime(when)
        if ('trouble' in read) return
        const seen = { id: entry.id, if_updated_at: entry.updated_at }
        await this.#send({ ...seen, is_draft: false, published_at: read.time.toISOString() })
        this.#place.app.notify(`${name(entry)} appears on ${whenText(read.time)}.`, 'success')
        done = true
      },
    })
    return done
  }

  async withdraw(entry: Entry): Promise<boolean> {
    const isPublic = entry.status === 'published'
    const isMeant = await this.#confirmed({
      title: isPublic ? 'Withdraw the entry?' : 'Do not publish it then?',
      body: [
        name(entry),
        isPublic
          ? 'It leaves the changelog page and the feeds at once, and is a draft again. Who has read it has read it.'
          : 'It is a draft again, and does not appear by itself.',
      ],
      act: isPublic ? 'Withdraw it' : 'Make it a draft',
    })
    const change = { id: entry.id, if_updated_at: entry.updated_at, is_draft: true }
    return isMeant && this.#change(`Withdrawing ${name(entry)}`, change, 'is a draft again')
  }

  async remove(entry: Entry): Promise<boolean> {
    const isMeant = await this.#confirmed({
      title: 'Delete the entry?',
      body: [
        name(entry),
        entry.status === 'published' ? 'It leaves the changelog page and the feeds at once.' : '',
        'It cannot be brought back.',
      ].filter((line) => line !== ''),
      act: 'Delete it',
      danger: true,
    })
    if (!isMeant) return false
    const done = await this.#place.app.task(`Deleting ${name(entry)}`, async (signal) => {
      const query = { id: entry.id, if_updated_at: entry.updated_at }
      const options = { params: { slug: this.#place.project.slug }, query, signal }
      await unlessChanged(this.#place.workspace.client.call(contract.changelog.remove, options))
      return true
    })
    if (done === true) this.#place.app.notify(`${name(entry)} is deleted.`, 'success')
    return done === true
  }

  #timeAgain(entry: Entry, before: string): Promise<'now' | 'back' | undefined> {
    return this.#place.app.dialogs.choose<'now' | 'back'>({
      title: `Publish ${name(entry)} again`,
      choices: [
        { value: 'now', label: 'As new, now', detail: 'At the top of the page, and announced' },
        { value: 'back', label: 'Where it was', detail: whenText(new Date(before)) },
      ],
    })
  }

  async #change(title: string, change: EntryChange, became: string): Promise<boolean> {
    const changed = await this.#place.app.task(title, () => this.#send(change))
    if (changed !== undefined) this.#place.app.notify(`${name(changed)} ${became}.`, 'success')
    return changed !== undefined
  }

  #send(body: EntryChange): Promise<Entry> {
    const params = { slug: this.#place.project.slug }
    return unlessChanged(this.#place.workspace.client.call(contract.changelog.update, { params, body }))
  }

  #confirmed(confirmation: Confirmation): Promise<boolean> {
    return this.#place.app.dialogs.confirm(confirmation)
  }
}

/** What is decided of an entry is decided of what was seen. @throws Failure, with the way on in words of this view */
async function unlessChanged<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'stale_entry') throw error
    throw new Failure(error.code, error.message, {
      hint: 'Open it to see what it says now, then do this again.',
      cause: error,
    })
  }
}

function publishing(entry: Entry): Confirmation {
  return {
    title: 'Publish the entry?',
    body: [
      name(entry),
      'Everybody can read it at once, on the changelog page and in the feeds; webhooks that wait for it are told.',
    ],
    act: 'Publish it',
  }
}

function name({ title }: Entry): string {
  return `“${shown(title)}”`
}

function helpOf(text: string): string {
  const read = readTime(text)
  return 'trouble' in read ? read.trouble : `${whenText(read.time)}, ${distanceText(read.time)}`
}

function troubleOf(text: string): string | undefined {
  const read = readTime(text)
  if ('trouble' in read) return read.trouble
  return read.time.getTime() <= Date.now() ? `${whenText(read.time)} is over. To publish it now, go back.` : undefined
}

/** As it can be typed: `2027-03-01 09:00`. */
function localText(time: Date): string {
  const two = (value: number): string => String(value).padStart(2, '0')
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}`
}
