import { useInfiniteQuery } from '@tanstack/react-query'
import { ChevronsUpDown, CircleUser, FolderOpen, Keyboard, LogOut, Plus, Search } from 'lucide-react'
import { Link, useParams } from 'react-router'
import type { Account } from '../../contract/accounts.ts'
import { paths } from '../paths.ts'
import { signOut } from '../queries/account.ts'
import { projectsQuery } from '../queries/projects.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Mark } from '../ui/mark.tsx'
import { Menu, type MenuEntry } from '../ui/menu.tsx'
import { toast } from '../ui/toasts.tsx'
import type { Overlay } from './keyboard.tsx'
import { isMac, keyName } from './shortcuts.ts'
import { applyTheme, useTheme, themes } from './theme.ts'
import css from './shell.module.css'

interface TopBarProps {
  readonly account: Account
  readonly onOpen: (overlay: Overlay) => void
}

export function TopBar({ account, onOpen }: TopBarProps) {
  const { slug } = useParams()
  return (
    <header className={css['top']}>
      <Link to={paths.projects} className={css['brand']} aria-label="Quire: projects">
        <Mark />
        <span>Quire</span>
      </Link>
      {slug === undefined ? null : (
        <>
          <span className={css['slash']} aria-hidden>
            /
          </span>
          <ProjectSwitcher slug={slug} />
        </>
      )}
      <span className={css['grow']} />
      <Button
        look="ghost"
        icon={Search}
        className={css['goTo']}
        aria-keyshortcuts={isMac ? 'Meta+K' : 'Control+K'}
        onClick={() => onOpen('palette')}
      >
        <span>Go to</span>
        <kbd aria-hidden>{keyName('Mod+K')}</kbd>
      </Button>
      <AccountMenu account={account} onHelp={() => onOpen('help')} />
    </header>
  )
}

/** The project that is open; its menu leads to the others. */
function ProjectSwitcher({ slug }: { readonly slug: string }) {
  const projects = useInfiniteQuery(projectsQuery)
  const items = projects.data ?? []
  const title = items.find((project) => project.slug === slug)?.title ?? slug
  const others = items.slice(0, 12).map<MenuEntry>((project) => ({
    kind: 'link',
    label: project.title,
    icon: FolderOpen,
    to: paths.project(project.slug),
  }))
  return (
    <Menu
      align="start"
      trigger={
        <Button look="ghost" className={css['switcher']}>
          <span>{title}</span>
          <ChevronsUpDown aria-hidden />
          <span className="visually-hidden">Switch project</span>
        </Button>
      }
      entries={[
        ...others,
        { kind: 'separator' },
        { kind: 'link', label: 'All projects', icon: FolderOpen, to: paths.projects },
        { kind: 'link', label: 'New project', icon: Plus, to: paths.newProject },
      ]}
    />
  )
}

const themeNames = { system: 'Theme of the system', light: 'Light', dark: 'Dark' } as const

function AccountMenu({ account, onHelp }: { readonly account: Account; readonly onHelp: () => void }) {
  const theme = useTheme()
  return (
    <Menu
      trigger={<IconButton icon={CircleUser} label="Your account" />}
      entries={[
        { kind: 'note', label: account.email },
        { kind: 'link', label: 'Account settings', icon: CircleUser, to: paths.account },
        { kind: 'action', label: 'Keyboard shortcuts', icon: Keyboard, onSelect: onHelp },
        { kind: 'separator' },
        {
          kind: 'choice',
          label: 'Theme',
          value: theme,
          options: themes.map((name) => [name, themeNames[name]] as const),
          onChange: (value) => applyTheme(themes.find((name) => name === value)),
        },
        { kind: 'separator' },
        { kind: 'action', label: 'Sign out', icon: LogOut, onSelect: () => void signOut().catch(toast.failed) },
      ]}
    />
  )
}
