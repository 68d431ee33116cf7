import { createHash, randomBytes } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { ClientRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { contract } from '#contract/index.ts'
import { deltaBomb, line, options, packOf, zero } from '#test/support/pack.ts'
import type { Attacker, Target } from './attacker.ts'

/** Does one thing; it is done again and again until the signal. */
type Hand = (signal: AbortSignal) => Promise<unknown>

/** What an account does, prepared: hands that work at the same time. */
interface Attack {
  readonly what: string
  readonly prepare: (attacker: Attacker) => Promise<readonly Hand[]>
}

export const attacks = {
  redirects: configAttack('docs.json with 4,000 pattern redirects', () => ({
    redirects: numbered(4000, (i) => ({ source: `/:a${i}/x${i}/:b*`, destination: `/y${i}/:a${i}` })),
  })),
  navigation: configAttack('docs.json with 300,000 unknown pages', () => ({
    navigation: { pages: numbered(300_000, (i) => `p${i}`) },
  })),
  names: configAttack('docs.json with 200,000 duplicate keys', () => `{${'"a":1,'.repeat(200_000)}"name":"x"}`),
  trickle: { what: '4 pushes of a byte in 20 s', prepare: (attacker) => trickle(attacker, 1) },
  'trickle-many': { what: 'the same, in each of 8 projects', prepare: (attacker) => trickle(attacker, 8) },
  clones: { what: '4 clones that read nothing', prepare: stalledClones },
  fsck: { what: '40 fsck calls, 10 projects of 20 MB', prepare: fsck },
  bomb: { what: '4 pushes of 3 KB of deltas for 5 GB', prepare: bombs },
  renders: { what: '30 projects of pages of seconds', prepare: renders },
  files: { what: '4 deploys of 20,000 text files', prepare: (attacker) => manyFiles(attacker, 'txt') },
  pages: { what: '4 deploys of 20,000 small pages', prepare: (attacker) => manyFiles(attacker, 'md') },
  pushes: { what: '4 pushes of 40 MB', prepare: largePushes },
  bodies: { what: '200 slow bodies, 4 of 10 MB at once', prepare: bodies },
} satisfies Readonly<Record<string, Attack>>

const kilobyte = 1024
const megabyte = 1024 * kilobyte

function numbered<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

function jsonOf(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value))
}

/** A docs.json that is hard on its reader: deployed in four projects, and saved on a branch of each. */
function configAttack(what: string, make: () => unknown): Attack {
  return {
    what: `${what}, deployed and saved in 4 projects`,
    prepare: async (attacker) => {
      const made = make()
      const config = typeof made === 'string' ? made : JSON.stringify({ name: 'x', ...(made as object) })
      const files = [
        { path: 'index.md', content: '# Mine' },
        { path: 'docs.json', content: config },
      ]
      const deploy = jsonOf({ files })
      const save = jsonOf({ content: config })
      const hands = (await attacker.projects(4)).map(async (target): Promise<readonly Hand[]> => {
        const { slug, client } = target
        const { id } = await client.call(contract.branches.create, { params: { slug }, body: { name: 'next' } })
        const path = `/api/projects/${slug}/branches/${id}/files/docs.json`
        return [
          (signal) => attacker.json(target, '/api/deploy', deploy, signal),
          (signal) => attacker.json(target, path, save, signal, 'PUT'),
        ]
      })
      return (await Promise.all(hands)).flat()
    },
  }
}

const receivePack = 'application/x-git-receive-pack-request'

function beginPush(attacker: Attacker, target: Target): ClientRequest {
  return attacker.begin(target, `/git/${target.slug}.git/git-receive-pack`, { 'content-type': receivePack })
}

async function trickle(attacker: Attacker, projects: number): Promise<readonly Hand[]> {
  const targets = await attacker.projects(projects)
  return targets.flatMap((target) => numbered(4, () => (signal: AbortSignal) => dripPush(attacker, target, signal)))
}

async function dripPush(attacker: Attacker, target: Target, signal: AbortSignal): Promise<void> {
  const sent = beginPush(attacker, target)
  sent.write(`${line(`${zero} ${'a'.repeat(40)} refs/heads/x${options}`)}0000`)
  await drip(attacker, sent, { bytes: Buffer.from('PACK\0\0\0\u0002\0\0\0\u0001', 'latin1'), every: 20_000, signal })
}

interface Drip {
  /** Sent one after the other, then zeros. */
  readonly bytes: Buffer
  /** Milliseconds. */
  readonly every: number
  readonly signal: AbortSignal
}

/** Sends byte after byte until it is answered, or ended. */
async function drip(attacker: Attacker, sent: ClientRequest, { bytes, every, signal }: Drip): Promise<void> {
  let at = 0
  const timer = setInterval(() => sent.write(Buffer.from([bytes[at++] ?? 0])), every)
  await attacker.answerOf(sent, signal)
  clearInterval(timer)
}

/** A repository that no buffer takes whole, in each of the projects. Resolves with their heads. */
async function fill(targets: readonly Target[], megabytes: number): Promise<readonly string[]> {
  const contents = numbered(megabytes * 4, () => ({
    content: randomBytes(256 * kilobyte).toString('base64'),
    encoding: 'base64' as const,
  }))
  return Promise.all(
    targets.map(async ({ client }) => {
      const oids: string[] = []
      for (let from = 0; from < contents.length; from += 20) {
        const body = { objects: contents.slice(from, from + 20) }
        oids.push(...(await client.call(contract.deploys.putObjects, { body })).oids)
      }
      const files = oids.map((oid, index) => ({ path: `data/${index}.bin`, oid }))
      const body = { files: [{ path: 'index.md', content: '# Mine' }, ...files] }
      return (await client.call(contract.deploys.create, { body })).commit ?? ''
    }),
  )
}

async function stalledClones(attacker: Attacker): Promise<readonly Hand[]> {
  const targets = await attacker.projects(1)
  const heads = await fill(targets, 24)
  return targets.flatMap((target, index) =>
    numbered(4, () => async (signal: AbortSignal) => {
      const headers = { 'content-type': 'application/x-git-upload-pack-request' }
      const sent = attacker.begin(target, `/git/${target.slug}.git/git-upload-pack`, headers)
      const ended = new Promise<void>((resolve) => void sent.once('close', resolve))
      // Whoever listens for the answer and does not read it keeps it waiting.
      sent.once('response', () => undefined)
      sent.end(`${line(`want ${heads[index]}\n`)}0000${line('done\n')}`)
      const end = (): void => void sent.destroy()
      signal.addEventListener('abort', end)
      await ended
      signal.removeEventListener('abort', end)
    }),
  )
}

async function fsck(attacker: Attacker): Promise<readonly Hand[]> {
  const targets = await attacker.projects(10)
  await fill(targets, 20)
  return targets.flatMap((target) => {
    const asOwner = { ...target, key: target.session }
    const path = `/api/projects/${target.slug}/fsck`
    return numbered(4, () => (signal: AbortSignal) => attacker.json(asOwner, path, Buffer.from('{}'), signal))
  })
}

async function push(
  attacker: Attacker,
  target: Target,
  pack: Buffer,
  { ref, to, signal }: { readonly ref: string; readonly to: string; readonly signal: AbortSignal },
): Promise<number> {
  const sent = beginPush(attacker, target)
  sent.write(`${line(`${zero} ${to} ${ref}${options}`)}0000`)
  sent.end(pack)
  return attacker.answerOf(sent, signal)
}

async function bombs(attacker: Attacker): Promise<readonly Hand[]> {
  const pack = deltaBomb()
  return (await attacker.projects(4)).map(
    (target) => (signal) => push(attacker, target, pack, { ref: 'refs/heads/x', to: 'a'.repeat(40), signal }),
  )
}

async function largePushes(attacker: Attacker): Promise<readonly Hand[]> {
  let turn = 0
  return (await attacker.projects(4)).map((target) => {
    const { pack, commit } = commitOf(40)
    return (signal) => push(attacker, target, pack, { ref: `refs/heads/b${turn++}`, to: commit, signal })
  })
}

/** A first commit of files of 1 MB that cannot be compressed. */
function commitOf(megabytes: number): { readonly pack: Buffer; readonly commit: string } {
  const idOf = (type: string, body: Buffer): Buffer =>
    createHash('sha1').update(`${type} ${body.length}\0`).update(body).digest()
  const blobs = numbered(megabytes, () => randomBytes(megabyte))
  const entries = blobs
    .map((blob, index) => ({ name: `${String(index).padStart(3, '0')}.bin`, id: idOf('blob', blob) }))
    .map(({ name, id }) => Buffer.concat([Buffer.from(`100644 ${name}\0`), id]))
  const tree = Buffer.concat(entries)
  const person = 'Mallory <mallory@example.com> 1700000000 +0000'
  const text = `tree ${idOf('tree', tree).toString('hex')}\nauthor ${person}\ncommitter ${person}\n\nAll\n`
  const commit = Buffer.from(text)
  const pack = packOf([
    { type: 1, body: commit },
    { type: 2, body: tree },
    ...blobs.map((body) => ({ type: 3 as const, body })),
  ])
  return { pack, commit: idOf('commit', commit).toString('hex') }
}

async function renders(attacker: Attacker): Promise<readonly Hand[]> {
  const page = `${'- a\n'.repeat(slowItems)}\n${mark}\n`
  return newEachTime(attacker, 30, { files: numbered(4, (index) => ({ path: `p${index}.md`, content: page })) })
}

/** A list costs time that grows with the square of its items: some five seconds. */
const slowItems = 100_000

async function manyFiles(attacker: Attacker, extension: 'md' | 'txt'): Promise<readonly Hand[]> {
  const files = numbered(19_999, (i) => ({
    path: `d${i % 100}/f${i}.${extension}`,
    content: `# File ${i}\n\n${mark}\n`,
  }))
  return newEachTime(attacker, 4, { files: [{ path: 'index.md', content: '# Mine' }, ...files] })
}

/** In the content of a file: another one each time that it is sent. */
const mark = '########'

/** Deploys content that nobody has built before. */
async function newEachTime(attacker: Attacker, projects: number, body: object): Promise<readonly Hand[]> {
  const template = jsonOf(body)
  const offsets: number[] = []
  for (let at = template.indexOf(mark); at !== -1; at = template.indexOf(mark, at + mark.length)) offsets.push(at)
  let turn = 0
  return (await attacker.projects(projects)).map((target) => (signal) => {
    const text = String(++turn).padStart(mark.length, '0')
    const sent = Buffer.from(template)
    for (const offset of offsets) sent.write(text, offset, 'latin1')
    return attacker.json(target, '/api/deploy', sent, signal)
  })
}

async function bodies(attacker: Attacker): Promise<readonly Hand[]> {
  const targets = await attacker.projects(4)
  const text = 'a'.repeat(5 * megabyte - kilobyte)
  const home = { path: 'index.md', content: '# Mine' }
  const huge = jsonOf({ files: [home, ...numbered(2, (index) => ({ path: `${index}.txt`, content: text }))] })
  return targets.flatMap((target) => [
    (signal: AbortSignal) => attacker.json(target, '/api/deploy', huge, signal),
    ...numbered(50, () => async (signal: AbortSignal) => {
      const headers = { 'content-type': 'application/json', 'content-length': String(10 * megabyte) }
      const sent = attacker.begin(target, '/api/deploy', headers)
      sent.write('{"files":[{"path":"a.md","content":"')
      await drip(attacker, sent, { bytes: Buffer.alloc(0), every: 500, signal })
    }),
  ])
}

/** Milliseconds between an answer and the next try, at most: hands that were answered together do not go on in step. */
const pause = 200

/** Lets all hands work until the signal. */
export async function keepOn(hands: readonly Hand[], signal: AbortSignal): Promise<void> {
  setMaxListeners(0, signal)
  await Promise.all(
    hands.map(async (hand) => {
      while (!signal.aborted) {
        await hand(signal)
        await sleep(Math.random() * pause, undefined, { signal }).catch(() => undefined)
      }
    }),
  )
}
