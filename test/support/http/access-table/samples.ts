import { contract } from '#contract/index.ts'
import { password, type World } from './world.ts'

/** A request that an endpoint takes, beside the slug of its project. */
export interface Sample {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Statuses that are an answer here though they are a mistake elsewhere. */
  readonly answers?: readonly number[]
  /** The project is gone after it: every caller who may do it gets one of their own. */
  readonly consumes?: true
}

type Make = Sample | ((world: World) => Promise<Sample>)

let count = 0
const unique = (prefix: string): string => `${prefix}-${++count}`
const files = [{ path: 'index.md', content: 'x' }]

const deploys = new WeakMap<World, string>()
/** Id of a deploy that is there. */
const deployed = async (world: World): Promise<string> => {
  const known = deploys.get(world)
  if (known !== undefined) return known
  const owner = await world.as('owner')
  const { id } = await owner.call(contract.deploys.create, { query: { project: world.slug }, body: { files } })
  deploys.set(world, id)
  return id
}

/** What endpoints need beside ids and paths that nothing has. An endpoint that is missing here must need nothing. */
export const samples: Readonly<Record<string, Make>> = {
  'accounts.signup': async () => ({ body: { email: `${unique('new')}@example.com`, password } }),
  'accounts.login': { body: { email: 'owner@example.com', password } },
  'accounts.changePassword': { body: { currentPassword: password, newPassword: password } },
  'accounts.forgotPassword': { body: { email: 'owner@example.com' }, answers: [503] },
  'accounts.resetPassword': { body: { token: 'none', newPassword: password }, answers: [400] },
  'accounts.changeEmail': { body: { email: 'taken@example.com', password: 'wrong' }, answers: [400] },
  'accounts.confirmEmail': { body: { token: 'none' }, answers: [400] },
  'accounts.remove': { body: { password: 'wrong' }, answers: [400] },
  'sessions.revoke': { query: { id: 'none' } },
  'device.authorize': { body: { client_id: 'quire-cli' } },
  'device.token': { body: { grant_type: 'none', client_id: 'quire-cli' }, answers: [400] },
  'device.read': { query: { user_code: 'BCDF-GHJK' } },
  'device.approve': { body: { user_code: 'BCDF-GHJK' } },
  'device.deny': { body: { user_code: 'BCDF-GHJK' } },
  'projects.create': async () => ({ body: { slug: unique('made') } }),
  'projects.update': { body: { title: 'Title' } },
  'projects.remove': { consumes: true },
  'invitations.create': { body: { email: 'somebody@example.com' } },
  'invitations.revoke': { query: { id: 'none' } },
  'members.remove': { query: { id: 'none' } },
  'keys.create': { body: { name: 'key' } },
  'keys.rename': { body: { id: 'none', name: 'new' } },
  'keys.revoke': { query: { id: 'none' } },
  'deploys.create': { body: { files } },
  'checks.create': { body: { files } },
  'deploys.putObjects': { body: { objects: [{ content: 'x' }] } },
  'deploys.read': async (world) => ({ params: { id: await deployed(world) } }),
  'deploys.diff': async (world) => ({ params: { id: await deployed(world) } }),
  'deploys.events': async (world) => ({ params: { id: await deployed(world) } }),
  'deploys.rollback': { body: { deployId: 'none' } },
  'branches.create': async () => ({ body: { name: unique('branch') } }),
  'previews.create': async () => ({ body: { branch: unique('sent'), files } }),
  'previews.remove': { query: { branch: 'none' } },
  'branches.remove': { query: { id: 'none' } },
  'branches.saveFile': { body: { content: 'x' } },
  'branches.commit': { body: { changes: [{ path: 'index.md', content: 'x' }] } },
  'branches.restore': { body: { path: 'index.md' } },
  'branches.check': { body: { changes: [{ path: 'index.md', content: 'x' }] } },
  'branches.render': { body: { path: 'index.md', content: 'x' } },
  'branches.search': { query: { q: 'x' } },
  'files.search': { query: { q: 'x' } },
  'files.diff': { query: { commit: '0'.repeat(40) } },
  'branches.update': { body: { resolutions: [] } },
  'branches.publish': { body: {} },
  'comments.create': { body: { text: 'Why?' } },
  'comments.update': { body: { resolved: true } },
  'assistant.send': { body: { messages: [{ role: 'user', content: 'Hello' }] } },
  'assistant.undo': { body: { turn: 'none' } },
  'webhooks.create': { body: { url: 'http://example.com/' } },
  'webhooks.update': { body: { events: ['deploy.failed'] } },
  'webhooks.remove': { query: { id: 'none' } },
  'domains.create': { body: { domain: 'docs.example.com' } },
  'domains.setPrimary': { body: { domain: null } },
  'domains.remove': { query: { domain: 'docs.example.com' } },
  'feedback.remove': { query: { id: 'none' } },
  'domains.ask': { query: { domain: 'docs.example.com' } },
  'visibility.set': { body: { visibility: 'public' } },
  'visibility.setPassword': { body: { password: 'open sesame please' }, answers: [400] },
  'visibility.removePassword': { answers: [400] },
  'visibility.createLink': { body: { name: 'Reviewers' }, answers: [400] },
  'visibility.revokeLink': { query: { id: 'none' }, answers: [400] },
  'changelog.create': { body: { title: 'Title', content: 'Content' } },
  'changelog.update': { body: { id: 'none', title: 'Title' } },
  'changelog.preview': { body: { content: 'Content' } },
  'changelog.remove': { query: { id: 'none' } },
  'generation.create': { body: { prompt: 'Hello' } },
}

/** For path parameters that no sample names. */
export const anyParams: Readonly<Record<string, string>> = {
  id: 'none',
  delivery: 'none',
  conversation: 'none',
  comment: 'none',
  domain: 'docs.example.com',
  path: 'index.md',
}

export async function sampleOf(operation: string, world: World): Promise<Sample> {
  const made = samples[operation] ?? {}
  return typeof made === 'function' ? made(world) : made
}
