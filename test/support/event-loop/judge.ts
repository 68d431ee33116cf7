import { afterAll } from 'vitest'
import { takeBreaches } from './stalls.ts'

// Of every file of tests: whatever a journey asked of a service, the service went on answering others meanwhile.
afterAll(() => {
  const breaches = takeBreaches().map(
    ({ ms, collectorMs, requests }) => `${ms} ms, and ${collectorMs} ms for the collector: ${requests.join(', ')}`,
  )
  if (breaches.length > 0) throw new Error(`The event loop of a service was held:\n${breaches.join('\n')}`)
})
