import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'

/** What says who may keep an answer, and whose scripts may read it. */
const shared = /^(?:cache-control|cdn-cache-control|surrogate-control|expires|vary|x-robots-tag|access-control-.*)$/i

type Given = readonly string[] | OutgoingHttpHeaders | undefined

/**
 * The headers of an answer that is for one reader alone: no cache on the way keeps it, no search engine and no script of
 * another origin reads it, whatever its maker said. What was set before is taken over.
 *
 * @param given names and values by turns, or an object.
 */
export function privateHeaders(response: ServerResponse, given: Given): string[] {
  const kept: string[] = []
  const vary: string[] = ['Cookie', 'Authorization']
  let caching = 'private, no-cache'
  const take = (name: string, value: string): void => {
    if (!shared.test(name)) kept.push(name, value)
    else if (/^vary$/i.test(name)) vary.unshift(value)
    else if (/^cache-control$/i.test(name) && /\bno-store\b/i.test(value)) caching = 'private, no-store'
  }
  const takeAll = (headers: OutgoingHttpHeaders): void => {
    for (const [name, value] of Object.entries(headers))
      for (const one of Array.isArray(value) ? value : [value]) if (one !== undefined) take(name, String(one))
  }
  takeAll(response.getHeaders())
  for (const name of response.getHeaderNames()) response.removeHeader(name)
  if (isList(given)) for (let at = 0; at + 1 < given.length; at += 2) take(given[at] ?? '', given[at + 1] ?? '')
  else takeAll(given ?? {})
  return [...kept, 'Cache-Control', caching, 'Vary', vary.join(', '), 'X-Robots-Tag', 'noindex']
}

function isList(given: Given): given is readonly string[] {
  return Array.isArray(given)
}
