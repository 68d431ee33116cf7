import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Span } from '@opentelemetry/api'
import { tracer } from '../../lib/measured.ts'
import type { KnownRequest, KnownResponse } from './known.ts'

/**
 * Runs the answer to a request as a span. What a proxy that is trusted says of the trace it belongs to is taken; of
 * anybody else, it is the first of its own.
 */
export function inRequestSpan(
  { request, response, isTrusted }: { request: KnownRequest; response: KnownResponse; isTrusted: boolean },
  answer: () => void,
): void {
  const parent = isTrusted ? propagation.extract(ROOT_CONTEXT, request.headers) : ROOT_CONTEXT
  const span = tracer.startSpan(request.method ?? '', { kind: SpanKind.SERVER }, parent)
  response.once('close', () => end(span, request, response))
  context.with(trace.setSpan(parent, span), answer)
}

function end(span: Span, { id, method = '', handled, site }: KnownRequest, response: KnownResponse): void {
  const status = response.headersSent ? response.statusCode : 499
  const route = site === undefined ? handled?.routeOptions.url : undefined
  const project = site?.project ?? handled?.project?.id ?? handled?.gitCaller?.projectId
  span.updateName(`${method} ${route ?? (site === undefined ? 'unknown' : 'site')}`)
  span.setAttributes({
    'http.request.method': method,
    'http.response.status_code': status,
    'quire.request_id': id,
    ...(route === undefined ? {} : { 'http.route': route }),
    ...(project === undefined ? {} : { 'quire.project_id': project }),
  })
  if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
  span.end()
}
