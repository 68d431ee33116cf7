import { scopes, type Scope } from '#contract/endpoint.ts'
import { contract } from '#contract/index.ts'
import { defaultScopes, type CreatedKey, type Key } from '#contract/keys.ts'
import { firstItems } from '#cli/service/project.ts'
import type { Command, View } from '../../app/view.ts'
import { span } from '../../canvas/lines.ts'
import type { Line } from '../../canvas/style.ts'
import { shown } from '../../canvas/width.ts'
import { tickedIn } from '../../panes/checklist-field.ts'
import { agoText } from '../shared/age.ts'
import type { ProjectPlace } from '../shared/context.ts'
import { dateText, factLines, timeText } from '../shared/facts.ts'
import { PanelView } from './panel.ts'
import { refusalOf } from '../shared/refusals.ts'
import { row } from '../shared/row.ts'
import { showOnce } from './show-once.ts'

const dayMs = 24 * 60 * 60 * 1000

/** What each scope lets a key do. */
const meanings: Readonly<Record<Scope, string>> = {
  read: 'see the project, clone',
  write: 'edit branches, entries and webhooks',
  deploy: 'deploy and publish',
  generate: 'ask the language model, on the plan',
  admin: 'everything that the owner may do',
}

/** Days until a key expires, by the words of the form. */
const lifetimes: Readonly<Record<string, number | undefined>> = {
  '30 days': 30,
  '90 days': 90,
  'a year': 365,
  never: undefined,
}

/** The API keys of a project. */
export function keysView({ app, workspace, project }: ProjectPlace): View {
  const { client } = workspace
  const params = { slug: project.slug }

  const create = async (): Promise<void> => {
    let created: CreatedKey | undefined
    await app.dialogs.ask({
      title: 'Create an API key',
      fields: [
        { name: 'name', label: 'Name', placeholder: 'What it is for, such as CI', check: nameTrouble },
        {
          name: 'scopes',
          label: 'Scopes',
          value: defaultScopes.join(', '),
          checks: scopes.map((scope) => ({ value: scope, detail: meanings[scope] })),
        },
        { name: 'expires', label: 'Good for', value: '90 days', choices: Object.keys(lifetimes) },
      ],
      act: 'Create it',
      submit: async ({ name = '', scopes: wanted = '', expires = '' }) => {
        const days = lifetimes[expires]
        const body = {
          name: name.trim(),
          scopes: tickedIn(wanted).filter(isScope),
          ...(days === undefined ? {} : { expiresAt: new Date(Date.now() + days * dayMs).toISOString() }),
        }
        created = await client.call(contract.keys.create, { params, body })
      },
    })
    if (created === undefined) return
    await showOnce(app, { title: `The key ${shown(created.name)}`, secret: created.key, about: [useOf(created)] })
  }
  const rename = async ({ id, name: before }: Key): Promise<void> => {
    await app.dialogs.ask({
      title: 'Rename the key',
      body: ['What it may do stays.'],
      fields: [{ name: 'name', label: 'Name', value: before, check: nameTrouble }],
      act: 'Rename it',
      submit: async ({ name = '' }) => {
        await client.call(contract.keys.rename, { params, body: { id, name: name.trim() } })
      },
    })
  }
  const revoke = async ({ id, name, prefix }: Key): Promise<void> => {
    const isMeant = await app.dialogs.confirm({
      title: 'Revoke the key?',
      body: [`${shown(name)} (${prefix}…)`, 'Whatever uses it stops working at once. This cannot be undone.'],
      act: 'Revoke it',
      danger: true,
      typed: name,
    })
    if (!isMeant) return
    await app.task('Revoking the key', async (signal) => {
      await client.call(contract.keys.revoke, { params, query: { id }, signal })
      app.notify(`The key ${shown(name)} is revoked.`, 'success')
    })
  }

  return new PanelView<Key>(app, {
    title: 'API keys',
    about: 'Keys let programs such as CI work on this project. The owner makes and revokes them.',
    load: () => firstItems((query) => client.call(contract.keys.list, { params, query })),
    row: (key, width) =>
      row(width, [
        { line: [span(shown(key.name))] },
        { line: [span(`${key.prefix}…`, { color: 'code' })], width: 14 },
        { line: [stateOf(key)], width: 14, from: 50 },
      ]),
    text: ({ name, prefix, scopes: granted }) => `${shown(name)} ${prefix} ${granted.join(' ')}`,
    key: ({ id }) => id,
    empty: 'There are no keys yet. n creates one.',
    details: detailsOf,
    commands: (panel): Command[] => {
      const { selected } = panel
      const refusal = refusalOf(workspace, { project, scope: 'admin' })
      const reload = (): Promise<void> => panel.reload()
      return [
        {
          id: 'key.create',
          title: 'Create an API key',
          keys: ['n'],
          hint: 'new',
          ...refusal,
          run: () => create().then(reload),
        },
        ...(selected === undefined
          ? []
          : [
              {
                id: 'key.rename',
                title: 'Rename the key',
                keys: ['R', 'f2'],
                hint: 'rename',
                ...refusal,
                run: () => rename(selected).then(reload),
              },
              {
                id: 'key.revoke',
                title: 'Revoke the key',
                keys: ['x', 'delete'],
                hint: 'revoke',
                ...refusal,
                run: () => revoke(selected).then(reload),
              },
            ]),
      ]
    },
  })
}

function isExpired({ expiresAt }: Key): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= Date.now()
}

function stateOf(key: Key): Line[number] {
  if (isExpired(key)) return span('expired', { color: 'danger' })
  const { last_used_at: usedAt } = key
  return usedAt === undefined ? span('never used', { color: 'muted' }) : span(agoText(usedAt), { color: 'muted' })
}

function detailsOf(key: Key, width: number): Line[] {
  const { expiresAt, last_used_at: usedAt } = key
  const expiry =
    expiresAt === undefined ? 'never' : `${isExpired(key) ? 'has expired' : ''} ${dateText(expiresAt)}`.trim()
  return factLines(
    [
      { name: 'Name', text: key.name },
      { name: 'Begins', text: `${key.prefix}…`, style: { color: 'code' } },
      ...key.scopes.map((scope, index) => ({ name: index === 0 ? 'May' : '', text: `${scope}: ${meanings[scope]}` })),
      { name: 'Created', text: timeText(key.created_at) },
      { name: 'Used', text: usedAt === undefined ? 'never' : agoText(usedAt) },
      { name: 'Expires', text: expiry, ...(isExpired(key) ? { style: { color: 'danger' } as const } : {}) },
      { name: 'Id', text: key.id, style: { color: 'muted' } },
    ],
    width,
  )
}

function useOf({ expiresAt }: Key): string {
  const until = expiresAt === undefined ? '' : ` It is good until ${dateText(expiresAt)}.`
  return `Commands find it in the environment as SERVICE_API_KEY.${until}`
}

function nameTrouble(name: string): string | undefined {
  return name.trim() === '' || name.length > 100 ? 'A name has 1 to 100 characters.' : undefined
}

function isScope(word: string): word is Scope {
  return scopes.some((scope) => scope === word)
}
