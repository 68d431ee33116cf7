/** @jsxImportSource #html */
import type { DocumentContext } from '#contract/release.ts'
import type { Child, Html } from '#lib/html.ts'
import { encodePath } from '#lib/url-path.ts'
import type { PageAction, Shell } from '../../shell.ts'
import type { PageWords } from '../words/page.ts'
import { fill, fillText } from '../words/words.ts'
import { Icon, icons, isExternal, Link, markdownHref } from './link.tsx'

/** The page that the actions are for. */
export interface ActionsPage {
  readonly shell: Shell
  /** Decoded. */
  readonly path: string
  readonly title: string
  /** Whether it says when it was last changed, and what its menu offers, where it has its own word on that. */
  readonly timestamp?: boolean | undefined
  readonly actions?: readonly PageAction[] | undefined
  readonly context: DocumentContext
  readonly words: PageWords
  /** BCP 47. */
  readonly lang: string
}

/** Where a model begins a conversation with a question. */
const models: Readonly<Record<string, { readonly name: string; readonly href: string }>> = {
  claude: { name: 'Claude', href: 'https://claude.ai/new?q=' },
  chatgpt: { name: 'ChatGPT', href: 'https://chatgpt.com/?hints=search&q=' },
  perplexity: { name: 'Perplexity', href: 'https://www.perplexity.ai/search?q=' },
  grok: { name: 'Grok', href: 'https://grok.com/?q=' },
  aistudio: { name: 'AI Studio', href: 'https://aistudio.google.com/prompts/new_chat?prompt=' },
}

/** Addresses of a page: its own path, that of its Markdown, and both with the origin of the live site, if it has one. */
function addressesOf({ shell, path }: Pick<ActionsPage, 'shell' | 'path'>) {
  const encoded = encodePath(path)
  const markdown = markdownHref(path)
  const origin = isExternal(shell.url) ? shell.url : undefined
  return { encoded, markdown, origin }
}

/** The menu beside the title: the page as Markdown, and the ways to take it elsewhere. Undefined where it is empty. */
export function renderPageMenu(page: ActionsPage): Html | undefined {
  const { shell, words } = page
  const { markdown } = addressesOf(page)
  const { actions = shell.actions ?? [] } = page
  const hasCopy = actions.includes('copy')
  const entries = actions.map((action) => action !== 'copy' && entry(action, page)).filter((item) => item !== false)
  if (!hasCopy && entries.length === 0) return undefined
  return (
    <div class="q-actions">
      {hasCopy && (
        <button class="q-action" type="button" data-copy-page={markdown} aria-label={words.copyPage}>
          {icons.copy}
          <span>{words.copyPage}</span>
        </button>
      )}
      {entries.length > 0 && (
        <details class="q-switch" data-menu>
          <summary aria-label={words.actions}>{icons.down}</summary>
          <ul class="q-menu">
            {entries.map((item) => (
              <li>{item}</li>
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}

/** An entry of the menu; false for one that this page cannot have, as the address of a preview is nothing to others. */
function entry(action: Exclude<PageAction, 'copy'>, page: ActionsPage): Html | false {
  const { shell, words, context } = page
  const { encoded, markdown, origin } = addressesOf(page)
  if (action === 'view') return <MenuLink href={markdown}>{words.viewMarkdown}</MenuLink>
  if (typeof action === 'object') {
    const href = action.href.replaceAll(/\$(?:path|page|mcp)/g, (name) =>
      name === '$path' ? encoded : `${origin ?? ''}${name === '$mcp' ? '/mcp' : markdown}`,
    )
    return (
      <MenuLink href={href} icon={action.icon}>
        {action.title}
        {action.description !== undefined && <small>{action.description}</small>}
      </MenuLink>
    )
  }
  if (action === 'download-pdf')
    return (
      <button class="q-menu-link" type="button" data-print>
        <span>{words.print}</span>
      </button>
    )
  if (origin === undefined || context.preview !== undefined) return false
  const model = models[action]
  if (model !== undefined) {
    const prompt = fillText(words.readPage, { url: origin + markdown })
    return (
      <MenuLink href={model.href + encodeURIComponent(prompt)}>{fill(words.openIn, { name: model.name })}</MenuLink>
    )
  }
  const server = `${origin}/mcp`
  if (action === 'mcp') return <CopyText text={server}>{words.copyMcp}</CopyText>
  if (action === 'add-mcp')
    return <CopyText text={`npx add-mcp ${server}`}>{`${words.copyCode}: npx add-mcp`}</CopyText>
  const name = encodeURIComponent(shell.name.toWellFormed())
  return action === 'cursor' ? (
    <MenuLink
      href={`https://cursor.com/en/install-mcp?name=${name}&config=${encodeURIComponent(btoa(JSON.stringify({ url: server })))}`}
    >
      {fill(words.connectTo, { name: 'Cursor' })}
    </MenuLink>
  ) : (
    <MenuLink
      href={`https://vscode.dev/redirect/mcp/install?name=${name}&config=${encodeURIComponent(JSON.stringify({ type: 'http', url: server }))}`}
    >
      {fill(words.connectTo, { name: 'VS Code' })}
    </MenuLink>
  )
}

function CopyText({ text, children }: { readonly text: string; readonly children?: string }): Html {
  return (
    <button class="q-menu-link" type="button" data-copy-text={text} aria-label={children}>
      <span>{children}</span>
    </button>
  )
}

function MenuLink({
  href,
  icon,
  children,
}: {
  readonly href: string
  readonly icon?: string | undefined
  readonly children?: Child
}): Html {
  return (
    <Link class="q-menu-link" href={href}>
      <Icon svg={icon} />
      <span>{children}</span>
      {isExternal(href) && icons.external}
    </Link>
  )
}

/** Under a page: where its source is edited, and when that was last changed. Undefined where neither is known. */
export function renderPageFoot({ shell, path, title, timestamp, context, words, lang }: ActionsPage): Html | undefined {
  const { source, editor } = context
  const updated = (timestamp ?? shell.timestamps) === false ? undefined : context.updated
  const { repository } = shell
  const { encoded, origin } = addressesOf({ shell, path })
  const inQuery = (text: string): string => encodeURIComponent(text.toWellFormed())
  // What a preview shows is edited on its branch, wherever the repository is else.
  const template = editor === undefined ? repository?.edit : `${editor}{path}`
  const edit = source === undefined ? undefined : template?.replace('{path}', () => encodePath(source))
  const issue = repository?.issue
    ?.replace('{title}', () => inQuery(title))
    .replace('{page}', () => inQuery((origin ?? '') + encoded))
  if (edit === undefined && issue === undefined && updated === undefined) return undefined
  return (
    <div class="q-page-foot">
      {edit !== undefined && (
        <Link class="q-link" href={edit}>
          {words.edit}
        </Link>
      )}
      {issue !== undefined && (
        <Link class="q-link" href={issue}>
          {words.issue}
        </Link>
      )}
      {updated !== undefined && <p>{fill(words.updated, { date: <Day seconds={updated} lang={lang} /> })}</p>}
    </div>
  )
}

function Day({ seconds, lang }: { readonly seconds: number; readonly lang: string }): Html {
  const time = new Date(seconds * 1000).toISOString()
  return <time datetime={time}>{dayFormat(lang).format(seconds * 1000)}</time>
}

const formats = new Map<string, Intl.DateTimeFormat>()
/** Languages in use at once: sites may name any. */
const maxFormats = 100

function dayFormat(lang: string): Intl.DateTimeFormat {
  let format = formats.get(lang)
  if (format === undefined) {
    if (formats.size >= maxFormats) formats.clear()
    format = new Intl.DateTimeFormat(lang, { dateStyle: 'long', timeZone: 'UTC' })
    formats.set(lang, format)
  }
  return format
}
