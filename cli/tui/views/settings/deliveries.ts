import { contract } from '#contract/index.ts'
import type { Delivery, DeliveryStatus, DeliverySummary, Webhook } from '#contract/webhooks.ts'
import { firstItems } from '#cli/service/project.ts'
import { exchangeOf } from '#cli/webhook-words.ts'
import type { App } from '../../app/app.ts'
import { LinesPane } from '../../app/dialogs/reader.ts'
import type { Command, View } from '../../app/view.ts'
import { span, wrapText } from '../../canvas/lines.ts'
import type { Color, Line } from '../../canvas/style.ts'
import { shown } from '../../canvas/width.ts'
import { ageOf } from '../shared/age.ts'
import type { ProjectPlace } from '../shared/context.ts'
import { factLines, timeText } from '../shared/facts.ts'
import { PanelView } from './panel.ts'
import { refusalOf } from '../shared/refusals.ts'
import { row } from '../shared/row.ts'

/** Nobody reads further back in a terminal. */
const listed = 200

const statusColors: Readonly<Record<DeliveryStatus, Color>> = {
  succeeded: 'success',
  failed: 'danger',
  skipped: 'warning',
}

/** The deliveries of a webhook, newest first. */
export function deliveriesView({ app, workspace, project }: ProjectPlace, webhook: Webhook): View {
  const { id } = webhook
  const { client } = workspace
  const { slug } = project
  let onlyFailed = false
  const open = async (panel: PanelView<DeliverySummary>, again: boolean): Promise<void> => {
    const { selected } = panel
    if (selected === undefined) return
    const params = { slug, id, delivery: selected.id }
    const delivery = await app.task(again ? 'Delivering it again' : 'Reading the delivery', (signal) =>
      client.call(again ? contract.webhooks.redeliver : contract.webhooks.delivery, { params, signal }),
    )
    if (delivery === undefined) return
    if (again) {
      tellDelivery(app, delivery)
      await panel.reload()
    } else await app.dialogs.tell({ title: `Delivery ${delivery.id}`, body: new LinesPane(exchangeLines(delivery)) })
  }
  const panel: PanelView<DeliverySummary> = new PanelView<DeliverySummary>(app, {
    title: 'Deliveries',
    about: `What was sent to ${shown(webhook.url)}, and what it answered.`,
    load: () =>
      firstItems((page) => {
        const query = { ...page, ...(onlyFailed ? { status: 'failed' as const } : {}) }
        return client.call(contract.webhooks.deliveries, { params: { slug, id }, query })
      }, listed),
    row: (delivery, width) =>
      row(width, [
        { line: [span(delivery.status, { color: statusColors[delivery.status] })], width: 9 },
        { line: [span(shown(delivery.event.type))] },
        { line: [span(String(delivery.responseStatus ?? '–'))], width: 3, right: true },
        { line: [span(ageOf(delivery.at), { color: 'muted' })], width: 10, right: true, from: 50 },
      ]),
    text: ({ event, status, trigger }) => `${status} ${event.type} ${trigger}`,
    key: (delivery) => delivery.id,
    get empty() {
      if (onlyFailed) return 'Nothing that was sent has failed. f shows all deliveries.'
      return 'Nothing has been sent yet. Back at the webhook, t sends a test event.'
    },
    details: detailsOf,
    commands: (): Command[] => [
      ...(panel.selected === undefined
        ? []
        : [
            {
              id: 'delivery.again',
              title: 'Deliver it again, with the same id and body',
              keys: ['d'],
              hint: 'deliver again',
              ...refusalOf(workspace, { project, scope: 'write' }),
              run: () => open(panel, true),
            },
          ]),
      {
        id: 'delivery.failed',
        title: onlyFailed ? 'Show all deliveries' : 'Show only those that failed',
        keys: ['f'],
        hint: onlyFailed ? 'all' : 'failed',
        run: () => {
          onlyFailed = !onlyFailed
          return panel.reload()
        },
      },
    ],
    onOpen: () => void open(panel, false),
    opens: 'request and answer',
  })
  return panel
}

/** Says how a delivery that was asked for went. */
export function tellDelivery(app: App, { status, responseStatus, error, durationMs }: Delivery): void {
  const took = `${Math.round(durationMs)} ms`
  if (status === 'succeeded') app.notify(`It arrived: ${responseStatus ?? ''} after ${took}.`, 'success')
  else app.notify(`It did not arrive: ${shown(error ?? `${status}, answered ${responseStatus ?? 'nothing'}`)}`, 'error')
}

function detailsOf(delivery: DeliverySummary, width: number): Line[] {
  const { status, error, nextAttemptAt, responseStatus } = delivery
  return [
    ...factLines(
      [
        { name: 'Event', text: delivery.event.type },
        { name: 'When', text: timeText(delivery.at) },
        { name: 'Outcome', text: status, style: { color: statusColors[status] } },
        responseStatus === undefined ? undefined : { name: 'Answer', text: String(responseStatus) },
        error === undefined ? undefined : { name: 'Why', text: error },
        { name: 'Took', text: `${Math.round(delivery.durationMs)} ms` },
        { name: 'Attempt', text: `${delivery.attempt}${delivery.trigger === 'event' ? '' : `, ${delivery.trigger}`}` },
        nextAttemptAt === undefined ? undefined : { name: 'Next', text: timeText(nextAttemptAt) },
        { name: 'Event id', text: delivery.event.id, style: { color: 'muted' } },
      ],
      width,
    ),
    [],
    [span('Enter shows request and answer.', { color: 'muted' })],
  ]
}

/** Wrapped once for a width: bodies are long, and this is asked for on every repaint. */
function exchangeLines(delivery: Delivery): (width: number) => readonly Line[] {
  let ready: { readonly width: number; readonly lines: readonly Line[] } | undefined
  return (width) => {
    if (ready?.width !== width) ready = { width, lines: wrapped(delivery, width) }
    return ready.lines
  }
}

function wrapped(delivery: Delivery, width: number): Line[] {
  return exchangeOf(delivery).flatMap(({ name, text, remark }) => {
    const label = name === undefined ? '' : `${shown(name)}: `
    const style = remark === true ? ({ color: 'muted' } as const) : undefined
    return text
      .split('\n')
      .flatMap((line, index) => wrapText((index === 0 ? label : '') + shown(line), width))
      .map((line, index) =>
        index === 0 && label !== '' && line.startsWith(label)
          ? [span(label, { color: 'muted' }), span(line.slice(label.length), style)]
          : [span(line, style)],
      )
  })
}
