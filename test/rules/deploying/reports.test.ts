import { describe, expect, it } from 'vitest'
import { reportedOf } from '#deploying/reports.ts'

const found = (rule: string, count: number) =>
  Array.from({ length: count }, (_, index) => ({ rule, message: `${rule} ${index}` }))
function counted(warnings: readonly { readonly rule?: string | undefined }[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { rule = '' } of warnings) counts[rule] = (counts[rule] ?? 0) + 1
  return counts
}

describe('of more warnings than are reported', () => {
  it('each rule has its share, and what it leaves of that is for the others', () => {
    const warnings = [...found('image-alt', 500), ...found('link-broken', 20), ...found('page-orphan', 400)]
    const reported = reportedOf(warnings, 100)
    expect(counted(reported)).toEqual({ 'image-alt': 40, 'link-broken': 20, 'page-orphan': 40 })
    expect(reported).toEqual(warnings.filter((each) => reported.includes(each)))
  })

  it('there are none too many where there are more rules than places', () => {
    const warnings = Array.from({ length: 30 }, (_, index) => found(`rule-${index}`, 2)).flat()
    expect(reportedOf(warnings, 20).length).toBeLessThanOrEqual(20)
    expect(reportedOf(warnings, 60)).toEqual(warnings)
  })
})
