import type { ProjectUsage, StorageUsage, UsageMeter } from '../src/contract/usage.ts'
import { count, fileSize } from './output.ts'

/** A meter of a plan, in words for people. */
export interface UsageRow {
  readonly title: string
  /** `12 of 50 used, 3 of them here, 38 left`. */
  readonly counts: string
  /** From 0 to 1; absent where nothing limits it. */
  readonly taken?: number
  /** What else is to be said of it, such as when it starts anew. */
  readonly note: string
}

/** `Pro plan, March 2027`. */
export function planText({ plan, period }: Pick<ProjectUsage, 'plan' | 'period'>): string {
  return `${plan === 'pro' ? 'Pro' : 'Free'} plan, ${monthOf(period)}`
}

/** The meters of a project’s plan that are worth a row. */
export function usageRows(usage: ProjectUsage, now: Date): UsageRow[] {
  const { period, generations, deploys, agentMessages, answers, storage } = usage
  const row = (title: string, meter: UsageMeter, about: string): UsageRow => ({
    title,
    counts: countsOf(meter),
    ...takenOf(meter),
    note: meter.limit === null ? about : `${about}; ${resetOf(meter, now)}`,
  })
  return [
    row('Generations', generations, 'with branches and assistant'),
    row('Deploys today', deploys, `${deploys.inPeriod} in ${monthOf(period)}`),
    partOf('Assistant', agentMessages, { what: 'message', about: '' }),
    ...(answers.used === 0 && answers.today === undefined
      ? []
      : [partOf('Answers', answers, { what: 'answer', about: todayOf(answers) })]),
    ...(storage === undefined ? [] : [storageRow(storage)]),
  ]
}

function storageRow({ used, ofProject, limit, remaining }: StorageUsage): UsageRow {
  const here = ofProject === used ? '' : `, ${fileSize(ofProject)} of them here`
  const counts =
    limit === null || remaining === null
      ? `${fileSize(used)} used${here}, unlimited`
      : `${fileSize(used)} of ${fileSize(limit)} used${here}, ${fileSize(remaining)} left`
  return {
    title: 'Storage',
    counts,
    ...takenOf({ limit, remaining }),
    note: 'repositories, releases, previews and records',
  }
}

/** What language models read and wrote; undefined where they did neither. */
export function modelsText({ inputTokens, outputTokens, costUsd }: ProjectUsage['models']): string | undefined {
  if (inputTokens + outputTokens === 0) return undefined
  const tokens = `${inputTokens.toLocaleString('en')} tokens read, ${outputTokens.toLocaleString('en')} written`
  return costUsd === 0 ? tokens : `${tokens}, $${costUsd.toFixed(2)}`
}

/** How alarming it is that so much of an allowance is taken. */
export function alarmOf(taken: number): 'none' | 'soon' | 'over' {
  return taken >= 1 ? 'over' : taken >= 0.6 ? 'soon' : 'none'
}

/** What has no limit of its own: a bar, or `0 of 1 used`, would promise another generation. */
function partOf(
  title: string,
  { used, ofProject }: UsageMeter,
  { what, about }: { readonly what: string; readonly about: string },
): UsageRow {
  return {
    title,
    counts: `${count(used, what)} this month${elsewhereOf({ used, ofProject })}`,
    note: `${about}each counts as a generation`,
  }
}

function todayOf({ today }: ProjectUsage['answers']): string {
  return today === undefined ? '' : `today ${today.used} of ${today.limit} (docs.json); `
}

function elsewhereOf({ used, ofProject }: Pick<UsageMeter, 'used' | 'ofProject'>): string {
  return ofProject === used ? '' : `, ${ofProject} of them here`
}

function takenOf({ limit, remaining }: Pick<UsageMeter, 'limit' | 'remaining'>): Pick<UsageRow, 'taken'> {
  if (limit === null || remaining === null) return {}
  return { taken: limit === 0 ? 1 : (limit - remaining) / limit }
}

/** The allowance is that of all of the owner’s projects. */
function countsOf({ used, ofProject, limit, remaining }: UsageMeter): string {
  const elsewhere = elsewhereOf({ used, ofProject })
  return limit === null || remaining === null
    ? `${used} used${elsewhere}, unlimited`
    : `${used} of ${limit} used${elsewhere}, ${remaining} left`
}

/** `starts anew tomorrow at 00:00 UTC, in 6 hours`. */
function resetOf({ resetsAt }: UsageMeter, now: Date): string {
  const at = new Date(resetsAt)
  const minutes = Math.max(1, Math.ceil((at.getTime() - now.getTime()) / 60_000))
  if (minutes > 48 * 60) return `starts anew on ${wordsOf(at, { day: 'numeric', month: 'long' })}`
  const left = minutes > 90 ? `${Math.round(minutes / 60)} hours` : minutes === 1 ? 'a minute' : `${minutes} minutes`
  return `starts anew at 00:00 UTC, in ${left}`
}

function monthOf({ start }: ProjectUsage['period']): string {
  return wordsOf(new Date(start), { month: 'long', year: 'numeric' })
}

function wordsOf(date: Date, format: Intl.DateTimeFormatOptions): string {
  return new Intl.DateTimeFormat('en-GB', { ...format, timeZone: 'UTC' }).format(date)
}
