import { pageOf } from '../lib/pages.ts'
import { noProject } from '../projects/document.ts'
import { newId } from '../access/tokens.ts'
import type { List, ListQuery } from '../contract/common.ts'
import { Failure } from '../contract/failure.ts'
import {
  defaultWebhookEvents,
  webhookLimits,
  type CreatedWebhook,
  type RotatedSecret,
  type Webhook,
  type WebhookEventType,
} from '../contract/webhooks.ts'
import type { Store } from '../storage/store.ts'
import { admitUrl, type Guard } from './guard.ts'
import type { Keyring } from './keyring.ts'
import { kindOf, mintSecret } from './payloads.ts'
import { disable, type StoredWebhook, type WebhookDocument } from './stored-webhook.ts'

export interface SubscriptionsOptions {
  readonly store: Store
  readonly guard: Guard
  readonly keyring: Keyring
  readonly documentOf: (projectId: string) => string
  readonly now: () => Date
  /** Called after every change: what waits may go elsewhere now, or nowhere. */
  readonly onChange: (projectId: string) => void
}

export interface NewWebhook {
  readonly url: string
  readonly events?: readonly WebhookEventType[]
}

export interface WebhookChange extends Partial<NewWebhook> {
  readonly enabled?: boolean
}

const rotationMs = webhookLimits.rotationHours * 60 * 60 * 1000

/** Webhooks of projects: who is told of what. They live in the project's document. */
export class Subscriptions {
  readonly #options: SubscriptionsOptions

  constructor(options: SubscriptionsOptions) {
    this.#options = options
  }

  /**
   * The reply is the only place where the secret is shown. Throws Failure `webhook_url_*`, `invalid_request` when the
   * project has as many as it may, `not_found`, `unavailable` where no secret can be sealed.
   */
  async create(projectId: string, { url, events = defaultWebhookEvents }: NewWebhook): Promise<CreatedWebhook> {
    const kind = kindOf(await admitUrl(this.#options.guard, url))
    const at = this.#options.now().toISOString()
    const secret = mintSecret()
    const id = newId('wh')
    const webhook: StoredWebhook = {
      id,
      url,
      kind,
      events: [...events],
      enabled: true,
      secrets: [{ value: this.#options.keyring.seal(secret, id), createdAt: at }],
      createdAt: at,
      updatedAt: at,
    }
    await this.#change(projectId, (webhooks) => {
      if (webhooks.length >= webhookLimits.ofProject) throw tooMany(webhooks.length)
      webhooks.push(webhook)
    })
    return { ...present(webhook), secret }
  }

  /** Webhooks of a project, newest first. Throws Failure `not_found`. */
  async list(projectId: string, query: ListQuery = {}): Promise<List<Webhook>> {
    const webhooks = (await this.#read(projectId)).map(present)
    return pageOf(webhooks, query, ({ createdAt, id }) => `${createdAt} ${id}`)
  }

  /** Throws Failure `not_found`. */
  async read(projectId: string, id: string): Promise<Webhook> {
    return present(pick(await this.#read(projectId), id))
  }

  /** What is left out stays. Throws Failure `webhook_url_*`, `not_found`. */
  async update(projectId: string, id: string, { url, events, enabled }: WebhookChange): Promise<Webhook> {
    pick(await this.#read(projectId), id)
    const kind = url === undefined ? undefined : kindOf(await admitUrl(this.#options.guard, url))
    const now = this.#options.now()
    return this.#change(projectId, (webhooks) => {
      const webhook = pick(webhooks, id)
      if (url !== undefined && kind !== undefined) redirect(webhook, { url, kind })
      if (events !== undefined) webhook.events = [...events]
      if (enabled === true) enable(webhook)
      if (enabled === false && webhook.enabled) disable(webhook, 'It was disabled by a member of the project.', now)
      webhook.updatedAt = now.toISOString()
      return present(webhook)
    })
  }

  /** Throws Failure `not_found`. */
  async remove(projectId: string, id: string): Promise<void> {
    await this.#change(projectId, (webhooks) => {
      webhooks.splice(webhooks.indexOf(pick(webhooks, id)), 1)
    })
  }

  /**
   * Puts a new secret in the place of the current one, which goes on signing for a day; the one before that ends now.
   * Throws Failure `not_found`, `unavailable` where no secret can be sealed.
   */
  async rotate(projectId: string, id: string): Promise<RotatedSecret> {
    const now = this.#options.now()
    const secret = mintSecret()
    const value = this.#options.keyring.seal(secret, id)
    const previousExpiresAt = new Date(now.getTime() + rotationMs).toISOString()
    await this.#change(projectId, (webhooks) => {
      const webhook = pick(webhooks, id)
      const previous = webhook.secrets.slice(0, 1).map((stored) => ({ ...stored, expiresAt: previousExpiresAt }))
      webhook.secrets = [{ value, createdAt: now.toISOString() }, ...previous]
      webhook.updatedAt = now.toISOString()
    })
    return { id, secret, previousExpiresAt }
  }

  async #read(projectId: string): Promise<readonly StoredWebhook[]> {
    const document = await this.#options.store.read<WebhookDocument>(this.#options.documentOf(projectId))
    if (document === undefined) throw noProject(projectId)
    return document.webhooks ?? []
  }

  async #change<R>(projectId: string, change: (webhooks: StoredWebhook[]) => R): Promise<R> {
    const { store, documentOf, onChange } = this.#options
    const changed = await store.mutate<WebhookDocument, R>(documentOf(projectId), (draft) => {
      if (draft === undefined) throw noProject(projectId)
      draft.webhooks ??= []
      return { result: change(draft.webhooks), document: draft }
    })
    onChange(projectId)
    return changed
  }
}

/** How the receiver before was says nothing about another one. */
function redirect(webhook: StoredWebhook, { url, kind }: Pick<StoredWebhook, 'url' | 'kind'>): void {
  if (url !== webhook.url) delete webhook.failingSince
  Object.assign(webhook, { url, kind })
}

function enable(webhook: StoredWebhook): void {
  webhook.enabled = true
  delete webhook.disabledReason
  delete webhook.disabledAt
  delete webhook.failingSince
}

/** Without its secrets; shares nothing with the stored one. */
function present({ secrets: _secrets, ...shown }: Readonly<StoredWebhook>): Webhook {
  return { ...shown, events: [...shown.events] }
}

function pick(webhooks: readonly StoredWebhook[], id: string): StoredWebhook {
  const webhook = webhooks.find((candidate) => candidate.id === id)
  if (webhook === undefined) throw new Failure('not_found', `The project has no webhook ${id}.`)
  return webhook
}

function tooMany(count: number): Failure {
  return new Failure('invalid_request', `The project has ${count} webhooks, which is the most.`, {
    hint: 'Delete webhooks that are not in use.',
  })
}
