import { Failure } from '../src/contract/failure.ts'

/** What `--expires` takes, in its help. */
export const expiryHelp = 'a date such as 2027-12-31, or so many days as 90d (default: never)'

const dayMs = 24 * 60 * 60 * 1000

/** RFC 3339. @throws Failure invalid_request for what is no time that is to come */
export function expiryOf(text: string): string {
  const days = /^(\d{1,5})d$/.exec(text)?.[1]
  const time = days === undefined ? Date.parse(text) : Date.now() + Number(days) * dayMs
  if (time > Date.now()) return new Date(time).toISOString()
  throw new Failure('invalid_request', `--expires takes a date that is to come; ${text} is none.`, {
    hint: 'Such as 2027-12-31, or 90d for so many days from now.',
  })
}
