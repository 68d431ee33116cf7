import { Failure } from '#contract/failure.ts'

/** The Failure that a promise rejects with; throws when it does not. */
export async function refusalOf(work: Promise<unknown>): Promise<Failure> {
  try {
    await work
  } catch (error) {
    if (error instanceof Failure) return error
    throw error
  }
  throw new Error('nothing was refused')
}
