import type { Branch, HistoryCommit } from '#contract/branches.ts'
import type { Deploy } from '#contract/deploys.ts'
import type { ProjectFile } from '#contract/files.ts'
import type { Project } from '#contract/projects.ts'
import { count } from '#cli/output.ts'
import { span } from '../../canvas/lines.ts'
import type { Color } from '../../canvas/style.ts'
import type { UnsavedFile } from '../../data/workspace.ts'
import { shown } from '../../canvas/width.ts'
import { agoText } from '../shared/age.ts'
import { deployWords, firstLine, heading, nothing, previewDetails } from '../branches/branch-details.ts'
import type { Detail } from '../shared/details-pane.ts'
import { problemDetails, type FileLocation } from '../shared/problems.ts'
import { changesWords } from '../shared/states.ts'

const mostFiles = 12
const mostCommits = 8

/** What a person should know before a publish. Undefined is not known yet, or cannot be had now. */
export interface Summary {
  readonly project: Project
  readonly branch: Branch | 'main'
  readonly message: string | undefined
  readonly files: readonly ProjectFile[] | undefined
  /** Of the branch, without those of main. */
  readonly commits: readonly HistoryCommit[] | undefined
  /** What became live since the branch left main, newest first. */
  readonly since: readonly Deploy[] | undefined
  /** Address of the person who publishes. */
  readonly email: string | undefined
  /** The last try, if it failed. */
  readonly failed: Deploy | undefined
  /** Of this machine, on this branch: they would not be published. */
  readonly drafts: readonly UnsavedFile[]
  /** There is no such branch any more. */
  readonly gone?: { readonly deploy: Deploy | undefined } | undefined
}

export function summaryDetails(summary: Summary, open: (place: FileLocation) => void): readonly Detail[] {
  const { project, branch, failed } = summary
  if (branch === 'main') return [...failedDetails(failed, open), ...mainSummary(project)]
  if (summary.gone !== undefined) return goneDetails(summary, goneWords(branch, summary.gone))
  return [
    ...failedDetails(failed, open),
    ...draftDetails(summary.drafts, open),
    heading(`Publish ${branch.name} to ${project.title}`),
    { text: 'It becomes part of main, which readers see, and the branch goes: all of it is in main then.' },
    { text: `Message: ${summary.message ?? `Publish ${branch.name}`}`, style: { color: 'muted' } },
    nothing,
    ...fileDetails(branch, summary.files),
    ...(failed === undefined ? [nothing, heading('Preview'), ...previewDetails(branch, open)] : []),
    ...commitDetails(summary),
    ...mainDetails(summary),
  ]
}

/** The summary in a few sentences, for who hears it. */
export function summaryWords({ branch, drafts, gone }: Pick<Summary, 'branch' | 'drafts' | 'gone'>): string {
  if (branch === 'main' || gone !== undefined) return ''
  const { preview, upToDate } = branch
  return [
    drafts.length === 0 ? [] : [`${count(drafts.length, 'draft')} not saved on the branch, so not published.`],
    `Against main: ${changesWords(branch)}.`,
    previewDetails(branch, () => undefined).flatMap((detail) => ('text' in detail ? [detail.text] : [])),
    preview.counts.errors === 0 ? [] : ['Enter opens the place of an error.'],
    upToDate ? [] : ['Main has moved on since the branch left it.'],
  ]
    .flat()
    .join(' ')
}

/** What became of a branch that is no more: `new-api is published, with deploy 42.` */
export function goneWords({ name }: Branch, { deploy }: { readonly deploy: Deploy | undefined }): string {
  return deploy === undefined
    ? `The branch ${name} is gone: somebody deleted it.`
    : `${name} is published, with deploy ${deploy.number}.`
}

function goneDetails({ gone, drafts }: Summary, words: string): readonly Detail[] {
  const next =
    gone?.deploy === undefined
      ? 'Nothing of it can be published any more. What readers see is as it was.'
      : 'All of it is in main, which readers see, and the branch went with it.'
  return [
    heading(words),
    { text: next },
    ...drafts.map(({ path }): Detail => ({
      text: `● ${path} was not saved on it: what you typed is kept on this machine, at the top of your projects.`,
      style: { color: 'warning' },
    })),
  ]
}

function failedDetails(failed: Deploy | undefined, open: (place: FileLocation) => void): readonly Detail[] {
  if (failed === undefined) return []
  const { errors, warnings, counts } = failed
  return [
    {
      text: `Not published: the site does not build, ${count(counts.errors, 'error')}.`,
      style: { color: 'danger', bold: true },
    },
    {
      text: 'Readers see what they saw before, and the branch is as it was. Enter opens a place.',
      style: { color: 'muted' },
    },
    ...problemDetails(errors, { severity: 'error', total: counts.errors, open }),
    ...problemDetails(warnings, { severity: 'warning', total: counts.warnings, open }),
    nothing,
  ]
}

function draftDetails(drafts: readonly UnsavedFile[], open: (place: FileLocation) => void): readonly Detail[] {
  if (drafts.length === 0) return []
  return [
    { text: 'Not saved on the branch, so not published: save these first.', style: { color: 'warning', bold: true } },
    ...drafts.map(({ path }): Detail => ({
      text: `● ${path}`,
      style: { color: 'warning' },
      open: () => open({ path }),
    })),
    nothing,
  ]
}

function mainSummary({ live }: Project): readonly Detail[] {
  return [
    heading('Publish main again'),
    { text: 'Builds the site anew from what is live. Nothing of its content changes.' },
    ...(live === undefined ? [] : [nothing, { text: `It replaces deploy ${live.number}: ${deployWords(live)}` }]),
  ]
}

const marks: Readonly<Partial<Record<ProjectFile['status'], readonly [mark: string, color: Color]>>> = {
  added: ['+', 'added'],
  modified: ['~', 'warning'],
  deleted: ['−', 'deleted'],
}

function fileDetails(branch: Branch, files: readonly ProjectFile[] | undefined): readonly Detail[] {
  const changed = files?.filter(({ status }) => status !== 'unchanged') ?? []
  const rest = changed.length - mostFiles
  return [
    heading('Files'),
    { text: `Against main: ${changesWords(branch)}.` },
    ...changed.slice(0, mostFiles).map(({ path, status }): Detail => {
      const [mark, color] = marks[status] ?? [' ', 'text']
      return { line: [span(`  ${mark} `, { color }), span(shown(path))] }
    }),
    ...(rest > 0
      ? [{ text: `… and ${count(rest, 'more file')}; d shows all.`, style: { color: 'muted' as const } }]
      : []),
  ]
}

function commitDetails({ commits = [], email }: Summary): readonly Detail[] {
  // Whose an API key is, and so which commits are one’s own, is not known.
  const isKnown = email !== undefined
  const others = isKnown ? commits.filter(({ author }) => author.email !== email) : commits
  if (others.length === 0) return []
  const rest = others.length - mostCommits
  return [
    nothing,
    heading(isKnown ? 'Also by others' : 'Commits'),
    { text: `${count(others.length, 'commit')}${isKnown ? ` of ${commits.length}` : ''} on this branch:` },
    ...others.slice(0, mostCommits).map(({ author, message }): Detail => ({
      line: [span(`  ${shown(author.name)}  `, { color: 'accent' }), span(shown(firstLine(message)))],
    })),
    ...(rest > 0
      ? [{ text: `… and ${count(rest, 'more commit')}; h shows all.`, style: { color: 'muted' as const } }]
      : []),
  ]
}

function mainDetails({ project: { live }, branch, since = [] }: Summary): readonly Detail[] {
  const moved =
    branch === 'main' || branch.upToDate
      ? []
      : [
          {
            text: 'Main has moved on since the branch left it. The publish joins both; where they do not go together you are asked.',
          },
          ...since.map((deploy): Detail => ({ text: `Deploy ${deploy.number}: ${deployWords(deploy)}`, indent: 2 })),
        ]
  return [
    nothing,
    heading('Main'),
    live === undefined
      ? { text: 'Nothing is live yet: this is the first publish.' }
      : { text: `It replaces deploy ${live.number}, which went live ${agoText(live.createdAt)}: ${deployWords(live)}` },
    ...moved,
  ]
}
