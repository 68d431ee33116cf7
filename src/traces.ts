import { context, propagation, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base'

/**
 * Records spans and sends them to a collector. Loaded only where one is set: all that is known of them otherwise is the
 * interface. Which collector, its headers, the sampler and the bounds of the queue are OpenTelemetry’s own settings (`OTEL_…`).
 *
 * @returns how to send what is left, and stop.
 */
export function openTraces(service: { readonly name: string; readonly version: string }): () => Promise<void> {
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': service.name, 'service.version': service.version }),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
  })
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  propagation.setGlobalPropagator(new W3CTraceContextPropagator())
  trace.setGlobalTracerProvider(provider)
  return () => provider.shutdown()
}
