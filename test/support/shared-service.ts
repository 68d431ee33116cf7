import { startTestService } from './service.ts'
import { unlimited } from './service-process.ts'
import { sharedInWorker } from './worker.ts'

/** The service in this process of all tests that need no settings of their own: nobody closes it. Names in it are taken. */
export const sharedService = sharedInWorker(
  () => startTestService(unlimited),
  (service) => service.close(),
)
