import { describe, expect, it } from 'vitest'
import { usageText } from '#cli/commands/usage.ts'
import type { ProjectUsage } from '#contract/usage.ts'

const month = { start: '2026-11-01T00:00:00.000Z', end: '2026-12-01T00:00:00.000Z' }
const free: ProjectUsage = {
  plan: 'free',
  period: month,
  generations: { used: 1, ofProject: 1, limit: 1, remaining: 0, resetsAt: month.end },
  deploys: { used: 1, ofProject: 1, limit: 3, remaining: 2, resetsAt: '2026-11-22T00:00:00.000Z', inPeriod: 7 },
  agentMessages: { used: 0, ofProject: 0, limit: 1, remaining: 0, resetsAt: month.end },
  answers: { used: 0, ofProject: 0, limit: 1, remaining: 0, resetsAt: month.end },
  models: { inputTokens: 0, outputTokens: 0, costUsd: 0 },
}
const plain = { paint: (_style: string, text: string): string => text }
const linesOf = (usage: ProjectUsage, now = '2026-11-21T12:00:00.000Z'): string[] =>
  usageText(usage, { slug: 'leaves', now: new Date(now) }, plain).split('\n')

describe('the usage on a terminal', () => {
  it('is a meter with what is left and when it starts anew', () => {
    expect(linesOf(free)).toEqual([
      'leaves  Free plan, November 2026',
      '',
      '  Generations    ████████████████████  1 of 1 used, 0 left',
      '                 with branches and assistant; starts anew on 1 December',
      '  Deploys today  ███████░░░░░░░░░░░░░  1 of 3 used, 2 left',
      '                 7 in November 2026; starts anew at 00:00 UTC, in 12 hours',
      '  Assistant      0 messages this month',
      '                 each counts as a generation',
    ])
  })

  it('says how much of it is of this project where the owner has others', () => {
    const deploys = { ...free.deploys, used: 3, ofProject: 2, remaining: 0 }
    expect(linesOf({ ...free, deploys })[4]).toBe(
      '  Deploys today  ████████████████████  3 of 3 used, 2 of them here, 0 left',
    )
  })

  it('tells what models read and wrote, and answers to readers, where there were any', () => {
    const answers = { ...free.answers, used: 1, ofProject: 1 }
    const lines = linesOf({ ...free, answers, models: { inputTokens: 12_345, outputTokens: 678, costUsd: 1.5 } })
    expect(lines.slice(8)).toEqual([
      '  Answers        1 answer this month',
      '                 each counts as a generation',
      '  Models         12,345 tokens read, 678 written, $1.50',
    ])
  })

  it('tells of the answers of today where the site takes questions', () => {
    const answers = { ...free.answers, today: { used: 1000, limit: 1000 } }
    const lines = linesOf({ ...free, answers })
    expect(lines.at(-1)).toBe('                 today 1000 of 1000 (docs.json); each counts as a generation')
    expect(lines.at(-1)?.length).toBeLessThanOrEqual(80)
  })

  it('fits into 80 columns', () => {
    for (const line of linesOf(free)) expect(line.length).toBeLessThanOrEqual(80)
  })

  it('has no bar and no date where there is no limit', () => {
    const unlimited = { used: 12, ofProject: 12, limit: null, remaining: null, resetsAt: month.end }
    const pro: ProjectUsage = { ...free, plan: 'pro', generations: unlimited, deploys: { ...unlimited, inPeriod: 40 } }
    const lines = linesOf(pro)
    expect(lines[0]).toBe('leaves  Pro plan, November 2026')
    expect(lines[2]).toBe('  Generations    12 used, unlimited')
    expect(lines[5]).toBe('                 40 in November 2026')
  })

  it.each([
    ['2026-11-21T23:59:30.000Z', 'in a minute'],
    ['2026-11-21T23:15:00.000Z', 'in 45 minutes'],
    ['2026-11-21T00:00:00.000Z', 'in 24 hours'],
  ])('at %s says %s', (now, words) => {
    expect(linesOf(free, now)[5]).toContain(words)
  })

  it('is red where nothing is left, and never more than full', () => {
    const over = { ...free, generations: { ...free.generations, used: 5, ofProject: 5 } }
    const painted = usageText(
      over,
      { slug: 'leaves', now: new Date('2026-11-21T12:00:00.000Z') },
      { paint: (style, text) => (style === 'dim' || style === 'bold' ? text : `<${style}:${text}>`) },
    )
    expect(painted).toContain('<red:████████████████████>  5 of 1 used, 0 left')
    expect(painted).toContain('<green:███████>')
  })
})
