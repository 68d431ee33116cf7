import { contract } from '#contract/index.ts'
import {
  defaultWebhookEvents,
  webhookLimits,
  type CreatedWebhook,
  type Webhook,
  type WebhookEventType,
} from '#contract/webhooks.ts'
import { firstItems } from '#cli/service/project.ts'
import { eventOf, webhookEvents, webhookState, webhookTrouble } from '#cli/webhook-words.ts'
import type { Field } from '../../app/dialogs.ts'
import type { Command, View } from '../../app/view.ts'
import { span } from '../../canvas/lines.ts'
import type { Color } from '../../canvas/style.ts'
import { shown } from '../../canvas/width.ts'
import type { ProjectPlace } from '../shared/context.ts'
import { deliveriesView, tellDelivery } from './deliveries.ts'
import { tickedIn } from '../../panes/checklist-field.ts'
import { factLines, timeText } from '../shared/facts.ts'
import { PanelView } from './panel.ts'
import { refusalOf } from '../shared/refusals.ts'
import { row } from '../shared/row.ts'
import { showOnce } from './show-once.ts'

const stateColors: Readonly<Record<ReturnType<typeof webhookState>, Color>> = {
  disabled: 'danger',
  enabled: 'success',
  failing: 'warning',
}

/** What each event tells. */
const meanings: Readonly<Record<WebhookEventType, string>> = {
  'deploy.success': 'the site is live',
  'deploy.failed': 'it was not published, and why',
  'preview.success': 'a branch has a new preview',
  'preview.failed': 'a branch does not build',
  'changelog.published': 'readers see an entry',
}
const eventChecks = webhookEvents.map((event) => ({ value: event, detail: meanings[event] }))

/** The webhooks of a project: who is told of its deploys, previews and changelog. */
export function webhooksView(place: ProjectPlace): View {
  const { app, workspace, project } = place
  const params = { slug: project.slug }
  return new PanelView<Webhook>(app, {
    title: 'Webhooks',
    about: 'Addresses that are told when something is deployed, previewed or announced, and how that went.',
    load: () => firstItems((query) => workspace.client.call(contract.webhooks.list, { params, query })),
    row: (webhook, width) => {
      const state = webhookState(webhook)
      return row(width, [
        { line: [span(state, { color: stateColors[state] })], width: 8 },
        { line: [span(shown(webhook.url))] },
        { line: [span(webhook.kind, { color: 'muted' })], width: 7, from: 50 },
      ])
    },
    text: ({ url, events }) => `${shown(url)} ${events.join(' ')}`,
    key: ({ id }) => id,
    empty:
      'Nobody is told of what happens here yet. A webhook tells another service, such as Slack, of deploys, previews and changelog entries: n adds one.',
    details: (webhook, width) => detailsOf(webhook, width),
    commands: (panel) => new WebhookCommands(place).of(panel),
    onOpen: (webhook) => app.push(deliveriesView(place, webhook)),
    opens: 'deliveries',
  })
}

function detailsOf(webhook: Webhook, width: number) {
  const state = webhookState(webhook)
  const trouble = webhookTrouble(webhook, timeText)
  return factLines(
    [
      { name: 'Address', text: webhook.url },
      { name: 'Kind', text: webhook.kind },
      { name: 'State', text: state, style: { color: stateColors[state] } },
      trouble === undefined ? undefined : { name: 'Why', text: trouble },
      { name: 'Events', text: webhook.events.join(', ') },
      { name: 'Since', text: timeText(webhook.createdAt) },
      { name: 'Id', text: webhook.id, style: { color: 'muted' } },
    ],
    width,
  )
}

/** What can be done with webhooks. */
class WebhookCommands {
  readonly #place: ProjectPlace

  constructor(place: ProjectPlace) {
    this.#place = place
  }

  of(panel: PanelView<Webhook>): Command[] {
    const { selected } = panel
    const { workspace, project } = this.#place
    const refusal = refusalOf(workspace, { project, scope: 'write' })
    const command = (
      own: Pick<Command, 'id' | 'title' | 'keys' | 'hint'>,
      run: (webhook: Webhook) => Promise<void>,
    ): Command[] =>
      selected === undefined ? [] : [{ ...own, ...refusal, run: () => run(selected).then(() => panel.reload()) }]
    return [
      {
        id: 'webhook.create',
        title: 'Add a webhook',
        keys: ['n'],
        hint: 'add',
        ...refusal,
        run: () => this.#create().then(() => panel.reload()),
      },
      ...command({ id: 'webhook.change', title: 'Change address and events', keys: ['e'], hint: 'change' }, (webhook) =>
        this.#change(webhook),
      ),
      ...command({ id: 'webhook.test', title: 'Send a test event', keys: ['t'], hint: 'test' }, (webhook) =>
        this.#test(webhook),
      ),
      ...command(
        selected?.enabled === false
          ? { id: 'webhook.enable', title: 'Enable the webhook', keys: ['p'], hint: 'enable' }
          : { id: 'webhook.disable', title: 'Disable the webhook', keys: ['p'], hint: 'disable' },
        (webhook) => this.#toggle(webhook),
      ),
      ...command({ id: 'webhook.rotate', title: 'Replace the secret', keys: ['s'] }, (webhook) =>
        this.#rotate(webhook),
      ),
      ...command(
        { id: 'webhook.remove', title: 'Delete the webhook', keys: ['x', 'delete'], hint: 'delete' },
        (webhook) => this.#remove(webhook),
      ),
    ]
  }

  get #params(): { readonly slug: string } {
    return { slug: this.#place.project.slug }
  }

  async #create(): Promise<void> {
    let created: CreatedWebhook | undefined
    await this.#place.app.dialogs.ask({
      title: 'Add a webhook',
      fields: [addressField(''), eventsField(defaultWebhookEvents)],
      act: 'Add it',
      submit: async ({ url = '', events = '' }) => {
        const body = { url, events: tickedIn(events).map(eventOf) }
        created = await this.#place.workspace.client.call(contract.webhooks.create, { params: this.#params, body })
      },
    })
    if (created === undefined) return
    if (created.kind !== 'generic') this.#place.app.notify(`Added: ${shown(created.url)}`, 'success')
    else await this.#tellSecret(created.secret, 'Deliveries are signed with this secret (Standard Webhooks).')
  }

  async #change({ id, url: before, events: subscribed }: Webhook): Promise<void> {
    await this.#place.app.dialogs.ask({
      title: 'Change the webhook',
      fields: [addressField(before), eventsField(subscribed)],
      act: 'Save',
      submit: async ({ url = '', events = '' }) => {
        const body = { url, events: tickedIn(events).map(eventOf) }
        await this.#place.workspace.client.call(contract.webhooks.update, { params: { ...this.#params, id }, body })
      },
    })
  }

  async #test({ id, url }: Webhook): Promise<void> {
    const delivery = await this.#place.app.task(`Sending a test event to ${shown(url)}`, (signal) =>
      this.#place.workspace.client.call(contract.webhooks.test, { params: { ...this.#params, id }, signal }),
    )
    if (delivery !== undefined) tellDelivery(this.#place.app, delivery)
  }

  async #toggle({ id, url, enabled }: Webhook): Promise<void> {
    const done = await this.#place.app.task(enabled ? 'Disabling the webhook' : 'Enabling the webhook', (signal) =>
      this.#place.workspace.client.call(contract.webhooks.update, {
        params: { ...this.#params, id },
        body: { enabled: !enabled },
        signal,
      }),
    )
    if (done !== undefined)
      this.#place.app.notify(`${shown(url)} is ${done.enabled ? 'enabled' : 'disabled'}.`, 'success')
  }

  /** Not to be broken off: a lost answer would be a lost secret. */
  async #rotate({ id, url }: Webhook): Promise<void> {
    const isMeant = await this.#place.app.dialogs.confirm({
      title: 'Replace the secret?',
      body: [shown(url), `For ${webhookLimits.rotationHours} hours deliveries are signed with the old one as well.`],
      act: 'Replace it',
    })
    if (!isMeant) return
    const rotated = await this.#place.app.task('Replacing the secret', () =>
      this.#place.workspace.client.call(contract.webhooks.rotate, { params: { ...this.#params, id } }),
    )
    if (rotated !== undefined)
      await this.#tellSecret(rotated.secret, `Until ${timeText(rotated.previousExpiresAt)} the old one signs as well.`)
  }

  async #remove({ id, url }: Webhook): Promise<void> {
    const isMeant = await this.#place.app.dialogs.confirm({
      title: 'Delete the webhook?',
      body: [shown(url), 'What waits for it is not delivered any more, and its deliveries are forgotten.'],
      act: 'Delete it',
      danger: true,
    })
    if (!isMeant) return
    await this.#place.app.task('Deleting the webhook', async (signal) => {
      await this.#place.workspace.client.call(contract.webhooks.remove, { params: this.#params, query: { id }, signal })
      this.#place.app.notify(`Deleted: ${shown(url)}`, 'success')
    })
  }

  #tellSecret(secret: string, about: string): Promise<void> {
    return showOnce(this.#place.app, { title: 'The secret of the webhook', secret, about: [about] })
  }
}

function addressField(value: string): Field {
  return {
    name: 'url',
    label: 'Address',
    value,
    placeholder: 'https://example.com/hook',
    help: 'HTTPS. Slack and Discord are recognised, and get messages of their own kind.',
    // Which hosts may be told without TLS the service knows: it says so here, in the form.
    check: (url) => (/^https?:\/\/./i.test(url.trim()) ? undefined : 'The address begins with https://'),
  }
}

function eventsField(events: readonly string[]): Field {
  return { name: 'events', label: 'Events', value: events.join(', '), checks: eventChecks }
}
