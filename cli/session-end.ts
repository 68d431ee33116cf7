import { createClient } from '../src/client/client.ts'
import { Failure } from '../src/contract/failure.ts'
import { contract } from '../src/contract/index.ts'

/** Ends a session on the service. Answers why that failed, if it did; one that has ended already is no failure. */
export async function endSession(url: string, token: string): Promise<Failure | undefined> {
  try {
    await createClient({ baseUrl: url, token }).call(contract.accounts.logout)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    if (error.code !== 'unauthenticated') return error
  }
  return undefined
}
