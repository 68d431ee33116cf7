import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished } from 'vitest'
import { contract } from '#contract/index.ts'
import { inDepth } from '#test/support/depth.ts'
import { createProject, startService } from '#test/support/service-process.ts'
import { temporaryDirectory } from '#test/support/temporary.ts'

interface SentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[]
}

/** A collector of OpenTelemetry on loopback. */
async function collect() {
  const spans: SentSpan[] = []
  const headers: IncomingMessage['headers'][] = []
  let all = ''
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request)
    all += body
    headers.push(request.headers)
    const sent = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[] }
    spans.push(...sent.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)))
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}')
  }
  const server = createServer((request, response) => void take(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans, headers, text: () => all }
}

const took = ({ startTimeUnixNano, endTimeUnixNano }: SentSpan): bigint =>
  BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)

it('a deploy is told to a collector with its stages, pages and processes of Git below its request', async () => {
  const collector = await collect()
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, TRUST_PROXY: 'loopback' }
  const service = await startService(await temporaryDirectory(), settings)
  const { client, key, session } = await createProject(service.url, 'traced')
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
  const traceparent = `00-${trace}-00f067aa0ba902b7-01`
  const secret = 'the words of a page'
  await client.call(contract.deploys.create, {
    body: { files: [{ path: 'index.md', content: secret }] },
    headers: { traceparent },
  })
  await service.stop()

  const ofTrace = collector.spans.filter(({ traceId }) => traceId === trace)
  const named = (name: string): SentSpan => {
    const span = ofTrace.find((one) => one.name === name)
    if (span === undefined) throw new Error(`no span ${name} among ${ofTrace.map((one) => one.name).join(', ')}`)
    return span
  }
  const request = named('POST /api/deploy')
  expect(request.parentSpanId).toBe('00f067aa0ba902b7')
  expect(request.attributes).toContainEqual({ key: 'http.response.status_code', value: { intValue: 201 } })
  const deploy = named('deploy')
  expect(deploy.parentSpanId).toBe(request.spanId)
  for (const stage of ['receive', 'commit', 'build', 'release', 'point'])
    expect(named(`deploy ${stage}`).parentSpanId, stage).toBe(deploy.spanId)
  expect(named('render').parentSpanId).toBe(named('deploy build').spanId)
  const ids = new Set(ofTrace.map(({ spanId }) => spanId))
  for (const span of ofTrace.filter((one) => one !== request)) expect(ids, span.name).toContain(span.parentSpanId)
  for (const span of ofTrace) expect(took(span) >= 0n, span.name).toBe(true)
  expect(took(request) >= took(named('deploy build'))).toBe(true)
  for (const word of [secret, key, session, 'traced@example.com']) expect(collector.text()).not.toContain(word)
})

inDepth('what a stranger says of a trace is not taken', async () => {
  const collector = await collect()
  const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
  const service = await startService(await temporaryDirectory(), settings)
  const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
  await fetch(`${service.url}/api/service`, { headers: { traceparent: `00-${trace}-00f067aa0ba902b7-01` } })
  await service.stop()
  const request = collector.spans.find(({ name }) => name === 'GET /api/service')
  expect(request?.traceId).toMatch(/^[\da-f]{32}$/)
  expect(request?.traceId).not.toBe(trace)
})

inDepth('the settings of traces hold in the file of settings, too', async () => {
  const collector = await collect()
  const file = join(await temporaryDirectory(), 'settings')
  await writeFile(
    file,
    `OTEL_EXPORTER_OTLP_ENDPOINT=${collector.url}\nOTEL_EXPORTER_OTLP_HEADERS=of=the-file,and=more\nOTEL_SERVICE_NAME=manual\n`,
  )
  const service = await startService(await temporaryDirectory(), {
    SETTINGS_FILE: file,
    OTEL_EXPORTER_OTLP_HEADERS: 'of=the-environment',
  })
  await fetch(`${service.url}/api/service`)
  await service.stop()
  expect(collector.spans.map(({ name }) => name)).toContain('GET /api/service')
  expect(collector.text()).toContain('"manual"')
  expect(collector.headers[0]).toMatchObject({ of: 'the-environment' })
  expect(collector.headers[0]).not.toHaveProperty('and')
})
