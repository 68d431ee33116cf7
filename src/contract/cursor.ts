import { Failure } from './failure.ts'

/** The refusal of a cursor that no page of the list gave. */
export function unknownCursor(): Failure {
  return new Failure('invalid_request', 'The cursor is not one that this list gave.', {
    hint: 'Leave `cursor` out to begin with the newest.',
    errors: [{ pointer: '/cursor', message: 'not a cursor' }],
  })
}
