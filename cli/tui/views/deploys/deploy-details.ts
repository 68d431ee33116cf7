import type { Deploy } from '#contract/deploys.ts'
import { count } from '#cli/output.ts'
import { phases } from '#cli/deploying/deploy-end.ts'
import { lineWidth, span } from '../../canvas/lines.ts'
import type { Line } from '../../canvas/style.ts'
import { shown } from '../../canvas/width.ts'
import { ageOf, agoText, durationText } from '../shared/age.ts'
import { deployWords, heading, nothing } from '../branches/branch-details.ts'
import type { Detail } from '../shared/details-pane.ts'
import { problemDetails, type FileLocation } from '../shared/problems.ts'
import { row, widest } from '../shared/row.ts'
import { deployState, isUnderWay } from '../shared/states.ts'

/** `  12  live  Publish of new-api: Describe it   3 pages  1.2 s  5 min` */
export function deployRow(deploy: Deploy, width: number, among: readonly Deploy[]): Line {
  const { pages, durationMs, createdAt } = deploy
  const columns = (line: (one: Deploy) => Line): number => widest(among.map(line).map(lineWidth), 17)
  return row(width, [
    { line: numberLine(deploy), width: columns(numberLine), right: true },
    { line: deployState(deploy), width: columns(deployState) },
    { line: [span(shown(deployWords(deploy, numberIn(among))))] },
    { line: [span(count(pages.total, 'page'), { color: 'muted' })], width: 11, right: true, from: 84 },
    {
      line: [span(durationMs === undefined ? '' : durationText(durationMs), { color: 'muted' })],
      width: 8,
      right: true,
      from: 96,
    },
    { line: [span(ageOf(createdAt), { color: 'muted' })], width: 8, right: true, from: 50 },
  ])
}

function numberLine({ number }: Deploy): Line {
  return [span(String(number), { color: 'muted' })]
}

function numberIn(among: readonly Deploy[]): (id: string) => number | undefined {
  return (id) => among.find((one) => one.id === id)?.number
}

/** What there is to know of a deploy. @param open absent: what it was made of is no more to be had */
export function deployDetails(
  deploy: Deploy,
  { open, among }: { readonly open: ((place: FileLocation) => void) | undefined; readonly among: readonly Deploy[] },
): readonly Detail[] {
  const { status, createdAt, durationMs, pages, counts, errors, warnings, commit, message, url } = deploy
  const took = durationMs === undefined ? '' : `, took ${durationText(durationMs)}`
  return [
    heading(deployWords(deploy, numberIn(among))),
    ...(message?.includes('\n') === true ? [{ text: message.slice(message.indexOf('\n') + 1).trim(), indent: 2 }] : []),
    { text: endings[status], style: { color: status === 'failed' ? 'danger' : 'muted' } },
    { text: `Begun ${agoText(createdAt)}${took}.`, style: { color: 'muted' } },
    ...(isUnderWay(deploy) || status === 'failed'
      ? []
      : [
          {
            text: `${count(pages.total, 'page')}: ${pages.built} built, ${pages.reused} taken over.`,
            style: { color: 'muted' as const },
          },
        ]),
    ...stageDetails(deploy),
    ...(status === 'live' ? [{ text: url, style: { color: 'link' as const } }] : []),
    ...(commit === undefined ? [] : [{ text: `Commit ${commit.slice(0, 10)}`, style: { color: 'muted' as const } }]),
    ...(counts.errors + counts.warnings === 0 ? [] : [nothing]),
    ...problemDetails(errors, { severity: 'error', total: counts.errors, open }),
    ...problemDetails(warnings, { severity: 'warning', total: counts.warnings, open }),
  ]
}

const endings: Readonly<Record<Deploy['status'], string>> = {
  queued: 'It is about to begin.',
  building: 'It is under way.',
  live: 'It is live.',
  failed: 'It failed: readers saw nothing of it.',
  superseded: 'It was live, and was replaced.',
}

/** Where the time went, of a deploy that took some. */
function stageDetails({ stages, durationMs = 0 }: Deploy): readonly Detail[] {
  if (durationMs < 1000) return []
  const parts = Object.entries(phases).flatMap(([stage, words]) => {
    const time = stages[stage]
    return time === undefined || time < 1 ? [] : [`${words} ${durationText(time)}`]
  })
  return parts.length === 0 ? [] : [{ text: parts.join(', '), style: { color: 'muted' } }]
}

/** For the filter, and for who hears it. */
export function deployText(deploy: Deploy, among: readonly Deploy[]): string {
  return `deploy ${deploy.number}, ${deploy.status}, ${shown(deployWords(deploy, numberIn(among)))}`
}
