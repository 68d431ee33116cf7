import type { Session } from '#contract/accounts.ts'
import { contract } from '#contract/index.ts'
import type { ReceivedInvitation } from '#contract/invitations.ts'
import { count } from '#cli/output.ts'
import type { App } from '../../app/app.ts'
import type { Command, View } from '../../app/view.ts'
import { span } from '../../canvas/lines.ts'
import type { Line } from '../../canvas/style.ts'
import { shown } from '../../canvas/width.ts'
import type { Workspace } from '../../data/workspace.ts'
import { agoText } from '../shared/age.ts'
import { dateText, factLines, timeText, type Fact } from '../shared/facts.ts'
import { PanelView } from './panel.ts'
import { refusalOf } from '../shared/refusals.ts'
import { row } from '../shared/row.ts'
import { findUnsaved } from '../shared/unsaved.ts'

type Entry =
  | { readonly kind: 'me' }
  | { readonly kind: 'settings' }
  | { readonly kind: 'session'; readonly session: Session }
  | { readonly kind: 'invitation'; readonly invitation: ReceivedInvitation }

const themes = ['auto', 'light', 'dark'] as const

/** Who is signed in and where, who invites them, and what they chose for this UI. */
export function accountView(
  app: App,
  workspace: Workspace,
  { signOut }: { readonly signOut: () => Promise<void> },
): View {
  const { client, identity } = workspace

  /** Keys have neither sessions nor invitations; without the service, the settings can be changed all the same. */
  const load = async (signal: AbortSignal): Promise<Entry[]> => {
    const own: Entry[] = [{ kind: 'me' }, { kind: 'settings' }]
    if (identity.kind !== 'session' || workspace.connection === 'offline') return own
    const [sessions, invited] = await Promise.all([
      client.call(contract.sessions.list, { signal }),
      client.call(contract.invitations.received, { signal }),
    ])
    return [
      ...own,
      ...invited.items.map((invitation) => ({ kind: 'invitation' as const, invitation })),
      ...sessions.items.map((session) => ({ kind: 'session' as const, session })),
    ]
  }
  const accept = async ({ id, project, role, needsCode }: ReceivedInvitation): Promise<void> => {
    const join = async (code: string | undefined): Promise<void> => {
      const { member } = await client.call(contract.invitations.accept, {
        params: { id },
        body: code === undefined ? {} : { code },
      })
      app.notify(`You are ${member.role === 'owner' ? 'the owner' : 'a writer'} of ${project} now.`, 'success')
    }
    if (!needsCode) {
      await app.task(`Joining ${project}`, () => join(undefined))
      return
    }
    await app.dialogs.ask({
      title: `Join ${project} as ${role}`,
      fields: [
        { name: 'code', label: 'Code', help: 'The link that you were given, or what stands behind its last dot.' },
      ],
      act: 'Join',
      submit: ({ code = '' }) => join(code.trim().replace(/^.*\./, '')),
    })
  }
  const decline = async ({ id, project }: ReceivedInvitation): Promise<void> => {
    const body = ['Its owner would have to invite you again.']
    if (!(await app.dialogs.confirm({ title: `Decline to join ${project}?`, body, act: 'Decline' }))) return
    await app.task('Declining the invitation', (signal) =>
      client.call(contract.invitations.decline, { params: { id }, signal }),
    )
  }
  const end = async ({ id, client: name, current }: Session): Promise<void> => {
    if (current) return leave()
    const body = [`${shown(name) || 'It'} has to sign in again.`]
    if (!(await app.dialogs.confirm({ title: 'End the session?', body, act: 'End it' }))) return
    await app.task('Ending the session', (signal) => client.call(contract.sessions.revoke, { query: { id }, signal }))
  }
  const leave = async (): Promise<void> => {
    const unsaved = await findUnsaved(app, workspace)
    if (unsaved === undefined) return
    const kept = 'They stay on this machine, and wait for you to sign in again.'
    const isMeant = await app.dialogs.confirm({
      title: `Sign out of ${workspace.url}?`,
      body: [
        'Quire ends then.',
        ...(unsaved.length === 0 ? [] : [`${count(unsaved.length, 'page')} not saved. ${kept}`]),
      ],
      act: 'Sign out',
    })
    if (isMeant) await app.task('Signing out', signOut)
  }
  const chooseTheme = async (): Promise<void> => {
    const theme = await app.dialogs.choose({
      title: 'Colours',
      choices: themes.map((value) => ({
        value,
        label: value,
        detail: value === 'auto' ? 'as the terminal says' : `for a ${value} background`,
      })),
    })
    if (theme === undefined) return
    app.settings.change({ theme })
  }

  const panel: PanelView<Entry> = new PanelView<Entry>(app, {
    title: 'Account',
    about: 'Who is signed in here and elsewhere, invitations to projects, and the settings of this UI.',
    load,
    row: rowOf,
    text: labelOf,
    key: keyOf,
    empty: '',
    details: (entry, width) => factLines(factsOf(entry), width),
    onOpen: (entry) => {
      if (entry.kind === 'settings') void chooseTheme()
      if (entry.kind === 'invitation') void accept(entry.invitation).then(() => panel.reload())
    },
    commands: (): Command[] => {
      const reload = (): Promise<void> => panel.reload()
      const { selected } = panel
      const refusal = refusalOf(workspace)
      const noSession = identity.kind === 'session' ? {} : { unavailable: 'You are not signed in with an account.' }
      return [
        ...(selected?.kind === 'invitation'
          ? [
              {
                id: 'invitation.accept',
                title: 'Accept the invitation',
                keys: ['y'],
                hint: 'accept',
                ...refusal,
                run: () => accept(selected.invitation).then(reload),
              },
              {
                id: 'invitation.decline',
                title: 'Decline the invitation',
                keys: ['x', 'delete'],
                hint: 'decline',
                ...refusal,
                run: () => decline(selected.invitation).then(reload),
              },
            ]
          : []),
        ...(selected?.kind === 'session'
          ? [
              {
                id: 'session.end',
                title: 'End the session',
                keys: ['x', 'delete'],
                hint: 'end',
                ...refusal,
                run: () => end(selected.session).then(reload),
              },
            ]
          : []),
        { id: 'settings.theme', title: 'Choose the colours', keys: ['t'], hint: 'colours', run: chooseTheme },
        { id: 'account.signOut', title: 'Sign out', keys: ['O'], hint: 'sign out', ...noSession, run: leave },
      ]
    },
  })
  return panel

  function factsOf(entry: Entry): (Fact | undefined)[] {
    if (entry.kind === 'me') {
      const { account, kind } = identity
      return [
        { name: 'Service', text: workspace.url },
        { name: 'Signed in', text: account?.email ?? (kind === 'key' ? 'with an API key (SERVICE_API_KEY)' : 'no') },
        account === undefined ? undefined : { name: 'Since', text: dateText(account.createdAt) },
      ]
    }
    if (entry.kind === 'settings') {
      const { mouse, theme } = app.settings.values
      return [
        { name: 'Mouse', text: `${mouse ? 'on' : 'off'}; the palette (Ctrl-P) switches it` },
        { name: 'Colours', text: theme === 'auto' ? 'as the terminal says' : `for a ${theme} background` },
      ]
    }
    if (entry.kind === 'invitation') {
      const { project, title, role, createdAt, expiresAt, needsCode } = entry.invitation
      return [
        { name: 'Project', text: `${title} (${project})` },
        { name: 'As', text: role },
        { name: 'Invited', text: agoText(createdAt) },
        { name: 'Good until', text: timeText(expiresAt) },
        needsCode ? { name: 'Needs', text: 'the link that you were given, or the code at its end' } : undefined,
      ]
    }
    const { kind, client: name, address, createdAt, usedAt, current } = entry.session
    return [
      { name: 'Kind', text: current ? `${kind}, this one` : kind },
      { name: 'Called', text: name === '' ? 'not known' : name },
      { name: 'From', text: address === '' ? 'not known' : address },
      { name: 'Signed in', text: timeText(createdAt) },
      { name: 'Last used', text: agoText(usedAt) },
    ]
  }

  function rowOf(entry: Entry, width: number): Line {
    const kind = entry.kind === 'me' ? 'account' : entry.kind
    return row(width, [
      { line: [span(kind, { color: entry.kind === 'invitation' ? 'warning' : 'muted' })], width: 10 },
      { line: [span(shown(labelOf(entry)))] },
    ])
  }

  function labelOf(entry: Entry): string {
    if (entry.kind === 'me') return identity.account?.email ?? (identity.kind === 'key' ? 'API key' : 'not signed in')
    if (entry.kind === 'settings') {
      const { mouse, theme } = app.settings.values
      return `mouse ${mouse ? 'on' : 'off'}, colours ${theme}`
    }
    if (entry.kind === 'invitation') return `${entry.invitation.title} as ${entry.invitation.role}`
    const { client: name, kind, current } = entry.session
    return `${name === '' ? kind : name}${current ? ' (this one)' : ''}`
  }
}

function keyOf(entry: Entry): string {
  if (entry.kind === 'session') return `s${entry.session.id}`
  return entry.kind === 'invitation' ? `i${entry.invitation.id}` : entry.kind
}
