import { startTestService, type TestService } from './service.ts'
import { unlimited } from './service-process.ts'
import { atWorkerEnd } from './worker.ts'

let shared: Promise<TestService> | undefined

/** The service in this process of all tests that need no settings of their own: nobody closes it. Names in it are taken. */
export function sharedService(): Promise<TestService> {
  shared ??= startTestService(unlimited).then((service) => {
    atWorkerEnd(() => service.close())
    return service
  })
  return shared
}
