import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { failureCodes } from '#contract/failure.ts'
import { operator } from '#contract/operator.ts'
import type { Endpoint } from '#contract/endpoint.ts'
import type { Tips } from './fuzz/git-pushes.ts'
import { gitRequests, rightGitRequests, type GitRequest } from './fuzz/git-requests.ts'
import { operatorRequests, rightOperatorRequests, type OperatorRequest } from './fuzz/operator-requests.ts'
import { fuzzSeed } from '#test/support/properties.ts'
import { patience, runs, Tally } from './fuzz/runs.ts'
import { Served, wire, type Answer } from './fuzz/served.ts'
import { leakOf, rightSiteRequests, siteRequests, type SiteRequest } from './fuzz/site-requests.ts'

const tally = new Tally()
let served: Served
let turn = 0

beforeAll(async () => {
  served = await Served.start()
})
afterAll(async () => {
  await served.close()
  tally.print(served.service.stalls())
})

const authorityOf = (): string => `localhost:${served.service.port}`
const textOf = ({ head, body }: Answer): string => `${head}\n${body.toString('latin1')}`

/** Half of them such as are taken. */
async function assertAll<T>(
  { right, any, numRuns }: { readonly right: fc.Arbitrary<T>; readonly any: fc.Arbitrary<T>; readonly numRuns: number },
  check: (input: T) => Promise<void>,
): Promise<void> {
  await fc.assert(fc.asyncProperty(right, check), { numRuns: numRuns / 2, seed: fuzzSeed })
  await fc.assert(fc.asyncProperty(any, check), { numRuns: numRuns / 2, seed: fuzzSeed })
}

describe('sites and pages', () => {
  const filled = (text: string): string =>
    text
      .replaceAll('{port}', String(served.service.port))
      .replaceAll('{preview}', served.previewHost)
      .replaceAll('{entry}', served.entry)

  async function check(request: SiteRequest): Promise<void> {
    const headers = request.headers.map(([name, value]) => [name, filled(value)] as const)
    const method = request.line.split(' ', 1)[0] ?? ''
    const answer = await served.exchange(wire(filled(request.line), [...headers, ['Connection', 'close']]))
    tally.add('sites', answer.status)
    const text = textOf(answer)
    const [, length] = /\r\ncontent-length: (\d+)/.exec(answer.head) ?? []
    const whole =
      method === 'HEAD' || answer.status === 304 || length === undefined || answer.body.length === Number(length)
    const forSite = /\.localhost|\{preview\}/i.test(request.headers.find(([name]) => name === 'Host')?.[1] ?? '')
    const faults = {
      status: answer.status === 0 || answer.status >= 500 ? `${answer.status}` : null,
      leak: leakOf(request, text),
      cut: whole ? null : `${answer.body.length} bytes of ${length}`,
      header: /^(?:x|set-cookie): /m.test(answer.head) && (forSite || /^x: /m.test(answer.head)) ? answer.head : null,
      elsewhere: /^location: *(?:[/\\]{2}|http:\/\/elsewhere)/m.exec(answer.head)?.[0] ?? null,
    }
    expect(faults, text.slice(0, 600)).toEqual({ status: null, leak: null, cut: null, header: null, elsewhere: null })
  }

  it(
    'answer whatever is asked of them, and nothing of others',
    () => assertAll({ right: rightSiteRequests, any: siteRequests, numRuns: runs * 60 }, check),
    patience * 4,
  )
})

describe('Git over HTTP', () => {
  const credentials = (caller: GitRequest['caller']): Record<string, string> =>
    caller === 'nobody' ? {} : { authorization: `Basic ${Buffer.from(`x:${served.keys[caller]}`).toString('base64')}` }

  function send({ caller, method, path, headers, body }: GitRequest, tips: Tips): Promise<Answer> {
    const bytes = body?.(tips, turn) ?? Buffer.alloc(0)
    const all = { ...credentials(caller), ...headers, 'content-length': String(bytes.length), connection: 'close' }
    const lines = [['host', authorityOf()] as const, ...Object.entries(all)]
    return served.exchange(wire(`${method} /git/${path} HTTP/1.1`, lines, method === 'GET' ? Buffer.alloc(0) : bytes))
  }

  async function refsOf(project: 'own' | 'foreign'): Promise<ReadonlyMap<string, string>> {
    const caller = project === 'own' ? 'all' : 'foreign'
    const path = `${project}.git/info/refs?service=git-upload-pack`
    const answer = await send({ caller, method: 'GET', path, headers: {} }, { main: '', draft: '', foreign: '' })
    expect(answer.status).toBe(200)
    return new Map(
      [...answer.body.toString('latin1').matchAll(/([0-9a-f]{40}) (refs\/[^\n\0]*)/g)].map(([, oid = '', ref = '']) => [
        ref,
        oid,
      ]),
    )
  }

  async function check(request: GitRequest): Promise<void> {
    turn += 1
    const [own, foreign] = [await refsOf('own'), await refsOf('foreign')]
    const [main = '', draft = main] = [own.get('refs/heads/main'), own.get('refs/heads/draft')]
    const answer = await send(request, { main, draft, foreign: foreign.get('refs/heads/main') ?? '' })
    const text = textOf(answer)
    const isPush = request.path.endsWith('receive-pack')
    const taken = text.includes('ok refs/')
    tally.add(
      `git, ${isPush ? 'pushes' : 'fetches'}`,
      answer.status === 200 && isPush && request.method === 'POST' && !taken ? 422 : answer.status,
    )
    const changed = async (project: 'own' | 'foreign', before: ReadonlyMap<string, string>) =>
      [...(await refsOf(project))].filter(([ref, oid]) => before.get(ref) !== oid)
    const faults = {
      status: answer.status === 0 || answer.status >= 500 ? `${answer.status}` : null,
      own: taken && ['all', 'write'].includes(request.caller) ? [] : await changed('own', own),
      foreign: await changed('foreign', foreign),
    }
    expect(faults, text.slice(0, 600)).toEqual({ status: null, own: [], foreign: [] })
  }

  it(
    'moves no ref but by a push that says so',
    () => assertAll({ right: rightGitRequests, any: gitRequests, numRuns: runs * 12 }, check),
    patience * 8,
  )
})

describe('the operator’s socket', () => {
  const all = Object.values(operator).flatMap((verbs) => Object.values(verbs as Readonly<Record<string, Endpoint>>))

  async function state(): Promise<string> {
    const read = async (path: string) =>
      (await ask({ what: 'state', caller: 'operator', method: 'GET', path })).body.toString()
    return (await read('/operator/accounts')) + (await read('/operator/projects'))
  }

  async function ask({ caller, method, path, text }: OperatorRequest): Promise<Answer> {
    const keys = { operator: await served.operatorKey(), wrong: 'x'.repeat(43), session: served.session, nobody: null }
    const key = keys[caller]
    const body = Buffer.from((text ?? '').replaceAll('__turn__', String(turn)))
    return served.exchange(
      wire(
        `${method} ${path} HTTP/1.1`,
        [
          ['host', 'operator'],
          ...(key === null ? [] : [['authorization', `Bearer ${key}`] as const]),
          ['content-type', 'application/json'],
          ['content-length', String(body.length)],
          ['connection', 'close'],
        ],
        body,
      ),
      true,
    )
  }

  async function check(request: OperatorRequest): Promise<void> {
    turn += 1
    const before = await state()
    const answer = await ask(request)
    tally.add(`operator: ${request.what}`, answer.status)
    const refused = answer.status >= 400
    const code = /"code":"([a-z_]+)"/.exec(answer.body.toString())?.[1] ?? ''
    const faults = {
      status: answer.status === 0 || answer.status >= 500 ? `${answer.status}` : null,
      stranger: request.caller === 'operator' || answer.status === 401 ? null : `${request.caller}: ${answer.status}`,
      word: refused && request.method !== 'HEAD' && !Object.hasOwn(failureCodes, code) ? answer.body.toString() : null,
      changed: refused ? before !== (await state()) : false,
    }
    expect(faults, textOf(answer).slice(0, 600)).toEqual({ status: null, stranger: null, word: null, changed: false })
  }

  it.each(all.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
    '%s',
    async (what, endpoint) => {
      const [right, any] = [rightOperatorRequests(what, endpoint), operatorRequests(what, endpoint)]
      await assertAll({ right, any, numRuns: runs }, check)
    },
    patience,
  )
})
