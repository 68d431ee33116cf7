import {
  Bot,
  ChevronDown,
  FolderCog,
  GitBranch,
  GitCommitHorizontal,
  Globe,
  KeyRound,
  Lock,
  MessageSquare,
  Megaphone,
  Rocket,
  Shield,
  Users,
  Webhook,
  type LucideIcon,
} from 'lucide-react'
import { useId, useState } from 'react'
import { Link } from 'react-router'
import type { AuditEntry } from '#contract/audit.ts'
import { IconButton } from '../../ui/button.tsx'
import { Facts } from '../../ui/card.tsx'
import { classes } from '../../ui/classes.ts'
import { Time } from '../../ui/time.tsx'
import { actorName, sentenceOf } from './sentences.ts'
import css from './activity.module.css'

const icons: Readonly<Record<string, LucideIcon>> = {
  deploys: Rocket,
  branches: GitBranch,
  comments: MessageSquare,
  git: GitCommitHorizontal,
  assistant: Bot,
  changelog: Megaphone,
  members: Users,
  invitations: Users,
  accounts: Users,
  keys: KeyRound,
  webhooks: Webhook,
  domains: Globe,
  visibility: Lock,
  admin: Shield,
}

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' })

/** One thing that somebody did; from where and with what comes when it is opened. */
export function ActivityRow({ entry, slug }: { readonly entry: AuditEntry; readonly slug: string }) {
  const [isOpen, setIsOpen] = useState(false)
  const id = useId()
  const { action, actor, at } = entry
  const Icon = icons[action.split('.', 1)[0] ?? ''] ?? FolderCog
  return (
    <li className={css['entry']}>
      <div className={css['line']}>
        <Icon aria-hidden className={css['icon']} />
        <p className={css['sentence']}>
          <strong>{actorName(actor)}</strong>{' '}
          {sentenceOf(entry, slug).map((piece, index) =>
            typeof piece === 'string' ? (
              <span key={index}>{piece}</span>
            ) : piece.to === undefined ? (
              <span key={index} className={css['name']}>
                {piece.name}
              </span>
            ) : (
              <Link key={index} className={css['name']} to={piece.to}>
                {piece.name}
              </Link>
            ),
          )}
        </p>
        <span className={css['when']}>
          <Time at={at} />
        </span>
        <IconButton
          size="small"
          icon={ChevronDown}
          label="Details"
          aria-expanded={isOpen}
          aria-controls={id}
          className={classes(isOpen && css['open'])}
          onClick={() => setIsOpen(!isOpen)}
        />
      </div>
      <div id={id} hidden={!isOpen} className={css['details']}>
        {isOpen ? <Details entry={entry} /> : null}
      </div>
    </li>
  )
}

function Details({ entry: { action, actor, address, client, target, detail, at } }: { readonly entry: AuditEntry }) {
  return (
    <Facts
      items={[
        ['When', exact.format(new Date(at))],
        ['Who', actor.kind === 'key' ? `API key ${actor.name} (${actor.id})` : actor.name],
        ['From', address === 'local' ? 'the service’s own machine' : address],
        client === undefined ? null : ['With', client],
        ['Action', <code key="action">{action}</code>],
        target === undefined ? null : ['On', <code key="target">{target}</code>],
        detail === undefined ? null : ['Note', detail],
      ]}
    />
  )
}
