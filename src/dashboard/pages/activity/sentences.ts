import type { AuditEntry } from '#contract/audit.ts'
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

/** The branch of an entry on the assistant. Old ones do not name it: what was undone has its turn in that place. */
function onAssistantsBranch(entry: Told, slug: string): readonly Piece[] {
  const isOldUndo = entry.action === 'assistant.undo' && !entry.rest.includes(' ')
  return onBranch(isOldUndo ? { ...entry, detail: '' } : entry, slug)
}

function conversation(name: string, { id, rest }: Told, slug: string): Piece {
  const [asked = ''] = rest.split(' ', 1)
  return { name, to: `${paths.editor(slug, id)}?panel=assistant&conversation=${encodeURIComponent(asked)}` }
}

/** The third word of the target, and what follows it in a sentence. */
const commentChanges: Readonly<Record<string, readonly [verb: string, name: string]>> = {
  '': ['wrote ', 'a comment'],
  answered: ['answered ', 'a comment'],
  edited: ['edited ', 'a comment'],
  resolved: ['resolved ', 'a thread of comments'],
  reopened: ['reopened ', 'a thread of comments'],
}

const ofComment: Sentence = (entry, slug) => {
  const [comment = '', what = ''] = entry.rest.split(' ')
  const [verb, name] = commentChanges[what] ?? ['changed ', 'a comment']
  return [
    verb,
    { name, to: `${paths.changes(slug, entry.id)}#${encodeURIComponent(comment)}` },
    ...onBranch(entry, slug),
  ]
}

const ofWebhook = ({ id }: Told, slug: string, name = 'a webhook'): Piece => ({ name, to: paths.webhook(slug, id) })
const ofEntry = ({ id }: Told, slug: string): Piece => ({ name: 'a changelog entry', to: paths.entry(slug, id) })
const ofDeploy = ({ id }: Told, slug: string, name: string): Piece => ({ name, to: paths.deploy(slug, id) })
const keyName = ({ detail }: Told): string => detail.slice(0, detail.lastIndexOf(': '))
const scopesOf = ({ detail }: Told): string => detail.slice(detail.lastIndexOf(': ') + 2)

const ofMembers = (name: string, slug: string): Piece => ({ name, to: paths.members(slug) })
const changedAddress: Sentence = ({ target, detail }, slug) => [
  'changed the address of the account to ',
  ofMembers(target, slug),
  detail === '' ? '' : `; it ${detail}`,
]

const webhookKinds: Readonly<Record<string, string>> = { slack: ' for Slack', discord: ' for Discord' }
const entryStates: Readonly<Record<string, string>> = {
  draft: ' as a draft',
  scheduled: ', which is scheduled',
  published: ', which is published',
}

/** What follows the name of who did it, for each action of the log. */
export const sentences: Readonly<Record<string, Sentence>> = {
  'projects.create': (_entry, slug) => ['created the ', { name: 'project', to: paths.project(slug) }],
  'projects.update': ({ detail }, slug) => [
    'changed the ',
    { name: 'project', to: paths.settings(slug) },
    detail === '' ? '' : `: ${detail}`,
  ],
  'members.remove': ({ target, actor }, slug) =>
    target === actor.name ? ['left the ', ofMembers('project', slug)] : ['removed ', ofMembers(target, slug)],
  'invitations.create': ({ target, detail }, slug) =>
    detail === 'owner'
      ? ['offered the project to ', ofMembers(target, slug)]
      : ['invited ', ofMembers(target, slug), ` as a ${detail}`],
  'invitations.revoke': ({ target }, slug) => ['took back the invitation of ', ofMembers(target, slug)],
  'invitations.accept': ({ detail }, slug) =>
    detail.startsWith('is owner')
      ? ['took the ', ofMembers('project', slug), ' over']
      : ['accepted the ', ofMembers('invitation', slug), ', and is a writer now'],
  'invitations.decline': (_entry, slug) => ['declined the ', ofMembers('invitation', slug)],
  'accounts.changeEmail': changedAddress,
  'accounts.confirmEmail': changedAddress,
  'accounts.remove': (_entry, slug) => ['deleted the account, and with it left the ', ofMembers('project', slug)],
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
  'branches.remove': ({ detail }, slug) =>
    detail === ''
      ? ['deleted a ', { name: 'branch', to: paths.branches(slug) }]
      : ['deleted the branch ', { name: detail, to: paths.branches(slug) }],
  'previews.create': (entry, slug) => ['sent files', ...onBranch(entry, slug, 'to')],
  'previews.remove': ({ detail }, slug) => ['closed the preview ', { name: detail, to: paths.branches(slug) }],
  'branches.saveFile': (entry, slug) => ['saved ', file(entry, slug), ...onBranch(entry, slug)],
  'branches.removeFile': (entry, slug) => ['deleted ', file(entry, slug), ...onBranch(entry, slug)],
  'branches.commit': (entry, slug) => [
    'saved ',
    { name: 'several files', to: paths.changes(slug, entry.id) },
    ...onBranch(entry, slug),
  ],
  'branches.restore': (entry, slug) => [
    'took main’s version of ',
    entry.rest === '' ? 'a file' : file(entry, slug),
    ' back',
    ...onBranch(entry, slug),
  ],
  'branches.update': (entry, slug) => ['merged main', ...onBranch(entry, slug, 'into')],
  'branches.publish': (entry, slug) =>
    entry.detail === ''
      ? ['published ', ofDeploy(entry, slug, 'main again')]
      : ['published the branch ', ofDeploy(entry, slug, entry.detail)],
  'comments.create': ofComment,
  'comments.update': ofComment,
  'comments.remove': (entry, slug) => ['deleted a comment', ...onBranch(entry, slug)],
  'assistant.send': (entry, slug) => [
    'asked ',
    conversation('the assistant', entry, slug),
    ...onAssistantsBranch(entry, slug),
  ],
  'assistant.remove': (entry, slug) => [
    'deleted a conversation with the assistant',
    ...onAssistantsBranch(entry, slug),
  ],
  'assistant.undo': (entry, slug) => [
    'took back what ',
    conversation('the assistant', entry, slug),
    ' changed',
    ...onAssistantsBranch(entry, slug),
  ],
  'webhooks.create': (entry, slug) => ['created ', ofWebhook(entry, slug), webhookKinds[entry.detail] ?? ''],
  'webhooks.update': (entry, slug) => ['changed ', ofWebhook(entry, slug)],
  'webhooks.remove': (_entry, slug) => ['deleted a ', { name: 'webhook', to: paths.webhooks(slug) }],
  'feedback.remove': (_entry, slug) => ['deleted a ', { name: 'note of a reader', to: paths.analytics(slug) }],
  'webhooks.rotate': (entry, slug) => ['replaced the secret of ', ofWebhook(entry, slug)],
  'webhooks.test': (entry, slug) => ['sent a test event to ', ofWebhook(entry, slug)],
  'webhooks.redeliver': (entry, slug) => ['delivered an event again to ', ofWebhook(entry, slug)],
  'changelog.create': (entry, slug) => ['wrote ', ofEntry(entry, slug), entryStates[entry.detail] ?? ''],
  'changelog.update': (entry, slug) => ['changed ', ofEntry(entry, slug), entryStates[entry.detail] ?? ''],
  'changelog.remove': (_entry, slug) => ['deleted an entry of the ', { name: 'changelog', to: paths.entries(slug) }],
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
  'domains.setPrimary': ({ target }, slug) =>
    target === ''
      ? ['ended that readers are led to one domain']
      : ['made ', { name: target, to: paths.domains(slug) }, ' the primary domain'],
  'domains.remove': ({ target }, slug) => ['removed the domain ', { name: target, to: paths.domains(slug) }],
  'visibility.set': ({ detail }, slug) => ['made the site ', { name: detail, to: paths.visibility(slug) }],
  'visibility.setPassword': (_entry, slug) => [
    'set another ',
    { name: 'password', to: paths.visibility(slug) },
    ' of the site',
  ],
  'visibility.removePassword': (_entry, slug) => [
    'removed the ',
    { name: 'password', to: paths.visibility(slug) },
    ' of the site',
  ],
  'visibility.createLink': ({ detail }, slug) => [
    'created the share link ',
    { name: detail, to: paths.visibility(slug) },
  ],
  'visibility.revokeLink': ({ detail }, slug) => [
    'revoked the share link ',
    { name: detail, to: paths.visibility(slug) },
  ],
  'git.push': ({ target, detail }, slug) => {
    const to = target === 'main' ? paths.deploys(slug) : `${paths.branches(slug)}?find=${encodeURIComponent(target)}`
    return detail === 'removed'
      ? ['removed the branch ', { name: target, to: paths.branches(slug) }, ' by a push']
      : ['pushed to ', { name: target, to }]
  },
  'admin.plan': ({ target, detail }, slug) => [
    'changed the ',
    { name: 'plan', to: paths.usage(slug) },
    ` of ${target} to ${detail}`,
  ],
  'admin.resetPassword': ({ target }, slug) => ['reset the password of ', ofMembers(target, slug)],
  'admin.removeAccount': ({ target }, slug) => ['removed the account ', ofMembers(target, slug)],
  'admin.transfer': ({ target }, slug) => ['gave the project to ', ofMembers(target, slug)],
  'admin.suspend': ({ detail }, slug) => [
    'suspended the ',
    { name: 'project', to: paths.project(slug) },
    detail === '' ? '' : `: ${detail}`,
  ],
  'admin.resume': (_, slug) => ['resumed the ', { name: 'project', to: paths.project(slug) }],
  'admin.restore': ({ detail }, slug) => [
    'restored the ',
    { name: 'project', to: paths.deploys(slug) },
    ` from a backup ${detail}`.trimEnd(),
  ],
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
