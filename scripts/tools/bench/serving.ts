import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { request } from 'undici'
import { contract } from '#contract/index.ts'
import { createProject, startService } from '#test/support/service-process.ts'
import { measureServing, type Sample, type ServingFigure, type ServingOptions } from './against-plain.ts'
import { load500 } from './corpus.ts'

const slug = 'bench'

/** Deploys real pages to a real service and measures a page, a 304 and a hashed asset of it. Takes about a minute. */
export async function benchServing(options: ServingOptions = {}): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'quire-bench-serving-'))
  const service = await startService(directory, { LOG_LEVEL: 'error' })
  try {
    const project = await createProject(service.url, slug)
    const { name, pages } = await load500()
    const chosen = [...pages].filter(([path]) => !path.startsWith('snippets/')).slice(0, 50)
    const files = chosen.map(([path, content]) => ({ path, content }))
    await project.client.call(contract.deploys.create, { body: { files } })
    const host = `${slug}.localhost:${service.port}`
    const page = pathOf(middle(chosen)[0])
    const asset = await stylesheetOf(service.port, host, page)
    const figures = await measureServing(
      { port: service.port, pid: service.child.pid ?? 0, host, page, asset },
      options,
    )
    const heading = `Serving (${chosen.length} of ${name}; 32 connections) against a plain node:http server with the same bytes`
    return [heading, ...figures.map(line)].join('\n')
  } finally {
    await service.stop()
    await rm(directory, { recursive: true, force: true })
  }
}

/** Neither the longest nor the shortest page. */
function middle(pages: readonly (readonly [path: string, text: string])[]): readonly [path: string, text: string] {
  const chosen = pages.toSorted(([, a], [, b]) => a.length - b.length)[Math.floor(pages.length / 2)]
  if (chosen === undefined) throw new Error('There are no pages')
  return chosen
}

function pathOf(source: string): string {
  return (
    '/' +
    source
      .replace(/\.mdx?$/, '')
      .replace(/(?:^|\/)index$/, '')
      .split('/')
      .map(encodeURIComponent)
      .join('/')
  )
}

async function stylesheetOf(port: number, host: string, page: string): Promise<string> {
  const { body } = await request(`http://127.0.0.1:${port}${page}`, { headers: { host } })
  const href = /<link[^>]+href="(\/[^"]+\.css)"/.exec(await body.text())?.[1]
  if (href === undefined) throw new Error(`${page} has no stylesheet`)
  return href
}

function line({ what, bytes, ours, plain }: ServingFigure): string {
  const show = ({ perSecond, p99, cpu }: Sample): string =>
    `${Math.round(perSecond).toLocaleString('en')}/s, p99 ${p99} ms, ${cpu.toFixed(0)} µs of processor`.padEnd(46)
  const share = (ours.perSecond / plain.perSecond) * 100
  return `  ${what.padEnd(13)} ${show(ours)} plain ${show(plain)} ${share.toFixed(0)} %  (${bytes} bytes)`
}
