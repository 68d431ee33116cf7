import { bundle, type BundleRequest } from './bundle.ts'

process.on('message', (request: BundleRequest) => {
  bundle(request)
    .then((reply) => process.send?.(reply))
    .catch(() => process.exit(1))
})
// The service has ended.
process.on('disconnect', () => process.exit())
