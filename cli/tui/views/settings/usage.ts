import { contract } from '#contract/index.ts'
import type { ProjectUsage } from '#contract/usage.ts'
import { alarmOf, modelsText, planText, usageRows, type UsageRow } from '#cli/usage-words.ts'
import { LinesPane } from '../../app/dialogs/reader.ts'
import type { Command, View } from '../../app/view.ts'
import { span, wrapText } from '../../canvas/lines.ts'
import type { Region, Size } from '../../canvas/pane.ts'
import type { Color, Line, Style } from '../../canvas/style.ts'
import type { ProjectPlace } from '../shared/context.ts'

const widestBar = 40
const ownerText =
  'The plan is that of the project’s owner, over all of their projects; who operates this service sets it.'
const alarms: Readonly<Record<ReturnType<typeof alarmOf>, Color>> = { none: 'success', soon: 'warning', over: 'danger' }

/** What is used of a project’s plan. */
export class UsageView implements View {
  readonly title = 'Usage'
  readonly about = 'What is used of the plan, what is left of it, and when it starts anew.'
  readonly #place: ProjectPlace
  readonly #pane = new LinesPane((width) => this.#lines(width))
  #usage: ProjectUsage | undefined
  #failed = false

  constructor(place: ProjectPlace) {
    this.#place = place
  }

  shown(): void {
    void this.#load()
  }

  layout({ width, height }: Size): readonly Region[] {
    return [{ pane: this.#pane, row: 0, column: 0, width, height }]
  }

  commands(): readonly Command[] {
    return [{ id: 'panel.refresh', title: 'Refresh', keys: ['r'], hint: 'refresh', run: () => this.#load() }]
  }

  async #load(): Promise<void> {
    const { app, workspace, project } = this.#place
    const usage = await app.task('Loading usage', (signal) =>
      workspace.client.call(contract.usage.read, { params: { slug: project.slug }, signal }),
    )
    this.#failed = usage === undefined
    this.#usage = usage ?? this.#usage
    app.refresh()
  }

  #lines(width: number): readonly Line[] {
    if (this.#usage === undefined)
      return [[span(this.#failed ? 'This could not be loaded. r tries again.' : 'Loading …', { color: 'muted' })]]
    const models = modelsText(this.#usage.models)
    return [
      [span(planText(this.#usage), { bold: true })],
      ...plain(ownerText, width, { color: 'muted' }),
      ...usageRows(this.#usage, new Date()).flatMap((meter) => [[], ...meterLines(meter, width)]),
      ...(models === undefined ? [] : [[], [span('Language models', { bold: true })], ...plain(models, width)]),
    ]
  }
}

function meterLines({ title, counts, taken, note }: UsageRow, width: number): Line[] {
  return [
    [span(title, { bold: true })],
    ...(taken === undefined ? [] : [barOf(taken, Math.min(widestBar, width))]),
    ...plain(counts, width),
    ...plain(note, width, { color: 'muted' }),
  ]
}

function plain(text: string, width: number, style?: Style): Line[] {
  return wrapText(text, width).map((line) => [span(line, style)])
}

/** The figures stand below: without colours, the two kinds of cells still differ. */
function barOf(taken: number, cells: number): Line {
  const full = Math.max(0, Math.min(cells, Math.round(taken * cells)))
  return [span('█'.repeat(full), { color: alarms[alarmOf(taken)] }), span('░'.repeat(cells - full), { color: 'muted' })]
}
