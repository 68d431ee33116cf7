import { spawn } from 'node:child_process'
import { startTestService, type TestService } from './service.ts'
import { unlimited } from './service-process.ts'
import { exitAtWorkerEnd } from './worker-end.ts'

let shared: Promise<TestService> | undefined

/** The service in this process of all tests that need no settings of their own: nobody closes it. Names in it are taken. */
export function sharedService(): Promise<TestService> {
  shared ??= startTestService(unlimited).then((service) => {
    // Nothing of this process is alive for as long as that may take.
    process.once('exit', () => spawn('rm', ['-rf', service.directory], { detached: true, stdio: 'ignore' }))
    exitAtWorkerEnd()
    return service
  })
  return shared
}
