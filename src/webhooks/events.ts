import type { ErrorDetail } from '../contract/common.ts'
import type { Deploy } from '../contract/deploys.ts'
import type { WebhookEventType } from '../contract/webhooks.ts'

/** Something that happened in a project, as it is told to webhooks. JSON: it waits in the outbox. */
export interface WebhookEvent {
  /** `evt_…`; the header `webhook-id`, the same in every attempt and for every webhook. */
  readonly id: string
  readonly type: WebhookEventType | 'webhook.test'
  /** RFC 3339, UTC. */
  readonly at: string
  readonly project: { readonly slug: string; readonly title: string }
  readonly data: {
    /** One or a few sentences for people, of any length. */
    readonly message: string
    /** The live site, the preview, or the page of the entry. */
    readonly url: string
    /** The deploy or preview build that ended. */
    readonly deploy?: {
      readonly id: string
      readonly kind: string
      readonly branch?: string
      readonly commit?: string
      readonly durationMs?: number
    }
    /** The changelog entry that was published. */
    readonly entry?: { readonly id: string; readonly title: string; readonly version?: string }
  }
}

/** An event before the outbox adds the project to it. */
export interface NewEvent extends Omit<WebhookEvent, 'type' | 'project'> {
  readonly type: WebhookEventType
}

/** Whether an event tells of something that went wrong; chat messages of it are red. */
export function isFailure({ type }: Pick<WebhookEvent, 'type'>): boolean {
  return type.endsWith('.failed')
}

/** The end of a deploy as an event. Its id follows from the deploy's: one deploy, one event, however often it is told. */
export function eventOfDeploy(type: 'deploy.success' | 'deploy.failed', deploy: Deploy): NewEvent {
  const { id, url, finishedAt, createdAt } = deploy
  return {
    id: `evt_${id}`,
    type,
    at: finishedAt ?? createdAt,
    data: { message: messageOf(type, deploy), url, deploy: summarise(deploy) },
  }
}

/** What an event needs of a preview's build that ended. */
export interface PreviewBuilt {
  readonly branch: string
  /** Where the preview is. */
  readonly url: string
  readonly build: {
    readonly id: string
    readonly pages: { readonly total: number }
    readonly status: 'live' | 'failed'
    readonly commit: string
    readonly errors: readonly ErrorDetail[]
    readonly counts: { readonly errors: number }
    readonly durationMs: number
    readonly finishedAt: string
  }
}

/** The end of a build of a preview as an event. */
export function eventOfPreview({ branch, url, build }: PreviewBuilt): NewEvent {
  const { id, commit, durationMs, finishedAt } = build
  const live = build.status === 'live'
  const outcome = live
    ? `shows ${plural(build.pages.total, 'page')}.`
    : `does not build: ${failureText(build.errors, build.counts.errors)}`
  return {
    id: `evt_${id}`,
    type: live ? 'preview.success' : 'preview.failed',
    at: finishedAt,
    data: {
      message: `The preview of ${branch} ${outcome}`,
      url,
      deploy: { id, kind: 'preview', branch, commit, durationMs },
    },
  }
}

/** The kinds of deploys as messages name them. */
const kindNames = {
  deploy: 'Deploy',
  publish: 'Publish',
  push: 'Push',
  rollback: 'Rollback',
  preview: 'Preview',
} as const

function messageOf(type: 'deploy.success' | 'deploy.failed', { kind, number, branch, pages, errors, counts }: Deploy) {
  const what = `${kindNames[kind]} ${number}${branch === undefined ? '' : ` of ${branch}`}`
  if (type === 'deploy.success') {
    const live = `${what} is live: ${plural(pages.total, 'page')}.`
    return counts.errors === 0
      ? live
      : `${live} Some are as they were, or left out: ${failureText(errors, counts.errors)}`
  }
  return `${what} failed: ${failureText(errors, counts.errors)} What was live still is.`
}

/** The first error with its place, and how many more there are. */
function failureText(errors: readonly ErrorDetail[], count: number): string {
  const [first] = errors
  if (first === undefined) return 'it did not build.'
  const line = first.line === undefined ? '' : `:${first.line}`
  const place = first.path === undefined ? '' : `${first.path}${line}: `
  const more = count > 1 ? ` And ${plural(count - 1, 'more error')}.` : ''
  const { message } = first
  return `${place}${/[.!?]$/.test(message) ? message : `${message}.`}${more}`
}

function summarise({ id, kind, branch, commit, durationMs }: Deploy): NonNullable<NewEvent['data']['deploy']> {
  return {
    id,
    kind,
    ...(branch === undefined ? {} : { branch }),
    ...(commit === undefined ? {} : { commit }),
    ...(durationMs === undefined ? {} : { durationMs }),
  }
}

function plural(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}
