import { context, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'

/** What is known of the service, and OpenTelemetry’s own settings. */
export interface TraceSettings {
  readonly name: string
  readonly version: string
  readonly settings: Readonly<Record<string, string>>
}

/**
 * Records spans and sends them to a collector. Loaded only where one is set: all that is known of them otherwise is the
 * interface. Which collector, its headers, the sampler and the bounds of the queue are OpenTelemetry’s own settings (`OTEL_…`),
 * which it reads from the environment alone: those of a file are there while it does.
 *
 * @returns how to send what is left, and stop.
 */
export function openTraces({ name, version, settings }: TraceSettings): () => Promise<void> {
  const resource = resourceFromAttributes({ 'service.name': name, 'service.version': version })
  const provider = withEnvironment(
    settings,
    () => new BasicTracerProvider({ resource, spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())] }),
  )
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  trace.setGlobalTracerProvider(provider)
  return () => provider.shutdown()
}

/** Does what reads the environment, and leaves that as it was: what the service starts has no part in these settings. */
function withEnvironment<T>(settings: Readonly<Record<string, string>>, work: () => T): T {
  const before = Object.keys(settings).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, settings)
  try {
    return work()
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
}
