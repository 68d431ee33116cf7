import { setTimeout as sleep } from 'node:timers/promises'

/** All that a refusal must leave as it is: texts, by who reads them at which address. */
export type State = ReadonlyMap<string, string>

/** Two accounts, each with a project. */
interface Readers {
  readonly url: string
  readonly owner: string
  readonly stranger: string
  readonly slug: string
  readonly foreignSlug: string
}

const parts = [
  '',
  '/members',
  '/domains',
  '/visibility',
  '/invitations',
  '/keys?limit=200',
  '/webhooks?limit=200',
  '/changelog?limit=200',
  '/files',
  '/usage',
]
const history = ['/deploys?limit=20', '/branches?limit=200', '/audit?limit=200']
const ofAccount = ['/api/projects?limit=200', '/api/invitations', '/api/auth/sessions', '/api/auth/me']

/** Read as the two accounts read it, when nothing is under way for it any more. Throws when one of them cannot. */
export async function stateOf({ url, owner, stranger, slug, foreignSlug }: Readers): Promise<State> {
  const read = async (path: string, token: string): Promise<[string, string]> => {
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${token}` }, redirect: 'manual' })
    if (response.status !== 200) throw new Error(`GET ${path}: ${response.status}`)
    return [`${token === owner ? 'owner' : 'stranger'}: ${path}`, lastingOf(await response.text())]
  }
  for (;;) {
    const of = `/api/projects/${slug}`
    const foreign = `/api/projects/${foreignSlug}`
    const addresses = [
      // First what tells whether a build is under way: whatever else it changes is read when it has ended.
      ...history.flatMap((part) => [[of + part, owner] as const, [foreign + part, stranger] as const]),
      ...parts.map((part) => [of + part, owner] as const),
      [foreign, stranger] as const,
      ...ofAccount.flatMap((path) => [owner, stranger].map((token) => [path, token] as const)),
    ]
    // One after another: what holds the service is then that request, and not how many come with it.
    const texts: [string, string][] = []
    for (const [path, token] of addresses) texts.push(await read(path, token))
    if (!texts.some(([, text]) => /"status":"(?:queued|building)"/.test(text))) return new Map(texts)
    await sleep(5)
  }
}

/** The items of the owner’s list at an address that begins so. */
export function itemsOf(state: State, beginning: string): readonly Readonly<Record<string, string>>[] {
  const found = [...state].find(([at]) => at.startsWith(`owner: ${beginning}`))
  return found === undefined ? [] : (JSON.parse(found[1]) as { items: Record<string, string>[] }).items
}

/** Reading uses a credential, and what is on the disk is measured in the background: neither is a part of the state. */
function lastingOf(text: string): string {
  return text.replace(/,?"(?:last_used_at|usedAt)":"[^"]*"/g, '').replace(/,?"storage":\{[^}]*\}/g, '')
}
