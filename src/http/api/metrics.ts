/** Deliveries of webhooks: attempts since the start by outcome, and events that wait. */
export interface DeliveryNumbers {
  readonly counts: Readonly<Record<string, number>>
  readonly pending: number
}

/** Numbers of this process in the Prometheus text format (https://prometheus.io/docs/instrumenting/exposition_formats/). */
export class Metrics {
  readonly #requests = new Map<string, number>()
  readonly #deploys = new Map<string, number>()
  #deploySeconds = 0
  readonly #deliveries: DeliveryNumbers

  constructor(deliveries: DeliveryNumbers) {
    this.#deliveries = deliveries
  }

  request(method: string, status: number): void {
    const labels = `method="${method}",status="${status}"`
    this.#requests.set(labels, (this.#requests.get(labels) ?? 0) + 1)
  }

  deploy(status: string, milliseconds: number): void {
    const labels = `status="${status}"`
    this.#deploys.set(labels, (this.#deploys.get(labels) ?? 0) + 1)
    this.#deploySeconds += milliseconds / 1000
  }

  text(): string {
    const memory = process.memoryUsage()
    const cpu = process.cpuUsage()
    const { counts, pending } = this.#deliveries
    const deliveries = Object.entries(counts).map(([status, count]) => [`status="${status}"`, count] as const)
    return [
      ...family('process_resident_memory_bytes', 'gauge', 'Memory in use', [['', memory.rss]]),
      ...family('process_heap_bytes', 'gauge', 'JavaScript heap in use', [['', memory.heapUsed]]),
      ...family('process_cpu_seconds_total', 'counter', 'CPU time', [['', (cpu.user + cpu.system) / 1e6]]),
      ...family('process_uptime_seconds', 'gauge', 'Time since the start', [['', process.uptime()]]),
      ...family('quire_http_requests_total', 'counter', 'Requests to the API', this.#requests),
      ...family('quire_deploys_total', 'counter', 'Deploys that ended', this.#deploys),
      ...family('quire_deploy_seconds_total', 'counter', 'Time spent in deploys', [['', this.#deploySeconds]]),
      ...family('quire_webhook_deliveries_total', 'counter', 'Attempts to deliver events to webhooks', deliveries),
      ...family('quire_webhook_pending', 'gauge', 'Events that wait for a webhook', [['', pending]]),
      '',
    ].join('\n')
  }
}

function* family(
  name: string,
  type: 'gauge' | 'counter',
  help: string,
  samples: Iterable<readonly [labels: string, value: number]>,
): Generator<string> {
  yield `# HELP ${name} ${help}`
  yield `# TYPE ${name} ${type}`
  for (const [labels, value] of samples) yield `${name}${labels === '' ? '' : `{${labels}}`} ${value}`
}
