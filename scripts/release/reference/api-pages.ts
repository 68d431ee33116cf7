import type { Endpoint } from '#contract/endpoint.ts'
import { operations } from '#http/api/openapi.ts'
import { schemaText, type Shape } from '#http/api/schema-text.ts'
import { page, prose, sentence } from './page.ts'

/** What each noun of the contract is called on its page, in the order of the navigation. */
const nouns: Readonly<Record<string, readonly [title: string, icon: string, description: string]>> = {
  deploys: ['Deploys', 'rocket', 'Send files, follow a build, read what came of it, go back.'],
  checks: ['Checks', 'list-checks', 'What a deploy of files would say, without one.'],
  projects: ['Projects', 'folder-git-2', 'Create, rename and remove projects.'],
  branches: ['Branches', 'git-branch', 'Copies of main with a preview: files, differences, merges, publishing.'],
  previews: [
    'Previews of folders',
    'git-pull-request',
    'Branches that hold just the files of a folder, for pull requests.',
  ],
  files: ['Files of main', 'files', 'What is live: its files, its history, a search in it.'],
  comments: ['Comments', 'message-square', 'Threads about the changes of a branch.'],
  assistant: ['Assistant', 'sparkles', 'Conversations with a language model that works on a branch.'],
  generation: ['Generation', 'wand-sparkles', 'Requests to the language model of the service.'],
  changelog: ['Changelog', 'megaphone', 'Entries, drafts and their schedule.'],
  feeds: ['Feeds', 'rss', 'The changelog for feed readers.'],
  webhooks: ['Webhooks', 'webhook', 'Subscriptions and what was delivered.'],
  domains: ['Domains', 'globe', 'Addresses of your own for a site.'],
  visibility: ['Visibility', 'lock', 'Who can see a site: private sites, their password and share links.'],
  keys: ['API keys', 'key-round', 'Credentials of a project for programs.'],
  members: ['Members', 'users', 'Who works on a project.'],
  invitations: ['Invitations', 'mail-plus', 'Asking people to work on a project.'],
  analytics: ['Analytics', 'chart-no-axes-column', 'What readers of a site did.'],
  feedback: ['Feedback', 'thumbs-up', 'What readers of a site wrote.'],
  usage: ['Usage', 'gauge', 'What is used of the plan.'],
  audit: ['Activity', 'scroll-text', 'Who did what in a project.'],
  accounts: ['Accounts', 'user', 'Sign-up, sign-in, passwords, addresses.'],
  sessions: ['Sessions', 'monitor-smartphone', 'Where an account is signed in.'],
  device: ['Device sign-in', 'terminal', 'How the command line signs in (RFC 8628).'],
  components: ['Components', 'blocks', 'What pages may use, for editors.'],
  service: ['Service', 'server', 'What this service is, and whether it is well.'],
}

/** An attribute in quotes. */
function attribute(text: string): string {
  return `"${text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"`
}

function typeName(member: Shape): string {
  if (member.const !== undefined) return JSON.stringify(member.const)
  if (member.anyOf !== undefined) return member.anyOf.map(typeName).join(' | ')
  if (member.type === 'array') return `${typeName(member.items ?? {})}[]`
  return member.type ?? 'any'
}

function field(place: 'path' | 'query' | 'body', name: string, member: Shape, isRequired: boolean): string[] {
  const given = member.default === undefined ? '' : ` default=${attribute(JSON.stringify(member.default))}`
  const inner = member.type === 'array' ? member.items?.properties : member.properties
  const required = (member.type === 'array' ? member.items?.required : member.required) ?? []
  const members = Object.entries(inner ?? {}).flatMap(([key, value]) =>
    field(place, key, value, required.includes(key)),
  )
  return [
    `<ParamField ${place}=${attribute(name)} type=${attribute(typeName(member))}${isRequired ? ' required' : ''}${given}>`,
    ...(member.description === undefined ? [] : [`  ${sentence(prose(member.description))}`]),
    ...(members.length === 0
      ? []
      : ['', '  <Expandable title="members">', ...members.map((line) => `    ${line}`), '  </Expandable>']),
    '</ParamField>',
  ]
}

function fieldsOf(place: 'path' | 'query' | 'body', schema: unknown): string[] {
  const { properties = {}, required = [] } = (schema ?? {}) as Shape
  return Object.entries(properties).flatMap(([name, member]) => field(place, name, member, required.includes(name)))
}

const accessWords: Readonly<Record<string, string>> = {
  public: 'Anybody may ask.',
  account: 'Takes the session of an account.',
  operator: 'For the operator of the service.',
}

function accessOf({ access, forDeploys, keys, members }: Endpoint): string {
  if (access === 'public' && members === true) return 'Anybody may ask; members of the project see more.'
  if (access === 'account' && keys === true) return 'Takes the session of an account, or an API key.'
  return (
    accessWords[access] ??
    `Takes a member’s session, or an API key with the scope \`${access}\`${forDeploys === true ? ' or `deploy`' : ''}.`
  )
}

/** Lines of an answer that is not folded. */
const longestOpen = 16

function replyOf({ reply, status, stream, media, streams, respondAsync }: Endpoint): string[] {
  if (stream === true) return [`Answers ${status} with server-sent events; the \`data:\` of each is JSON.`]
  if (media !== undefined) return [`Answers ${status} with \`${media}\`.`]
  if (reply === undefined) return [`Answers ${status} without a body.`]
  const also = [
    ...(respondAsync === true ? ['With `Prefer: respond-async` it answers 202 at once.'] : []),
    ...(streams === true ? ['With `stream: true` it answers with server-sent events instead.'] : []),
  ]
  const text = schemaText(reply)
  const open = text.split('\n').length > longestOpen ? '' : ' defaultOpen'
  return [
    ...(also.length === 0 ? [] : [also.join(' '), '']),
    `<Accordion title="Answers ${status}"${open}>`,
    '',
    '```ts',
    text,
    '```',
    '',
    '</Accordion>',
  ]
}

function operationSection({ id, endpoint }: { id: string; endpoint: Endpoint }): string[] {
  const { method, path, summary, description, failures = [], idempotent } = endpoint
  const refused = failures.map((code) => `[\`${code}\`](/reference/errors#${code})`).join(', ')
  const fields = [
    ...fieldsOf('path', endpoint.params),
    ...fieldsOf('query', endpoint.query),
    ...fieldsOf('body', endpoint.body),
  ]
  const paragraphs = [
    `\`${method} ${path.replaceAll(/:([A-Za-z]+)\*?/g, '{$1}')}\``,
    ...(description === undefined ? [] : [sentence(prose(description))]),
    [
      accessOf(endpoint),
      ...(idempotent === true ? ['Takes an [`Idempotency-Key`](/reference/api#idempotency).'] : []),
      ...(refused === '' ? [] : [`May refuse with ${refused}.`]),
    ].join(' '),
  ]
  return [
    `## ${prose(summary)} {#${id.replace('.', '-')}}`,
    '',
    ...paragraphs.flatMap((paragraph) => [paragraph, '']),
    ...(fields.length === 0 ? [] : [...fields, '']),
    ...replyOf(endpoint),
    '',
  ]
}

/** The endpoints, a page for each noun, by their path below `docs`. */
export function apiPages(): [path: string, text: string][] {
  const all = [...operations()]
  const unknown = all.find(({ noun }) => nouns[noun] === undefined)
  if (unknown !== undefined) throw new Error(`scripts/release/reference/api-pages.ts has no title for ${unknown.noun}`)
  return Object.entries(nouns).map(([noun, [title, icon, description]]) => [
    `reference/api/${noun}.mdx`,
    page({ title, description, icon }, all.filter((operation) => operation.noun === noun).flatMap(operationSection)),
  ])
}
