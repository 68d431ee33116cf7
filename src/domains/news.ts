import type { AuditActor } from '../contract/audit.ts'
import { letterOf } from '../mail/letter.ts'
import type { Letter } from '../mail/mailer.ts'
import { graceEnd, type StoredDomain } from './stored-domain.ts'
import { recordName } from './txt-lookup.ts'

/** What became of a verified domain without anybody of its project doing anything. `until`: RFC 3339. */
export type DomainEvent =
  | { readonly what: 'missing'; readonly name: string; readonly until: string }
  | { readonly what: 'lost' | 'moved'; readonly name: string }

/** What a look-up changed that the project has to hear of. */
export function eventOf(before: Readonly<StoredDomain>, after: Readonly<StoredDomain>): DomainEvent | undefined {
  const { name, verifiedAt, missingSince } = after
  if (before.verifiedAt === undefined) return undefined
  if (verifiedAt === undefined) return { what: 'lost', name }
  if (before.missingSince !== undefined || missingSince === undefined) return undefined
  return { what: 'missing', name, until: graceEnd(missingSince).toISOString() }
}

interface Entry {
  readonly action: string
  readonly actor: AuditActor
  readonly address: string
  readonly target: string
  readonly detail?: string
}

export interface DomainNewsOptions {
  readonly audit: { record(project: string, entry: Entry): Promise<void> }
  readonly slugOf: (project: string) => string
  /** Origin of the dashboard. */
  readonly publicUrl: string
  /** Writes to the owner of a project, where the service sends mail and they were not written to too often. */
  readonly mail: (project: string, letterTo: (address: string) => Letter) => Promise<void>
  /** What was not told: the domain is as it is. */
  readonly onError: (error: unknown, project: string) => void
}

/** Tells a project what became of its domains: in its audit log, and by a letter to its owner. */
export class DomainNews {
  readonly #options: DomainNewsOptions

  constructor(options: DomainNewsOptions) {
    this.#options = options
  }

  /** Never rejects. */
  async tell(project: string, event: DomainEvent): Promise<void> {
    const { audit, mail, onError } = this.#options
    const { what, name } = event
    const entry: Entry = {
      action: `domains.${what}`,
      actor: { kind: 'service', id: 'service', name: 'service' },
      address: 'local',
      target: name,
      ...(what === 'missing' ? { detail: event.until } : {}),
    }
    await audit.record(project, entry).catch((error: unknown) => onError(error, project))
    await mail(project, (to) => this.#letter(to, project, event)).catch((error: unknown) => onError(error, project))
  }

  #letter(to: string, project: string, event: DomainEvent): Letter {
    const { publicUrl, slugOf } = this.#options
    const { what, name } = event
    const slug = slugOf(project)
    const link = { label: 'See what to enter', url: `${publicUrl}/dashboard/${slug}/settings/domains` }
    const record = `the TXT record ${recordName(name)}`
    if (what === 'missing')
      return letterOf({
        to,
        subject: `The record of ${name} is missing`,
        opening: [
          `The project ${slug} is served at ${name}. When we looked for ${record}, which shows that the domain is yours, it was not there.`,
          `The site stays there until ${event.until.slice(0, 10)}. Enter the record again before that day.`,
        ],
        link,
        closing: ['Nothing else is to be done: it is looked for every hour.'],
      })
    return letterOf({
      to,
      subject: `${name} is not served any more`,
      opening: [
        what === 'moved'
          ? `Another project of the service has shown that ${name} is its own. The project ${slug} is not served there any more.`
          : `For a week ${record} was missing, which shows that ${name} is yours. The project ${slug} is not served there any more.`,
        'Its other addresses stay as they are.',
      ],
      link,
      closing: ['To have it back, enter the record, and verify the domain.'],
    })
  }
}
