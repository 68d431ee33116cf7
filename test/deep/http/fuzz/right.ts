import * as fc from 'fast-check'
import { names, type FuzzCaller } from './names.ts'

type Members = Readonly<Record<string, unknown>>

/** Parts of a request that its schemas do not tell: what must fit together, or be the first of its kind. */
export interface Right {
  readonly caller?: FuzzCaller
  readonly params?: Members
  readonly query?: Members
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Members
}

const texts = fc.constantFrom('# Home', 'text\n', 'a\r\nb\r\n', '---\ntitle: T\n---\n\nText', '', '😀', '__fresh__')
const content = fc.oneof(
  { weight: 4, arbitrary: fc.record({ content: texts }) },
  fc.record({ content: fc.constantFrom('aGk=', 'aGk=\r\n', '/////w=='), encoding: fc.constant('base64') }),
)
const newPath = fc.constantFrom('new-__fresh__.md', 'guide/__fresh__.md', 'ä/__fresh__.mdx', 'odd.md')
const anyPath = fc.oneof(fc.constantFrom('index.md', 'guide/start.md'), newPath)

/** Each path once. */
function listed(
  path: fc.Arbitrary<string>,
  rest: fc.Arbitrary<Members>,
  minLength: number,
): fc.Arbitrary<readonly Members[]> {
  const file = fc.tuple(path, rest).map(([at, members]) => ({ path: at, ...members }))
  return fc.uniqueArray(file, { selector: (one) => one.path, minLength, maxLength: 4 })
}

const home = { path: 'index.md', content: '# Home\n' }
const files = fc.oneof(
  listed(newPath, content, 0).map((others) => [home, ...others]),
  listed(anyPath, content, 1),
  fc.constant([{ path: '__mainPath__', oid: '__mainOid__' }]),
)

const branch = { slug: '__slug__', id: '__branch__' }
const edited = { slug: '__slug__', id: '__edited__' }
const editedFile = { ...edited, path: '__editedPath__' }
const comment = { ...edited, comment: '__comment__' }
const conversation = { ...edited, conversation: '__conversation__' }
const seen = fc.constantFrom({ 'if-match': '*' }, { 'if-match': '"__editedOid__"' })
const unseen = fc.constantFrom({}, { 'if-none-match': '*' })
const change = fc.oneof(
  fc.record({ path: newPath, expectedOid: fc.constant(null), content: texts }),
  fc.tuple(anyPath, content).map(([path, members]) => ({ path, ...members })),
  fc.constant({ path: '__editedPath__', content: null, expectedOid: '__editedOid__' }),
  fc.constant({ path: '__editedPath__', content: '__fresh__', expectedOid: '__editedOid__' }),
)
const resolutions = fc.constantFrom(
  [],
  [
    { path: 'guide/start.md', use: 'branch' },
    { path: 'index.md', use: 'main' },
  ],
)
const delivery = { slug: '__slug__', id: '__deliveryWebhook__', delivery: '__delivery__' }

/** An object of the first members, and of some of the others. */
const some = (
  needed: Readonly<Record<string, fc.Arbitrary<unknown>>>,
  others: Readonly<Record<string, fc.Arbitrary<unknown>>>,
) => fc.record({ ...needed, ...others }, { requiredKeys: Object.keys(needed) })

const named = fc.string({ minLength: 1, maxLength: 200 }).map((text) => `${text}.`)
const said = fc.record({ role: fc.constantFrom('system', 'user', 'assistant'), content: named })
const paths = fc.constantFrom({}, { path: '__editedPath__' })

/** By operation: in the place of what the schemas give. */
export const right: Readonly<Record<string, fc.Arbitrary<Right>>> = {
  'accounts.signup': fc.constant({
    caller: 'nobody',
    body: { email: 'new-__fresh__@example.com', password: '__password__' },
  }),
  'accounts.login': fc.constant({ caller: 'nobody', body: { email: '__email__', password: '__password__' } }),
  'accounts.forgotPassword': fc.constant({ caller: 'nobody', body: { email: '__email__' } }),
  'accounts.resetPassword': fc.constant({
    caller: 'nobody',
    body: { token: '__resetToken__', newPassword: '__password__' },
  }),
  'accounts.changeEmail': fc.constant({
    caller: 'owner',
    body: { email: 'new-__fresh__@example.com', password: '__password__' },
  }),
  'accounts.confirmEmail': fc.constant({ caller: 'nobody', body: { token: '__confirmToken__' } }),
  'accounts.remove': fc.constant({ caller: 'stranger', body: { password: '__password__', projects: 'delete' } }),
  'projects.create': fc.record({ body: some({ slug: fc.constant('made-__fresh__') }, { title: named }) }),
  'projects.update': fc.record({
    body: fc.constantFrom({ title: 'ä 😀'.repeat(40) }, { slug: '__slug__' }, { slug: 'renamed-__fresh__' }),
  }),
  'domains.create': fc.record({
    body: fc.record({ domain: fc.constantFrom('__domain__', 'docs-__fresh__.example.com') }),
  }),
  'members.remove': fc.constant({ caller: 'owner', query: { id: '__member__' } }),
  'invitations.accept': fc.constant({ caller: 'stranger', body: { code: '__invitationCode__' } }),
  'invitations.decline': fc.constant({ caller: 'stranger' }),
  'deploys.create': fc.record({
    body: some(
      { files },
      {
        message: fc.string(),
        expectedHead: fc.constantFrom('__mainCommit__', '__commit__', null),
        strict: fc.boolean(),
      },
    ),
  }),
  'checks.create': fc.record({ body: fc.record({ files }) }),
  'previews.create': fc.record({
    body: some(
      { branch: fc.constantFrom('sent-__fresh__', 'sent'), files },
      { message: fc.string(), expectedHead: fc.constantFrom('__mainCommit__', '__commit__') },
    ),
  }),
  'previews.remove': fc.record({
    query: fc.constantFrom(
      { project: '__slug__', branch: '__editedName__', expectedHead: '__commit__' },
      { project: '__slug__', branch: 'sent-__fresh__' },
    ),
  }),
  'deploys.putObjects': fc.record({ body: fc.record({ objects: fc.array(content, { minLength: 1, maxLength: 4 }) }) }),
  'branches.create': fc.record({
    body: some(
      { name: fc.constantFrom('b-__fresh__', 'feature/__fresh__', 'two words __fresh__', 'ä_😀__fresh__') },
      { from: fc.constantFrom('main', '__branch__', '__commit__') },
    ),
  }),
  'files.read': fc.constant({ params: { slug: '__slug__', path: '__mainPath__' }, query: {} }),
  'files.history': fc.record({ query: fc.constantFrom({}, { path: '__mainPath__' }) }),
  'files.diff': fc.record({
    query: fc.constantFrom({ commit: '__mainCommit__' }, { commit: '__mainCommit__', path: '__mainPath__' }),
  }),
  'branches.readFile': fc.record({
    params: fc.constant(editedFile),
    query: fc.constantFrom({}, { commit: '__commit__' }),
  }),
  'branches.check': fc.record({
    params: fc.constant(edited),
    body: fc.record({ changes: fc.uniqueArray(change, { selector: (one) => one.path, maxLength: 3 }) }),
  }),
  'branches.render': fc.record({
    params: fc.constant(edited),
    body: some(
      { path: fc.constantFrom('index.md', 'guide/new.mdx'), content: fc.string() },
      { changes: fc.uniqueArray(change, { selector: (one) => one.path, maxLength: 2 }) },
    ),
  }),
  'branches.saveFile': fc.oneof(
    fc.record({ params: fc.constant(editedFile), headers: seen, body: content }),
    fc.record({ params: newPath.map((path) => ({ ...branch, path })), headers: unseen, body: content }),
  ),
  'branches.removeFile': fc.record({ params: fc.constant(editedFile), headers: seen }),
  'branches.commit': fc.record({
    params: fc.constant(edited),
    body: fc.record({ changes: fc.uniqueArray(change, { selector: (one) => one.path, minLength: 1, maxLength: 3 }) }),
  }),
  'branches.restore': fc.record({ params: fc.constant(edited), body: anyPath.map((path) => ({ path })) }),
  'branches.diff': fc.record({ params: fc.constant(edited), query: paths }),
  'branches.history': fc.record({ params: fc.constant(edited), query: paths }),
  'branches.update': fc.record({ body: some({}, { resolutions }) }),
  'branches.publish': fc.record({ body: some({}, { branchId: names('branch'), resolutions, message: fc.string() }) }),
  'comments.list': fc.constant({ params: edited }),
  'comments.create': fc.record({
    params: fc.constant(edited),
    body: fc
      .tuple(
        named,
        fc.constantFrom(
          {},
          { thread: '__thread__' },
          { path: '__editedPath__' },
          { path: 'index.md', line: { side: 'main', number: 1, text: '# Home' } },
        ),
      )
      .map(([text, place]) => ({ text, ...place })),
  }),
  'comments.update': fc.record({
    params: fc.constant(comment),
    caller: fc.constant('owner' as const),
    body: some({}, { text: named, resolved: fc.boolean() }),
  }),
  'comments.remove': fc.constant({ params: comment, caller: 'owner' as const }),
  'assistant.send': fc.record({
    params: fc.constant(edited),
    body: some(
      { messages: fc.array(fc.record({ role: fc.constant('user'), content: named }), { minLength: 1, maxLength: 3 }) },
      { conversation: names('conversation') },
    ),
  }),
  'assistant.list': fc.constant({ params: edited }),
  'assistant.read': fc.constant({ params: conversation }),
  'assistant.remove': fc.constant({ params: conversation }),
  'assistant.undo': fc.constant({ params: conversation, body: { turn: '__turn__' } }),
  'generation.create': fc.record({
    body: fc
      .tuple(
        fc.oneof(fc.record({ prompt: named }), fc.record({ messages: fc.array(said, { minLength: 1, maxLength: 4 }) })),
        some(
          {},
          {
            stream: fc.boolean(),
            maxTokens: fc.integer({ min: 1, max: 8192 }),
            generation: fc.constantFrom('__fresh__-pages', 'my-pages'),
          },
        ),
      )
      .map(([asked, others]) => ({ ...asked, ...others })),
  }),
  'webhooks.delivery': fc.constant({ params: delivery }),
  'webhooks.redeliver': fc.constant({ params: delivery }),
  'webhooks.deliveries': fc.constant({ params: delivery }),
}
