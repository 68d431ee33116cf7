import type { Branch, HistoryCommit } from '#contract/branches.ts'
import type { Deploy } from '#contract/deploys.ts'
import type { Project } from '#contract/projects.ts'
import { count } from '#cli/output.ts'
import { span } from '../../canvas/lines.ts'
import { shown } from '../../canvas/width.ts'
import { ageOf, agoText } from '../shared/age.ts'
import type { Detail } from '../shared/details-pane.ts'
import { problemDetails, type FileLocation } from '../shared/problems.ts'
import { changesWords, isUnderWay } from '../shared/states.ts'

export const nothing: Detail = { text: '' }

/** A heading among details. */
export function heading(text: string): Detail {
  return { text, style: { bold: true } }
}

/** What there is to know of a branch. @param commits undefined while they are not known */
export function branchDetails(
  branch: Branch,
  {
    commits,
    open,
  }: { readonly commits: readonly HistoryCommit[] | undefined; readonly open: (place: FileLocation) => void },
): readonly Detail[] {
  const { upToDate, createdAt, updatedAt, previewUrl } = branch
  return [
    { text: `${capital(changesWords(branch))} since it left main.` },
    upToDate
      ? { text: 'It has all that main has.' }
      : { text: 'Main has moved on since: press u to take its changes in.', style: { color: 'warning' } },
    { text: `Created ${agoText(createdAt)}, changed ${agoText(updatedAt)}.`, style: { color: 'muted' } },
    nothing,
    heading('Preview'),
    { text: previewUrl, style: { color: 'link' } },
    ...previewDetails(branch, open),
    ...commitDetails(commits),
  ]
}

/** How the preview of a branch is, with what is wrong in it. */
export function previewDetails({ preview }: Branch, open: (place: FileLocation) => void): readonly Detail[] {
  const { status, errors, warnings, counts, pages, served } = preview
  if (isUnderWay(preview))
    return [
      { text: status === 'queued' ? 'It is about to be built.' : 'It is being built …', style: { color: 'accent' } },
    ]
  if (status === 'failed') {
    const stays = served === undefined ? '' : ' It shows what was saved before.'
    return [
      { text: `The newest save does not build: ${count(counts.errors, 'error')}.${stays}`, style: { color: 'danger' } },
      ...problemDetails(errors, { severity: 'error', total: counts.errors, open }),
      ...problemDetails(warnings, { severity: 'warning', total: counts.warnings, open }),
    ]
  }
  return [
    { text: `Ready: ${count(pages.total, 'page')}, ${pages.built} built anew.`, style: { color: 'success' } },
    ...problemDetails(warnings, { severity: 'warning', total: counts.warnings, open }),
  ]
}

function commitDetails(commits: readonly HistoryCommit[] | undefined): readonly Detail[] {
  if (commits === undefined || commits.length === 0) return []
  return [
    nothing,
    heading('Last commits'),
    ...commits.map(({ author, message, committedAt }): Detail => ({
      line: [
        span(ageOf(committedAt).padEnd(8), { color: 'muted' }),
        span(shown(firstLine(message))),
        span(`  ${shown(author.name)}`, { color: 'muted' }),
      ],
    })),
  ]
}

/** What there is to know of main: what is live. */
export function mainDetails(
  project: Project,
  { open, readOnly }: { readonly open: (place: FileLocation) => void; readonly readOnly: boolean },
): readonly Detail[] {
  const { live, url } = project
  if (live === undefined) {
    const way = readOnly
      ? 'One writes on a branch, and publishes it'
      : 'Create a branch with n, write, and publish it with Shift-P'
    return [{ text: `Nothing is published yet. ${way}.` }, { text: url, style: { color: 'link' } }]
  }
  return [
    { text: 'What readers see. It changes only when a branch is published: to write, create a branch with n.' },
    { text: url, style: { color: 'link' } },
    nothing,
    heading(`Deploy ${live.number}`),
    { text: deployWords(live) },
    { text: `${count(live.pages.total, 'page')}, ${agoText(live.createdAt)}.`, style: { color: 'muted' } },
    ...problemDetails(live.warnings, { severity: 'warning', total: live.counts.warnings, open }),
  ]
}

/**
 * What a deploy was: `Publish of new-api: Describe the new API`.
 *
 * @param numberOf of the deploy that a rollback serves again, by its id; undefined where that is not known
 */
export function deployWords(
  { kind, branch, message, rollbackOf = '' }: Deploy,
  numberOf: (id: string) => number | undefined = () => undefined,
): string {
  const number = kind === 'rollback' ? numberOf(rollbackOf) : undefined
  const own = number === undefined ? kinds[kind] : `Rollback to deploy ${number}`
  const what = branch === undefined || kind !== 'publish' ? own : `Publish of ${branch}`
  const said = firstLine(message ?? '')
  return said === '' || said === `Publish ${branch ?? ''}` ? `${what}.` : `${what}: ${said}`
}

const kinds: Readonly<Record<Deploy['kind'], string>> = {
  deploy: 'Deploy of a folder',
  publish: 'Publish of main',
  push: 'Push',
  rollback: 'Rollback',
  preview: 'Preview',
}

export function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? ''
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
