import type { Answering } from './sites.ts'

/**
 * Sends readers of a host that a project has left to its new one, for the same path and query.
 *
 * @param origin without a trailing slash.
 */
export function redirectTo(origin: string): Answering {
  return {
    answer: (request, response) => {
      response.writeHead(308, {
        Location: origin + (request.url ?? '/'),
        'Content-Length': '0',
        // The old slug may be taken for something else.
        'Cache-Control': 'no-cache',
        'X-Content-Type-Options': 'nosniff',
      })
      response.end()
    },
  }
}
