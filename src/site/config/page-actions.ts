import { isObject, isArray, pointerTo, show, type Json, type JsonObject } from '../../lib/json-reader.ts'
import { absentActions, pageActions, type PageAction, type Shell } from '../shell.ts'
import { checkHref } from './href.ts'
import { iconOf, pick, type SettingsContext } from './values.ts'
import type { Settings } from './schema.ts'

/** A menu is read, not searched. */
const maxActions = 20
const names: ReadonlySet<string> = new Set(pageActions)

/** Of sites that say nothing of it. */
const usualActions: readonly PageAction[] = ['copy', 'view', 'claude', 'chatgpt']

/** The menu of pages, and the links of their repository. */
export function pageActionSettings(
  settings: Settings,
  context: SettingsContext,
): Pick<Shell, 'actions' | 'repository'> {
  return { actions: actionsOf(settings, context), ...pick('repository', repositoryOf(settings, context)) }
}

/** What the menu of a page offers, as `contextual.options` says it. */
function actionsOf({ contextual }: Settings, context: SettingsContext): readonly PageAction[] {
  if (contextual?.options === undefined) return usualActions
  const options = contextual.options as readonly Json[]
  return options.slice(0, maxActions).flatMap((option, index) => {
    const pointer = pointerTo('/contextual/options', index)
    if (typeof option === 'string' && names.has(option)) return option as PageAction
    if (isObject(option)) return customAction(option, pointer, context) ?? []
    const absent = typeof option === 'string' && Object.hasOwn(absentActions, option) && absentActions[option]
    context.problems.warning(
      'setting-ignored',
      pointer,
      absent
        ? `${show(option)} is not in the page menu here; it would ${absent.would}. ${absent.instead}`
        : `${show(option)} is not an option of the page menu here; it is left out. There are: ${pageActions.join(', ')}.`,
    )
    return []
  })
}

function customAction(option: JsonObject, pointer: string, context: SettingsContext): PageAction | undefined {
  const { title, description } = option
  if (typeof title !== 'string' || title.trim() === '' || title.length > 200) {
    context.problems.error(
      'setting-invalid',
      pointer,
      'An option of the page menu needs a title of at most 200 characters.',
    )
    return undefined
  }
  const checked = checkHref(hrefOf(option['href']))
  if (!('href' in checked)) {
    context.problems.error(
      'setting-link',
      pointerTo(pointer, 'href'),
      `The link of ${show(title)} is refused: ${checked.refused}.`,
    )
    return undefined
  }
  return {
    title,
    href: checked.href,
    ...pick('description', typeof description === 'string' ? description.slice(0, 200) : undefined),
    ...pick('icon', iconOf(option['icon'], pointerTo(pointer, 'icon'), context)),
  }
}

/** A link, or a base with its query. `$path`, `$page` and `$mcp` in it stand until the page is known. */
function hrefOf(href: Json | undefined): string {
  if (typeof href === 'string') return href
  if (!isObject(href) || typeof href['base'] !== 'string') return ''
  const query = isArray(href['query']) ? href['query'] : []
  const pairs = query.flatMap((pair) =>
    isObject(pair) && typeof pair['key'] === 'string' && typeof pair['value'] === 'string'
      ? [
          `${encodeURIComponent(pair['key'].toWellFormed())}=${encodeURIComponent(pair['value'].toWellFormed()).replaceAll('%24', '$')}`,
        ]
      : [],
  )
  return pairs.length === 0
    ? href['base']
    : `${href['base']}${href['base'].includes('?') ? '&' : '?'}${pairs.join('&')}`
}

/** How the hosts of repositories name the page that edits a file, and the one that asks about it. */
const hosts: readonly { readonly name: RegExp; readonly edit: string; readonly issue?: string }[] = [
  { name: /^(www\.)?github\./, edit: '/edit/{branch}/{path}', issue: '/issues/new?title={title}&body={page}' },
  {
    name: /(^|\.)gitlab\./,
    edit: '/-/edit/{branch}/{path}',
    issue: '/-/issues/new?issue[title]={title}&issue[description]={page}',
  },
  { name: /^bitbucket\./, edit: '/src/{branch}/{path}?mode=edit' },
  {
    name: /^(codeberg\.org|gitea\.|forgejo\.)/,
    edit: '/_edit/{branch}/{path}',
    issue: '/issues/new?title={title}&body={page}',
  },
]

/** Where pages are edited, as templates with `{path}`, `{title}` and `{page}`. */
function repositoryOf({ repository }: Settings, { problems }: SettingsContext): Shell['repository'] {
  if (repository === undefined) return undefined
  const {
    url,
    branch = 'main',
    directory = '',
    edit,
  } = typeof repository === 'string' ? { url: repository } : repository
  const pointer = typeof repository === 'string' ? '/repository' : '/repository/url'
  const checked = checkHref(url)
  if (!('href' in checked) || checked.internal || !/^https?:/i.test(checked.href)) {
    problems.error('setting-link', pointer, `The repository must be the https address of its page, not ${show(url)}.`)
    return undefined
  }
  const base = checked.href.replace(/\.git$/, '').replace(/\/$/, '')
  const host = hosts.find(({ name }) => name.test(new URL(base).hostname))
  if (edit !== undefined) {
    const own = checkHref(edit)
    if ('href' in own && /^https?:/i.test(own.href))
      return { edit: own.href, ...pick('issue', host?.issue && base + host.issue) }
    problems.error(
      'setting-link',
      '/repository/edit',
      'edit must be an https link, such as "https://git.example.com/docs/edit/main/{path}".',
    )
    return undefined
  }
  if (host === undefined) {
    problems.warning(
      'setting-ignored',
      pointer,
      `How ${new URL(base).hostname} edits files is not known, so pages have no link for it. Add "edit": "https://…/{path}".`,
    )
    return undefined
  }
  const folder = directory.split('/').filter((part) => part !== '' && part !== '.')
  const file = [...folder.map((part) => encodeURIComponent(part.toWellFormed())), '{path}'].join('/')
  const path = host.edit
    .replace('{branch}', encodeURIComponent(branch.toWellFormed()).replaceAll('%2F', '/'))
    .replace('{path}', () => file)
  return { edit: base + path, ...pick('issue', host.issue && base + host.issue) }
}
