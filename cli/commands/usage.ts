import { exitCodes } from '../../src/contract/failure.ts'
import { contract } from '../../src/contract/index.ts'
import type { Output } from '../output.ts'
import { openProject } from '../project.ts'
import { withRetry } from '../retry.ts'
import { usageText } from '../usage-text.ts'

/** Shows what is used of the project's plan. */
export async function showUsage({ url }: { readonly url: string }, output: Output): Promise<number> {
  const { client, slug, policy } = await openProject(url, output)
  const usage = await withRetry(() => client.call(contract.usage.read, { params: { slug } }), policy)
  output.result(usage, usageText(usage, { slug, now: new Date() }, output))
  return exitCodes.ok
}
