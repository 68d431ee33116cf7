import { describe, expect, it, onTestFinished } from 'vitest'
import { contract } from '#contract/index.ts'
import { FakeBuilder } from '#test/support/fake-builder.ts'
import { startLogged } from '#test/support/log.ts'
import { createProject } from '#test/support/service-process.ts'

const files = [{ path: 'index.md', content: '# Hello' }]

interface Family {
  readonly type: string
  readonly help: string
  readonly samples: readonly { readonly name: string; readonly labels: string; readonly value: number }[]
}

/** Reads numbers as a collector does; throws for what it would refuse. See https://prometheus.io/docs/instrumenting/exposition_formats/. */
function parse(text: string): ReadonlyMap<string, Family> {
  const families = new Map<string, { type: string; help: string; samples: Family['samples'][number][] }>()
  let current = { type: '', help: '', samples: [] as Family['samples'][number][] }
  for (const line of text.split('\n').filter((one) => one !== '' && one !== '# EOF')) {
    const [, keyword, of = '', rest = ''] = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/.exec(line) ?? []
    if (keyword === 'HELP') {
      if (families.has(of)) throw new Error(`${of} is there twice`)
      families.set(of, (current = { type: '', help: rest, samples: [] }))
    } else if (keyword === 'TYPE') current.type = rest
    else {
      const label = '[a-zA-Z_]\\w*="(?:[^"\\\\\\n]|\\\\["\\\\n])*"'
      const shape = new RegExp(`^([a-zA-Z_:][\\w:]*)(?:\\{((?:${label})?(?:,${label})*)\\})? (\\S+)$`)
      const [, name = '', labels = '', value = ''] = shape.exec(line) ?? []
      // What has not been observed since the last look is no number.
      const isNumber = /^nan$/i.test(value) || !Number.isNaN(Number(value.replace('+Inf', 'Infinity')))
      if (name === '' || !isNumber) throw new Error(`not a sample: ${line}`)
      current.samples.push({ name, labels, value: Number(value) })
    }
  }
  return families
}

async function measured(environment: Record<string, string> = {}) {
  const service = await startLogged(environment, { builder: new FakeBuilder() })
  onTestFinished(() => service.close())
  const { client, slug } = await createProject(service.url, 'counted-project')
  await client.call(contract.deploys.create, { body: { files } })
  return { service, client, slug }
}

describe('the numbers of the service', () => {
  it('are well-formed in both formats, with histograms whose buckets add up', async () => {
    const { service } = await measured()
    const plain = await fetch(`${service.url}/metrics`)
    expect(plain.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    const open = await fetch(`${service.url}/metrics`, {
      headers: { accept: 'application/openmetrics-text; version=1.0.0' },
    })
    expect(open.headers.get('content-type')).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8')
    const text = await open.text()
    expect(text.endsWith('# EOF\n')).toBe(true)
    expect(parse(text).get('quire_http_requests')?.type).toBe('counter')
    const families = parse(await plain.text())
    for (const [name, { type, help, samples }] of families) {
      expect(help, name).not.toBe('')
      if (type !== 'histogram') continue
      const last = samples.filter(({ labels }) => labels.includes('le="+Inf"'))
      const counts = samples.filter((sample) => sample.name === `${name}_count`)
      expect(
        last.map(({ value }) => value),
        name,
      ).toEqual(counts.map(({ value }) => value))
    }
    expect(families.get('quire_deploys_total')?.samples).toEqual([
      { name: 'quire_deploys_total', labels: 'kind="deploy",status="live"', value: 1 },
    ])
    expect(families.get('quire_projects')?.samples[0]?.value).toBe(1)
    expect(families.get('quire_disk_free_bytes')?.samples[0]?.value).toBeGreaterThan(0)
    expect(families.get('quire_git_seconds')?.samples.length).toBeGreaterThan(0)
    const waits = families.get('quire_queue_wait_seconds')?.samples ?? []
    expect(waits.some(({ labels }) => labels.includes('queue="deploys"'))).toBe(true)
    const stages = families.get('quire_deploy_stage_seconds')?.samples.filter(({ name }) => name.endsWith('_count'))
    expect(stages?.map(({ labels }) => labels).sort()).toEqual(
      ['build', 'commit', 'point', 'receive', 'release'].map((stage) => `stage="${stage}"`),
    )
  })

  it('have as many series however many projects, paths and methods there are', async () => {
    const { service } = await measured()
    const read = async (): Promise<string> => (await fetch(`${service.url}/metrics`)).text()
    await read()
    const series = (text: string) => text.split('\n').filter((line) => line.startsWith('quire_')).length
    const askAll = async (round: number) => {
      for (let at = 0; at < 20; at++) {
        await fetch(`${service.url}/nothing/${round}-${at}`)
        await fetch(`${service.url}/api/projects/p${round}-${at}`, { method: 'PROPFIND' })
      }
    }
    await askAll(1)
    const before = await read()
    await askAll(2)
    const after = await read()
    expect(series(after)).toBe(series(before))
    expect(after).not.toContain('counted-project')
    expect(after).toContain('method="other"')
  })

  it('are at a port of their own for who reaches it, and at no other then', async () => {
    const { service } = await measured({ METRICS_PORT: '0' })
    const metrics = service.lines('started')[0]?.['metrics']
    expect((await fetch(`${service.url}/metrics`)).status).toBe(404)
    const answer = await fetch(String(metrics))
    expect(answer.status).toBe(200)
    expect(parse(await answer.text()).has('quire_http_requests_total')).toBe(true)
    expect((await fetch(new URL('/api/service', String(metrics)))).status).toBe(404)
  })
})
