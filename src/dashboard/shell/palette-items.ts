import fuzzysort from 'fuzzysort'
import {
  BookOpen,
  CircleUser,
  Clock,
  FileText,
  FolderOpen,
  Gauge,
  GitBranch,
  GitCompareArrows,
  Keyboard,
  LogOut,
  Megaphone,
  PencilLine,
  Plus,
  Rocket,
  RotateCcw,
  Settings,
  Sparkles,
  SunMoon,
  UserPlus,
  type LucideIcon,
} from 'lucide-react'
import type { Branch } from '../../contract/branches.ts'
import type { Entry } from '../../contract/changelog.ts'
import type { ProjectFile } from '../../contract/files.ts'
import type { Project } from '../../contract/projects.ts'
import { paths } from '../paths.ts'
import { may } from '../queries/projects.ts'
import { projectPages, settingsPages } from './project-pages.ts'
import type { Recent } from './recent.ts'
import type { Theme } from './theme.ts'

export interface Item {
  /** No other item has it. */
  readonly value: string
  readonly label: string
  /** Where it is, or what it is. */
  readonly about: string
  readonly icon: LucideIcon
  /** An address, or something that is done. */
  readonly act: string | (() => void)
}

export interface Group {
  readonly value: string
  readonly items: readonly Item[]
}

export interface Known {
  readonly projects: readonly Project[]
  readonly project: Project | undefined
  readonly branches: readonly Branch[]
  readonly entries: readonly Entry[]
  readonly branch: Branch | undefined
  /** Of the branch that is open. */
  readonly files: readonly ProjectFile[]
  readonly recent: readonly Recent[]
  /** Of the page that is open. */
  readonly here: string
  readonly acts: {
    readonly theme: (theme: Theme) => void
    readonly help: () => void
    readonly signOut: () => void
  }
}

const shownAtFirst = 5
const mostFound = 40

function link(label: string, to: string, icon: LucideIcon, about: string): Item {
  return { value: `${label} ${to}`, label, about, icon, act: to }
}

const pageIcons: Readonly<Record<string, LucideIcon>> = {
  Branches: GitBranch,
  Deploys: Rocket,
  Changelog: Megaphone,
  Activity: Clock,
  Usage: Gauge,
  Settings,
}

function pagesOf(project: Project): readonly Item[] {
  const general = paths.settings(project.slug)
  return [
    ...projectPages(project).map(({ name, to }) => link(name, to, pageIcons[name] ?? BookOpen, project.title)),
    ...settingsPages(project)
      .filter(({ to }) => to !== general)
      .map(({ name, to }) => link(name, to, Settings, `${project.title} · Settings`)),
  ]
}

function actionsIn(project: Project): readonly Item[] {
  const { slug, title } = project
  return [
    ...(may(project, 'write')
      ? [
          link('New branch', `${paths.branches(slug)}?new`, Plus, title),
          link('New changelog entry', paths.newEntry(slug), Plus, title),
        ]
      : []),
    ...(may(project, 'deploy') ? [link('Roll back to an earlier deploy', paths.deploys(slug), RotateCcw, title)] : []),
    ...(may(project, 'admin') ? [link('Invite people', paths.members(slug), UserPlus, title)] : []),
  ]
}

function pagesOfBranch(project: Project, { id, name }: Branch): readonly Item[] {
  const { slug } = project
  return [
    link('Edit files', paths.editor(slug, id), PencilLine, name),
    link('Changes', paths.changes(slug, id), GitCompareArrows, name),
    ...(may(project, 'write')
      ? [
          link('Ask the assistant', `${paths.editor(slug, id)}?panel=assistant`, Sparkles, name),
          link('Update from main', paths.update(slug, id), GitBranch, name),
        ]
      : []),
    ...(may(project, 'deploy') ? [link('Publish', paths.publish(slug, id), Rocket, name)] : []),
  ]
}

function everywhere({ acts }: Known): readonly Item[] {
  const done = (label: string, icon: LucideIcon, act: () => void): Item => ({
    value: label,
    label,
    about: '',
    icon,
    act,
  })
  return [
    link('New project', paths.newProject, Plus, ''),
    link('Your projects', paths.projects, FolderOpen, ''),
    link('Account settings', paths.account, CircleUser, ''),
    done('Light theme', SunMoon, () => acts.theme('light')),
    done('Dark theme', SunMoon, () => acts.theme('dark')),
    done('Theme of the system', SunMoon, () => acts.theme('system')),
    done('Keyboard shortcuts', Keyboard, acts.help),
    done('Sign out', LogOut, acts.signOut),
  ]
}

/** Of `/dashboard/docs/deploys`: docs. */
function placeOf(to: string): string {
  return to.split('/')[2] ?? ''
}

function groupsOf(known: Known): readonly Group[] {
  const { project, branch, projects, branches, entries, files, recent, here } = known
  const { slug } = project ?? {}
  const opened = recent.filter(({ to }) => to !== here).map(({ to, title }) => link(title, to, Clock, placeOf(to)))
  return [
    { value: 'Recent', items: opened },
    {
      value: branch === undefined ? 'This branch' : `Branch ${branch.name}`,
      items: project === undefined || branch === undefined ? [] : pagesOfBranch(project, branch),
    },
    { value: 'Actions', items: project === undefined ? [] : actionsIn(project) },
    {
      value: 'Files',
      items:
        slug === undefined || branch === undefined
          ? []
          : files
              .filter(({ status }) => status !== 'deleted')
              .map(({ path }) => link(path, paths.editor(slug, branch.id, path), FileText, branch.name)),
    },
    {
      value: 'Branches',
      items:
        slug === undefined
          ? []
          : branches.map(({ id, name }) => link(name, paths.branch(slug, id), GitBranch, 'branch')),
    },
    {
      value: 'Changelog',
      items:
        slug === undefined
          ? []
          : entries.map(({ id, title }) => link(title, paths.entry(slug, id), Megaphone, 'changelog entry')),
    },
    { value: project?.title ?? 'Project', items: project === undefined ? [] : pagesOf(project) },
    {
      value: 'Projects',
      items: projects.map((each) => link(each.title, paths.project(each.slug), FolderOpen, each.slug)),
    },
    { value: 'Everywhere', items: everywhere(known) },
  ]
}

/** The beginning of each group, or what is like the words that are typed, the best first. */
export function groupsFor(known: Known, query: string): readonly Group[] {
  const groups = groupsOf(known)
  if (query.trim() === '') {
    return groups
      .map(({ value, items }) => ({ value, items: value === 'Everywhere' ? items : items.slice(0, shownAtFirst) }))
      .filter(({ items }) => items.length > 0)
  }
  const all = new Map(groups.flatMap(({ items }) => items).map((item) => [item.value, item]))
  const found = fuzzysort.go(query.trim(), [...all.values()], {
    keys: ['label', 'about'],
    limit: mostFound,
    threshold: 0.3,
  })
  return found.length === 0 ? [] : [{ value: 'Found', items: found.map(({ obj }) => obj) }]
}
