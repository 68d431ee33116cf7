import { Failure } from '../src/contract/failure.ts'
import { ask } from './ask.ts'
import type { Output } from './output.ts'

/**
 * Whether the user means it: asks on a terminal. Elsewhere nobody can answer, so `--yes` must have.
 * @param act what cannot be undone, such as `Deleting the branch new-api`. @throws Failure invalid_request.
 */
export async function confirmed(act: string, options: { readonly yes?: boolean }, output: Output): Promise<boolean> {
  if (options.yes === true) return true
  if (!output.environment.interactive)
    throw new Failure('invalid_request', `${act} cannot be undone.`, { hint: 'Add --yes to do it.' })
  const answer = await ask(`${act} cannot be undone. Go on? (yes/no) `)
  return answer === 'yes' || answer === 'y'
}
