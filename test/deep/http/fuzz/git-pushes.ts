import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { line, options, packOf, zero } from '#test/support/pack.ts'

/** What there is to fetch and to push on. */
export interface Tips {
  readonly main: string
  readonly draft: string
  /** Main of a project that the key is not for. */
  readonly foreign: string
}

/** @param turn counts requests: a push is of something new. */
export type Bytes = (tips: Tips, turn: number) => Buffer

export type Tip = keyof Tips | 'zero' | 'none'
export const oidOf = (tips: Tips, tip: Tip): string =>
  tip === 'zero' ? zero : tip === 'none' ? 'a1'.repeat(20) : tips[tip]

export const tip = fc.constantFrom<Tip>('main', 'draft', 'foreign', 'zero', 'none')

const hash = (type: string, body: Buffer): string =>
  createHash('sha1').update(`${type} ${body.length}\0`).update(body).digest('hex')

/** How a commit is off, and what its tree holds. */
interface Made {
  readonly name: string
  readonly mode: string
  readonly content: string
  readonly headers: string
}

/** A commit on a tip, with all that is new in it. */
function packed(
  parent: string,
  { name, mode, content, headers }: Made,
): { readonly oid: string; readonly pack: Buffer } {
  const blob = Buffer.from(content)
  const tree = Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(hash('blob', blob), 'hex')])
  const parents = parent === zero ? '' : `parent ${parent}\n`
  const commit = Buffer.from(`tree ${hash('tree', tree)}\n${parents}${headers}\n\nMessage\n`)
  const pack = packOf([
    { type: 1, body: commit },
    { type: 2, body: tree },
    { type: 3, body: blob },
  ])
  return { oid: hash('commit', commit), pack }
}

const person = 'A <a@example.com> 1700000000 +0000'
const usual = { name: 'index.mdx', mode: '100644', headers: `author ${person}\ncommitter ${person}` }
const made: fc.Arbitrary<Made> = fc.record({
  name: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('index.mdx', 'docs.json', 'ä.md') },
    fc.constantFrom('.git', '..', '.gitmodules', 'a/b', 'GIT~1', '\x01', 'x'.repeat(300), 'CON', 'a\\b', ''),
  ),
  mode: fc.oneof(
    { weight: 5, arbitrary: fc.constant('100644') },
    fc.constantFrom('100755', '120000', '160000', '40000', '0', '100664', '777777777'),
  ),
  content: fc.oneof(
    fc.string(),
    fc.constantFrom('# Home', '{', '<Unclosed', 'version https://git-lfs.github.com/spec/v1'),
  ),
  headers: fc.oneof(
    { weight: 5, arbitrary: fc.constant(usual.headers) },
    fc.constantFrom(
      '',
      'author A',
      `author ${person}\ncommitter A <a> 99999999999999999999 +9999`,
      `${usual.headers}\ngpgsig x\n y`,
      `${usual.headers}\nencoding utf-7`,
      `author \u0001<<>> -1 -0000\ncommitter ${person}`,
      `parent ${'f'.repeat(40)}\n${usual.headers}`,
    ),
  ),
})

const refs = fc.oneof(
  fc.constantFrom('refs/heads/main', 'refs/heads/draft', 'refs/heads/new', 'refs/tags/v1', 'refs/tags/v{turn}'),
  fc.constantFrom(
    'refs/heads/pushed-{turn}',
    'refs/deploys/1',
    'refs/heads/',
    'refs/heads/..',
    'refs/heads/a.lock',
    'refs/heads/main/below',
    'refs/heads/\u202e',
    `refs/heads/${'x'.repeat(1200)}`,
    'HEAD',
    'main',
    'refs/notes/x',
    'refs/heads/a b',
    '../../x',
  ),
)
const capabilities = fc.oneof(
  { weight: 4, arbitrary: fc.constant(options) },
  fc.constantFrom(
    '',
    '\0',
    '\0 atomic',
    '\0 push-options',
    '\0 object-format=sha256',
    `\0 agent=${'x'.repeat(9000)}`,
    '\0\0',
    '\0 report-status-v2',
  ),
)
const command = fc.record({
  old: tip,
  new: fc.oneof(fc.constant('made' as const), tip),
  ref: refs,
  after: capabilities,
})

/** A push with anything wrong. */
export const pushes: fc.Arbitrary<Bytes> = fc
  .record({
    parent: tip,
    commit: made,
    commands: fc.array(command, { minLength: 1, maxLength: 3 }),
    withPack: fc.constantFrom(true, true, true, false),
    shallow: fc.constantFrom('', '', '', `shallow ${'a'.repeat(40)}`, 'shallow x', 'push-cert x'),
  })
  .map(({ parent, commit, commands, withPack, shallow }): Bytes => (tips, turn) => {
    const { oid, pack } = packed(oidOf(tips, parent), { ...commit, content: `${commit.content} ${turn}` })
    const lines = commands.map(({ old, new: next, ref, after }) => {
      const to = next === 'made' ? oid : oidOf(tips, next)
      return line(`${oidOf(tips, old)} ${to} ${ref.replace('{turn}', String(turn))}${after}\n`)
    })
    const head = Buffer.from((shallow === '' ? '' : line(shallow)) + lines.join('') + '0000')
    return withPack ? Buffer.concat([head, pack]) : head
  })

/** A push that is taken: to a new branch, to the one that is there, of a tag. Main is built for each: rarely. */
export const rightPushes: fc.Arbitrary<Bytes> = fc
  .constantFrom('new', 'new', 'draft', 'tag', 'delete', 'main')
  .map((kind): Bytes => (tips, turn) => {
    const onto = kind === 'draft' ? tips.draft : tips.main
    const { oid, pack } = packed(onto, { ...usual, content: `# Turn ${turn}` })
    const [old, next, ref] = {
      new: [zero, oid, `refs/heads/pushed-${turn}`],
      draft: [tips.draft, oid, 'refs/heads/draft'],
      tag: [zero, tips.main, `refs/tags/v${turn}`],
      delete: [tips.draft, zero, 'refs/heads/draft'],
      main: [tips.main, oid, 'refs/heads/main'],
    }[kind] as [string, string, string]
    const head = Buffer.from(line(`${old} ${next} ${ref}${options}\n`) + '0000')
    // Without anything new the pack is an empty one; a deletion has none.
    if (kind === 'delete') return head
    return Buffer.concat([head, kind === 'tag' ? packOf([]) : pack])
  })
