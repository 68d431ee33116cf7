import { gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { line } from '#test/support/pack.ts'
import { oidOf, pushes, rightPushes, tip, type Bytes, type Tip, type Tips } from './git-pushes.ts'

export interface GitRequest {
  readonly caller: 'all' | 'read' | 'write' | 'foreign' | 'nobody'
  readonly method: string
  /** Below `/git/`. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Bytes
}

const delimiter = '0001'
const fetchLine = fc.oneof(
  tip.map((one) => `want {${one}}`),
  tip.map((one) => `have {${one}}`),
  fc.constantFrom(
    'done\n',
    'thin-pack',
    'no-progress',
    'include-tag',
    'ofs-delta',
    'shallow {main}',
    'deepen 1',
    'deepen -1',
    'deepen 99999999999',
    'deepen-since 0',
    'deepen-not refs/heads/main',
    'filter blob:none',
    'filter tree:99999999999999999999',
    'filter sparse:oid={main}',
    'filter combine:' + 'blob:none+'.repeat(50),
    'want-ref refs/heads/main',
    'wait-for-done',
    'packfile-uris https',
    'sideband-all',
    'ref-prefix refs/',
    'peel',
    'symrefs',
    'unborn',
    'want ',
    'want {main}' + ' '.repeat(60_000),
    '\0',
  ),
)
const fill = (text: string, tips: Tips): string =>
  text.replace(/\{(main|draft|foreign|zero|none)\}/g, (_, name: Tip) => oidOf(tips, name))

/** Of protocol 2, right and wrong by turns. */
const fetches: fc.Arbitrary<Bytes> = fc
  .record({
    name: fc.constantFrom('fetch', 'fetch', 'ls-refs', 'object-info', 'bundle-uri', 'nothing', ''),
    lines: fc.array(fetchLine, { maxLength: 6 }),
    parted: fc.constantFrom(delimiter, delimiter, delimiter, '0000', '', '0002', '0003'),
  })
  .map(
    ({ name, lines, parted }): Bytes =>
      (tips) =>
        Buffer.from(
          line(`command=${name}`) +
            line('object-format=sha1') +
            parted +
            lines.map((one) => line(fill(one, tips))).join('') +
            '0000',
        ),
  )

const rightFetches: fc.Arbitrary<Bytes> = fc
  .constantFrom(
    ['want {main}', 'done'],
    ['want {draft}', 'have {main}', 'done'],
    ['want {main}', 'filter blob:none', 'done'],
  )
  .map(
    (lines): Bytes =>
      (tips) =>
        Buffer.from(line('command=fetch') + delimiter + lines.map((one) => line(fill(one, tips))).join('') + '0000'),
  )

/** Of the first protocol. */
const oldFetches: fc.Arbitrary<Bytes> = fc
  .record({
    wants: fc.array(
      fc.tuple(tip, fc.constantFrom('', ' multi_ack side-band-64k thin-pack', ' allow-any', ' filter', '\0')),
      { maxLength: 3 },
    ),
    lines: fc.array(fetchLine, { maxLength: 3 }),
  })
  .map(({ wants, lines }): Bytes => (tips) => {
    const head = wants.map(([one, after]) => line(`want ${oidOf(tips, one)}${after}\n`)).join('')
    return Buffer.from(`${head}0000${lines.map((one) => line(fill(one, tips))).join('')}${line('done\n')}`)
  })

/** Of the whole number of bytes of a body, per mille. */
const place = fc.integer({ min: 0, max: 1000 })
const damage = fc.oneof(
  fc.record({ kind: fc.constant('cut' as const), at: place }),
  fc.record({ kind: fc.constant('flip' as const), at: place }),
  fc.record({ kind: fc.constant('insert' as const), at: place }),
  fc.record({ kind: fc.constant('repeat' as const), at: place }),
  fc.record({ kind: fc.constant('add' as const), at: place }),
)

function damaged(bytes: Buffer, { kind, at }: { readonly kind: string; readonly at: number }): Buffer {
  const index = Math.min(bytes.length - 1, Math.floor((bytes.length * at) / 1000))
  const [before, after] = [bytes.subarray(0, Math.max(0, index)), bytes.subarray(Math.max(0, index))]
  if (kind === 'cut') return before
  if (kind === 'insert') return Buffer.concat([before, Buffer.from([at & 255, 0, 255]), after])
  if (kind === 'repeat') return Buffer.concat([before, after, after])
  if (kind === 'add') return Buffer.concat([bytes, Buffer.alloc(at * 50, 'PACK')])
  const flipped = Buffer.from(bytes)
  if (flipped.length > 0) flipped[index] = (flipped[index] ?? 0) ^ (1 << (at & 7))
  return flipped
}

type Service = 'git-upload-pack' | 'git-receive-pack'
const post = (service: Service, body: Bytes, headers: Readonly<Record<string, string>> = {}): GitRequest => ({
  caller: 'all',
  method: 'POST',
  path: `own.git/${service}`,
  headers: { 'content-type': `application/x-${service}-request`, ...headers },
  body,
})
const advertised = (service: Service, headers: Readonly<Record<string, string>> = {}): GitRequest => ({
  caller: 'all',
  method: 'GET',
  path: `own.git/info/refs?service=${service}`,
  headers,
})
const second = { 'git-protocol': 'version=2' }

/** What git sends, and gets. */
export const rightGitRequests: fc.Arbitrary<GitRequest> = fc.oneof(
  fc.constantFrom(advertised('git-upload-pack'), advertised('git-upload-pack', second), advertised('git-receive-pack')),
  rightFetches.map((body) => post('git-upload-pack', body, second)),
  rightPushes.map((body) => post('git-receive-pack', body)),
  rightPushes.map((body) =>
    post('git-receive-pack', (tips, turn) => gzipSync(body(tips, turn)), { 'content-encoding': 'gzip' }),
  ),
)

const bodies: fc.Arbitrary<GitRequest> = fc.oneof(
  fc.oneof(pushes, rightPushes).map((body) => post('git-receive-pack', body)),
  fc.oneof(fetches, rightFetches).map((body) => post('git-upload-pack', body, second)),
  oldFetches.map((body) => post('git-upload-pack', body)),
)

/** With one thing wrong or more, by anybody. */
export const gitRequests: fc.Arbitrary<GitRequest> = fc
  .record({
    request: fc.oneof(
      { weight: 8, arbitrary: bodies },
      fc.constantFrom(advertised('git-upload-pack'), advertised('git-receive-pack')),
    ),
    caller: fc.oneof(
      { weight: 5, arbitrary: fc.constant('all' as const) },
      fc.constantFrom('read' as const, 'write' as const, 'foreign' as const, 'nobody' as const),
    ),
    damages: fc.array(damage, { maxLength: 2 }),
    coding: fc.oneof(
      { weight: 6, arbitrary: fc.constant('none' as const) },
      fc.constantFrom('gzip' as const, 'cut gzip' as const, 'said' as const, 'br' as const, 'bomb' as const),
    ),
    protocol: fc.oneof(
      { weight: 6, arbitrary: fc.constant(null) },
      fc.constantFrom(
        'version=2',
        'version=1',
        'version=0',
        'version=2:version=1',
        'x=y',
        'version=99',
        '\u00e4',
        ':'.repeat(500),
      ),
    ),
    type: fc.oneof({ weight: 8, arbitrary: fc.constant(null) }, fc.constantFrom('text/plain', 'application/json', '')),
    path: fc.oneof(
      { weight: 10, arbitrary: fc.constant(null) },
      fc.constantFrom(
        'own/info/refs?service=git-upload-pack',
        'own.git/info/refs',
        'own.git/info/refs?service=git-upload-archive',
        'own.git/info/refs?service=git-upload-pack&service=git-receive-pack',
        'foreign.git/info/refs?service=git-upload-pack',
        'foreign.git/git-receive-pack',
        '..%2fown.git/info/refs?service=git-upload-pack',
        'own.git.git/info/refs?service=git-upload-pack',
        'own.git/HEAD',
        'own.git/objects/info/packs',
        '.git/info/refs?service=git-upload-pack',
        '%00.git/info/refs?service=git-upload-pack',
      ),
    ),
    method: fc.oneof(
      { weight: 12, arbitrary: fc.constant(null) },
      fc.constantFrom('GET', 'POST', 'PUT', 'HEAD', 'OPTIONS'),
    ),
  })
  .map(({ request, caller, damages, coding, protocol, type, path, method }) => {
    const encode = (bytes: Buffer): Buffer => {
      if (coding === 'gzip') return gzipSync(bytes)
      if (coding === 'cut gzip') return gzipSync(bytes).subarray(0, -10)
      return coding === 'bomb' ? gzipSync(Buffer.concat([bytes, Buffer.alloc(64 << 20)])) : bytes
    }
    const { body } = request
    const encoding = coding === 'none' ? {} : { 'content-encoding': coding === 'br' ? 'br' : 'gzip' }
    return {
      caller,
      method: method ?? request.method,
      path: path ?? request.path,
      headers: {
        ...request.headers,
        ...encoding,
        ...(protocol === null ? {} : { 'git-protocol': protocol }),
        ...(type === null ? {} : { 'content-type': type }),
      },
      ...(body === undefined
        ? {}
        : { body: (tips: Tips, turn: number) => encode(damages.reduce(damaged, body(tips, turn))) }),
    }
  })
