import { context, SpanKind, SpanStatusCode, trace, type Attributes, type Span, type Tracer } from '@opentelemetry/api'

/** Work whose time an operator may want to know: of a turn in a queue, a page, a process of Git, a delivery, a model. */
export type WorkKind = 'queue' | 'render' | 'git' | 'webhook' | 'model'

/** @param label one of a few: what was done, or how it ended */
type Listener = (kind: WorkKind, label: string, seconds: number) => void

const listeners = new Set<Listener>()

/** Tells of all measured work of the process. Returns how to stop. */
export function onMeasured(listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** @param since by `performance.now()` */
export function tellMeasured(kind: WorkKind, label: string, since: number): void {
  if (listeners.size === 0) return
  const seconds = (performance.now() - since) / 1000
  for (const listener of listeners) listener(kind, label, seconds)
}

/**
 * Makes spans. Where no collector is set, they cost nothing to speak of: nobody records them. Whoever does comes later, and in
 * a program of its own: asked for each time.
 */
export const tracer: Pick<Tracer, 'startSpan'> = {
  startSpan: (...of) => trace.getTracer('quire').startSpan(...of),
}

/** Runs work as a span of its own; what it leads to is below it. Attributes say nothing of contents, and no secrets. */
export async function inSpan<T>(
  name: string,
  attributes: Attributes,
  work: (span: Span) => Promise<T>,
  kind = SpanKind.INTERNAL,
): Promise<T> {
  const span = tracer.startSpan(name, { attributes, kind })
  try {
    return await withSpan(span, () => work(span))
  } catch (error) {
    failSpan(span, error)
    throw error
  } finally {
    span.end()
  }
}

/** What went wrong is in the log: here only of which kind it was. */
export function failSpan(span: Span, error: unknown): void {
  span.setStatus({ code: SpanStatusCode.ERROR })
  if (error instanceof Error) span.setAttribute('error.type', 'code' in error ? String(error.code) : error.name)
}

/** A span of what is over already. @param from, to by `performance.now()` */
export function spanBetween(name: string, from: number, to: number): void {
  tracer.startSpan(name, { startTime: performance.timeOrigin + from }).end(performance.timeOrigin + to)
}

/** What the work leads to is below the span. */
export function withSpan<T>(span: Span, work: () => T): T {
  return context.with(trace.setSpan(context.active(), span), work)
}

export function endFailed(span: Span, error: unknown): void {
  failSpan(span, error)
  span.end()
}
