import type { AuditEntry } from '../../../contract/audit.ts'
import { paths } from '../../paths.ts'

/** A piece of a sentence: words, or the name of a thing and where it is. */
export type Piece = string | { readonly name: string; readonly to?: string }

type Sentence = (entry: Told, slug: string) => readonly Piece[]

/** An entry whose target and detail are there, be it empty; the target also in its parts. */
interface Told extends AuditEntry {
  readonly target: string
  readonly detail: string
  /** The first word of the target, and what follows. */
  readonly id: string
  readonly rest: string
}

const file = ({ id, rest }: Told, slug: string): Piece => ({ name: rest, to: paths.editor(slug, id, rest) })

/** “ on the branch next”; its address is there for as long as the branch is. */
function onBranch({ id, detail }: Told, slug: string, preposition = 'on'): readonly Piece[] {
  const to = paths.branch(slug, id)
  return detail === ''
    ? [` ${preposition} `, { name: 'a branch', to }]
    : [` ${preposition} the branch `, { name: detail, to }]
}

const ofWebhook = ({ id }: Told, slug: string, name = 'a webhook'): Piece => ({ name, to: paths.webhook(slug, id) })
const ofEntry = ({ id }: Told, slug: string): Piece => ({ name: 'a changelog entry', to: paths.entry(slug, id) })
const ofDeploy = ({ id }: Told, slug: string, name: string): Piece => ({ name, to: paths.deploy(slug, id) })
const inWords =
  (words: string): Sentence =>
  () => [words]
const keyName = ({ detail }: Told): string => detail.slice(0, detail.lastIndexOf(': '))
const scopesOf = ({ detail }: Told): string => detail.slice(detail.lastIndexOf(': ') + 2)

const entryStates: Readonly<Record<string, string>> = {
  draft: ' as a draft',
  scheduled: ', which is scheduled',
  published: ', which is published',
}

/** What follows the name of who did it, for each action of the log. */
export const sentences: Readonly<Record<string, Sentence>> = {
  'projects.create': inWords('created the project'),
  'projects.update': ({ detail }, slug) => [
    'changed the ',
    { name: 'project', to: paths.settings(slug) },
    detail === '' ? '' : `: ${detail}`,
  ],
  'members.remove': ({ target, actor }) =>
    target === actor.name ? ['left the project'] : ['removed ', { name: target }, ' from the project'],
  'invitations.create': ({ target, detail }) =>
    detail === 'owner'
      ? ['offered the project to ', { name: target }]
      : ['invited ', { name: target }, ` as a ${detail}`],
  'invitations.revoke': ({ target }) => ['took back the invitation of ', { name: target }],
  'invitations.accept': ({ detail }) =>
    detail.startsWith('is owner') ? ['took the project over'] : ['accepted the invitation, and is a writer now'],
  'invitations.decline': inWords('declined the invitation'),
  'keys.create': (entry, slug) => [
    'created the API key ',
    { name: keyName(entry), to: paths.keys(slug) },
    `, which may ${scopesOf(entry)}`,
  ],
  'keys.rename': ({ detail }, slug) => ['renamed an API key to ', { name: detail, to: paths.keys(slug) }],
  'keys.revoke': (_entry, slug) => ['revoked an ', { name: 'API key', to: paths.keys(slug) }],
  'deploys.create': (entry, slug) => ['deployed ', ofDeploy(entry, slug, 'the site')],
  'deploys.rollback': (entry, slug) => ['served ', ofDeploy(entry, slug, 'an earlier deploy'), ' again'],
  'branches.create': (entry, slug) => ['created the branch ', { name: entry.detail, to: paths.branch(slug, entry.id) }],
  'branches.remove': ({ detail }) => (detail === '' ? ['deleted a branch'] : ['deleted the branch ', { name: detail }]),
  'branches.saveFile': (entry, slug) => ['saved ', file(entry, slug), ...onBranch(entry, slug)],
  'branches.removeFile': (entry, slug) => ['deleted ', { name: entry.rest }, ...onBranch(entry, slug)],
  'branches.commit': (entry, slug) => ['saved several files', ...onBranch(entry, slug)],
  'branches.restore': (entry, slug) => ['took main’s version of a file back', ...onBranch(entry, slug)],
  'branches.update': (entry, slug) => ['merged main', ...onBranch(entry, slug, 'into')],
  'branches.publish': (entry, slug) =>
    entry.detail === ''
      ? ['published ', ofDeploy(entry, slug, 'main again')]
      : ['published the branch ', ofDeploy(entry, slug, entry.detail)],
  'assistant.send': (entry, slug) => ['asked the assistant', ...onBranch({ ...entry, detail: '' }, slug)],
  'assistant.remove': (entry, slug) => [
    'deleted a conversation with the assistant',
    ...onBranch({ ...entry, detail: '' }, slug),
  ],
  'assistant.undo': (entry, slug) => [
    'took back what the assistant changed',
    ...onBranch({ ...entry, detail: '' }, slug),
  ],
  'webhooks.create': (entry, slug) => ['created ', ofWebhook(entry, slug), `, for ${entry.detail}`],
  'webhooks.update': (entry, slug) => ['changed ', ofWebhook(entry, slug)],
  'webhooks.remove': inWords('deleted a webhook'),
  'webhooks.rotate': (entry, slug) => ['replaced the secret of ', ofWebhook(entry, slug)],
  'webhooks.test': (entry, slug) => ['sent a test event to ', ofWebhook(entry, slug)],
  'webhooks.redeliver': (entry, slug) => ['delivered an event again to ', ofWebhook(entry, slug)],
  'changelog.create': (entry, slug) => ['wrote ', ofEntry(entry, slug), entryStates[entry.detail] ?? ''],
  'changelog.update': (entry, slug) => ['changed ', ofEntry(entry, slug), entryStates[entry.detail] ?? ''],
  'changelog.remove': inWords('deleted a changelog entry'),
  'domains.create': ({ target }, slug) => ['added the domain ', { name: target, to: paths.domains(slug) }],
  'domains.verify': ({ target, detail }, slug) => [
    'checked the domain ',
    { name: target, to: paths.domains(slug) },
    detail === '' ? '' : `, which is ${detail}`,
  ],
  'domains.missing': ({ target, detail }, slug) => [
    'did not find the record of ',
    { name: target, to: paths.domains(slug) },
    `, which is served until ${detail.slice(0, 10)}`,
  ],
  'domains.lost': ({ target }, slug) => [
    'stopped to serve the site at ',
    { name: target, to: paths.domains(slug) },
    ', whose record is gone',
  ],
  'domains.moved': ({ target }, slug) => [
    'stopped to serve the site at ',
    { name: target, to: paths.domains(slug) },
    ', which another project has shown to be its own',
  ],
  'domains.remove': ({ target }) => ['removed the domain ', { name: target }],
  'git.push': ({ target, detail }) =>
    detail === 'removed' ? ['removed the branch ', { name: target }, ' by a push'] : ['pushed to ', { name: target }],
  'admin.plan': ({ target, detail }) => ['changed the plan of ', { name: target }, ` to ${detail}`],
  'admin.resetPassword': ({ target }) => ['reset the password of ', { name: target }],
  'admin.removeAccount': ({ target }) => ['removed the account ', { name: target }],
  'admin.transfer': ({ target }) => ['gave the project to ', { name: target }],
  'admin.restore': ({ detail }) => [`restored the project from a backup ${detail}`],
}

/** What was done, without who. One of a newer service is told by its name. */
export function sentenceOf(entry: AuditEntry, slug: string): readonly Piece[] {
  const { action, target = '', detail = '' } = entry
  const [id = ''] = target.split(' ', 1)
  const told: Told = { ...entry, target, detail, id, rest: target.slice(id.length + 1) }
  const sentence = sentences[action]?.(told, slug) ?? [`did ${action} `, { name: target }]
  return sentence.filter((piece) => piece !== '')
}

/** Who did it: an account by its address up to the @, as commits show it. */
export function actorName({ kind, name }: AuditEntry['actor']): string {
  if (kind === 'operator') return 'The operator'
  if (kind === 'service') return 'The service'
  return kind === 'key' ? `Key ${name}` : name.slice(0, Math.max(name.lastIndexOf('@'), 0)) || name
}
