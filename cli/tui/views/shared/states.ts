import type { Branch, Preview } from '#contract/branches.ts'
import type { Deploy, DeployStatus } from '#contract/deploys.ts'
import type { Project } from '#contract/projects.ts'
import { count } from '#cli/output.ts'
import { span } from '../../canvas/lines.ts'
import type { Color, Line } from '../../canvas/style.ts'

const statuses: Readonly<Record<DeployStatus, readonly [words: string, color: Color]>> = {
  queued: ['waiting', 'accent'],
  building: ['building', 'accent'],
  live: ['live', 'success'],
  failed: ['failed', 'danger'],
  superseded: ['replaced', 'muted'],
}

/** It comes to its end by itself: worth to look at again. */
export function isUnderWay({ status }: Pick<Deploy, 'status'>): boolean {
  return status === 'queued' || status === 'building'
}

/** State of a deploy: `live`, `failed: 2 errors`. */
export function deployState({ status, counts }: Pick<Deploy, 'status' | 'counts'>): Line {
  const [words, color] = statuses[status]
  const errors = status === 'failed' && counts.errors > 0 ? `: ${count(counts.errors, 'error')}` : ''
  return [span(words + errors, { color })]
}

/** State of the preview of a branch: `ready`, `building`, `2 errors`. */
export function previewState({ status, counts }: Preview): Line {
  if (status === 'failed')
    return [span(counts.errors > 0 ? count(counts.errors, 'error') : 'does not build', { color: 'danger' })]
  if (status === 'queued' || status === 'building') return [span(statuses[status][0], { color: 'accent' })]
  if (counts.warnings > 0)
    return [span('ready', { color: 'success' }), span(`, ${count(counts.warnings, 'warning')}`, { color: 'warning' })]
  return [span('ready', { color: 'success' })]
}

/** The preview as a part of a sentence, for who hears it. */
export function previewWords({ status, counts }: Preview): string {
  if (status === 'failed') return `preview failed with ${count(counts.errors, 'error')}`
  return status === 'queued' || status === 'building' ? `preview is ${statuses[status][0]}` : 'preview is ready'
}

/** What a branch changed: `+1 ~2 −0`; `no changes`. */
export function changesLine({ changes: { added, modified, deleted } }: Pick<Branch, 'changes'>): Line {
  if (added + modified + deleted === 0) return [span('no changes', { color: 'muted' })]
  const part = (sign: string, number: number, color: Color): Line[number] =>
    span(`${sign}${number}`, { color: number === 0 ? 'muted' : color })
  return [
    part('+', added, 'added'),
    span(' '),
    part('~', modified, 'warning'),
    span(' '),
    part('−', deleted, 'deleted'),
  ]
}

/** `1 file added, 2 changed`; `nothing changed`. */
export function changesWords({ changes: { added, modified, deleted } }: Pick<Branch, 'changes'>): string {
  const parts = [
    [added, 'added'],
    [modified, 'changed'],
    [deleted, 'deleted'],
  ] as const
  const said = parts.filter(([number]) => number > 0)
  if (said.length === 0) return 'nothing changed'
  return said
    .map(([number, what], index) => (index === 0 ? `${count(number, 'file')} ${what}` : `${number} ${what}`))
    .join(', ')
}

/** Whether the site of a project is to be had. */
export function liveState({ live }: Pick<Project, 'live'>): Line {
  return live === undefined ? [span('not published yet', { color: 'muted' })] : deployState(live)
}
