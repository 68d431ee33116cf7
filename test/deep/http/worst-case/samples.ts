import { samples } from '#test/support/http/access-table/samples.ts'

/** Parameters that an endpoint takes, from the table of who may call: those that it makes itself are nobody's here. */
export function sampleOf(operation: string): {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
} {
  const sample = samples[operation]
  const { params = {}, query = {} } = typeof sample === 'object' ? sample : {}
  return { params: { path: 'index.md', ...params }, query }
}
