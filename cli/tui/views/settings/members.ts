import { Failure } from '#contract/failure.ts'
import { contract } from '#contract/index.ts'
import { invitationLimits, type CreatedInvitation, type Invitation } from '#contract/invitations.ts'
import type { Member, Role } from '#contract/members.ts'
import type { Command, View } from '../../app/view.ts'
import { span } from '../../canvas/lines.ts'
import { shown } from '../../canvas/width.ts'
import type { ProjectPlace } from '../shared/context.ts'
import { dateText, factLines, timeText } from '../shared/facts.ts'
import { PanelView } from './panel.ts'
import { mayDo, refusalOf } from '../shared/refusals.ts'
import { row } from '../shared/row.ts'
import { showOnce } from './show-once.ts'

type Person = { readonly member: Member } | { readonly invitation: Invitation }

interface MembersOptions extends ProjectPlace {
  /** Whoever works here is no member any more. */
  readonly left: () => void
}

/** Who works on a project, and who is invited to. */
export function membersView({ app, workspace, project, left }: MembersOptions): View {
  const { client } = workspace
  const { slug } = project
  const params = { slug }
  const { account } = workspace.identity
  const administering = { project, scope: 'admin' } as const

  const load = async (signal: AbortSignal): Promise<Person[]> => {
    const [members, invited] = await Promise.all([
      client.call(contract.members.list, { params, signal }),
      mayDo(administering)
        ? client.call(contract.invitations.list, { params, signal }).catch(noneOfOthers)
        : { items: [] },
    ])
    return [...members.items.map((member) => ({ member })), ...invited.items.map((invitation) => ({ invitation }))]
  }
  const invite = async (): Promise<void> => {
    let created: CreatedInvitation | undefined
    await app.dialogs.ask({
      title: `Invite somebody to ${slug}`,
      body: ['You get a link to hand over; a service that sends mail mails it, too.'],
      fields: [
        {
          name: 'email',
          label: 'Email address',
          check: (email) => (/^\S+@\S+$/.test(email.trim()) ? undefined : 'An address such as ada@example.com'),
        },
        {
          name: 'role',
          label: 'As',
          value: 'writer',
          ...(workspace.identity.kind === 'key'
            ? { choices: ['writer'], help: 'An API key cannot give the project away.' }
            : {
                choices: ['writer', 'owner'],
                help: 'An owner takes the project over: you become a writer, and their plan counts.',
              }),
        },
      ],
      act: 'Invite',
      submit: async ({ email = '', role: as }) => {
        const wanted: Role = as === 'owner' ? 'owner' : 'writer'
        created = await client.call(contract.invitations.create, {
          params,
          body: { email: email.trim(), role: wanted },
        })
      },
    })
    if (created === undefined) return
    const { email, url, expiresAt } = created
    const about = [`Give this link to ${shown(email)}; it is good until ${dateText(expiresAt)}.`]
    await showOnce(app, { title: 'The invitation', secret: url, about })
  }
  const takeBack = async ({ id, email }: Invitation): Promise<void> => {
    const body = [`The link that ${shown(email)} was given no longer works.`]
    if (!(await app.dialogs.confirm({ title: 'Take the invitation back?', body, act: 'Take it back' }))) return
    await app.task('Taking the invitation back', async (signal) => {
      await client.call(contract.invitations.revoke, { params, query: { id }, signal })
      app.notify(`${shown(email)} is no longer invited.`, 'success')
    })
  }
  const remove = async (member: Member): Promise<void> => {
    const isMe = member.id === account?.id
    const isMeant = await app.dialogs.confirm({
      title: isMe ? `Leave ${slug}?` : `Remove ${nameOf(member)}?`,
      body: isMe
        ? ['You no longer see this project. Only its owner can bring you back.']
        : [`They no longer see ${slug}. What they wrote stays; drafts on their own machines cannot be saved any more.`],
      act: isMe ? 'Leave' : 'Remove',
      danger: true,
      ...(isMe ? { typed: slug } : {}),
    })
    if (!isMeant) return
    await app.task(isMe ? `Leaving ${slug}` : 'Removing them', async (signal) => {
      await client.call(contract.members.remove, { params, query: { id: member.id }, signal })
      app.notify(isMe ? `You left ${slug}.` : `${nameOf(member)} is no longer a member.`, 'success')
      if (isMe) left()
    })
  }

  return new PanelView<Person>(app, {
    title: 'Members',
    about: 'Who works on this project. The owner invites and removes writers; a writer may leave.',
    load,
    row: (person, width) =>
      row(width, [{ line: [span(shown(labelOf(person)))] }, { line: [stateOf(person)], width: 7 }]),
    text: (person) => shown(labelOf(person)),
    key: (person) => ('member' in person ? `m${person.member.id}` : `i${person.invitation.id}`),
    empty: 'Nobody is here.',
    details: (person, width) => factLines(factsOf(person, account?.id), width),
    commands: (panel): Command[] => {
      const { selected } = panel
      const offline = refusalOf(workspace)
      const refusal = refusalOf(workspace, administering)
      const reload = (): Promise<void> => panel.reload()
      return [
        {
          id: 'member.invite',
          title: 'Invite somebody',
          keys: ['n'],
          hint: 'invite',
          ...refusal,
          run: () => invite().then(reload),
        },
        ...(selected !== undefined && 'invitation' in selected
          ? [
              {
                id: 'member.takeBack',
                title: 'Take the invitation back',
                keys: ['x', 'delete'],
                hint: 'take back',
                ...refusal,
                run: () => takeBack(selected.invitation).then(reload),
              },
            ]
          : []),
        ...(selected !== undefined && 'member' in selected ? removals(selected.member) : []),
      ]

      function removals(member: Member): Command[] {
        const isMe = member.id === account?.id
        const owner = member.role === 'owner' ? { unavailable: 'An owner cannot go: invite another owner first.' } : {}
        return [
          {
            id: isMe ? 'member.leave' : 'member.remove',
            title: isMe ? 'Leave the project' : 'Remove the writer',
            keys: ['x', 'delete'],
            hint: isMe ? 'leave' : 'remove',
            ...(isMe ? offline : refusal),
            ...owner,
            run: () => remove(member).then(() => (isMe ? undefined : reload())),
          },
        ]
      }
    },
  })
}

/** Who was the owner a moment ago sees who is now, and no invitations. */
function noneOfOthers(error: unknown): { readonly items: readonly Invitation[] } {
  if (error instanceof Failure && error.code === 'forbidden') return { items: [] }
  throw error
}

function nameOf({ email, name }: Member): string {
  return shown(email ?? name)
}

function labelOf(person: Person): string {
  return 'member' in person ? nameOf(person.member) : person.invitation.email
}

function stateOf(person: Person) {
  if ('invitation' in person) return span('invited', { color: 'warning' })
  return span(person.member.role, person.member.role === 'owner' ? { color: 'accent' } : undefined)
}

function factsOf(person: Person, me: string | undefined) {
  if ('member' in person) {
    const { member } = person
    return [
      { name: 'Who', text: `${nameOf(member)}${member.id === me ? ' (you)' : ''}` },
      { name: 'Commits as', text: member.name },
      { name: 'Role', text: member.role },
      { name: 'Since', text: timeText(member.addedAt) },
    ]
  }
  const { email, role, createdAt, expiresAt } = person.invitation
  return [
    { name: 'Invited', text: email },
    { name: 'As', text: role },
    { name: 'When', text: timeText(createdAt) },
    { name: 'Good until', text: `${timeText(expiresAt)} (${invitationLimits.days} days)` },
    { name: 'Link', text: 'was shown once; a new invitation for the address takes the place of this one' },
  ]
}
