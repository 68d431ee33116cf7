/** @jsxImportSource #html */
import { raw, type Html } from '../../lib/html.ts'
import {
  type Component,
  type Props,
  type Rendered,
  content,
  drawing,
  flag,
  inner,
  plainText,
  style,
} from './component.tsx'

/** `<Tree>` or `<FileTree>`: of folders and files, or of a list in Markdown. */
const tree: Component = (props, children, context) => {
  context.feature('extras')
  return (
    <ul class="q-tree" style={style(props)}>
      {children.some(({ html }) => /^\s*<[uo]l[\s>]/.test(html)) ? entriesOf(listed(children)) : inner(children)}
    </ul>
  )
}

/** `<Tree.Folder name comment defaultOpen openable highlight>`. */
const folder: Component = (props, children) =>
  folderHtml({
    label: [drawing('folder', 'lucide'), treeLabel(props)],
    entries: inner(children),
    isOpenable: flag(props, 'openable', true),
    isOpen: flag(props, 'defaultOpen'),
    isMarked: flag(props, 'highlight'),
  })

/** `<Tree.File name comment highlight>`. */
const file: Component = (props) => fileHtml(treeLabel(props), flag(props, 'highlight'))

export const trees: Readonly<Record<string, Component>> = {
  Tree: tree,
  FileTree: tree,
  'Tree.Folder': folder,
  'Tree.File': file,
}

interface FolderParts {
  readonly label: readonly (Html | undefined)[]
  readonly entries: Html
  readonly isOpenable: boolean
  readonly isOpen: boolean
  readonly isMarked: boolean
}

function folderHtml({ label, entries, isOpenable, isOpen, isMarked }: FolderParts): Html {
  const list = <ul>{entries}</ul>
  return (
    <li class={isMarked ? 'q-tree-mark' : undefined}>
      {isOpenable ? (
        <details open={isOpen}>
          <summary>{label}</summary>
          {list}
        </details>
      ) : (
        [label, list]
      )}
    </li>
  )
}

const fileHtml = (label: Html, isMarked: boolean): Html => (
  <li class={isMarked ? 'q-tree-mark' : undefined}>
    {drawing('file', 'lucide')}
    {label}
  </li>
)

function treeLabel(props: Props): Html {
  return labelOf(content(props, 'name'), content(props, 'comment'))
}

const labelOf = (name: Html | undefined, comment: Html | undefined): Html => (
  <>
    <span>{name}</span>
    {comment && <span class="q-tree-comment">{comment}</span>}
  </>
)

/** An entry of a list in Markdown: `docs/`, `index.mdx the first page`, `**index.mdx**`, `…`. */
interface Entry {
  /** HTML before the list in it. */
  label: string
  readonly entries: Entry[]
  hasList: boolean
}

/** Lists as the renderer writes them: what is text holds no `<`. */
const listTag = /<(\/?)(ul|ol|li)(?=[\s>])[^>]*>/g

function listed(children: readonly Rendered[]): readonly Entry[] {
  const { html } = inner(children)
  const top: Entry = { label: '', entries: [], hasList: false }
  const open = [top]
  let from = 0
  const take = (end: number): void => {
    const entry = open.at(-1)
    if (entry !== undefined && !entry.hasList) entry.label += html.slice(from, end)
  }
  for (const match of html.matchAll(listTag)) {
    const [tag, slash, name] = match
    take(match.index)
    from = match.index + tag.length
    const entry = open.at(-1) ?? top
    if (name !== 'li') entry.hasList ||= slash === ''
    else if (slash === '/') open.length = Math.max(1, open.length - 1)
    else {
      const next: Entry = { label: '', entries: [], hasList: false }
      entry.entries.push(next)
      open.push(next)
    }
  }
  return top.entries
}

function entriesOf(entries: readonly Entry[]): Html {
  return (
    <>
      {entries.map((entry) => {
        const { name, comment, isMarked } = read(entry.label)
        if (/^(?:…|\.{3})$/.test(name)) return <li class="q-tree-more">…</li>
        const label = labelOf(<>{name.replace(/\/$/, '')}</>, comment === '' ? undefined : <>{comment}</>)
        const isFolder = entry.hasList || name.endsWith('/')
        if (!isFolder) return fileHtml(label, isMarked)
        const parts = { label: [drawing('folder', 'lucide'), label], isMarked, isOpen: true }
        return folderHtml({ ...parts, entries: entriesOf(entry.entries), isOpenable: entry.entries.length > 0 })
      })}
    </>
  )
}

/** The name, and what is said of it behind: of code and of bold words all is the name, else the first word that ends like one. */
function read(label: string): { readonly name: string; readonly comment: string; readonly isMarked: boolean } {
  const html = label.replace(/^\s*<p>/, '').trim()
  const [marked, mark, marks = ''] = /^<(code|strong|b)>([^]*?)<\/\1>/.exec(html) ?? []
  const isMarked = mark !== undefined && mark !== 'code'
  const text = wordsOf(html)
  if (marked !== undefined) return { name: wordsOf(marks), comment: wordsOf(html.slice(marked.length)), isMarked }
  const [, name = text, comment = ''] = /^(\S*(?:\/|\.\w+))\s+(\S[^]*)$/.exec(text) ?? []
  return { name, comment, isMarked }
}

/** Without the marks of words, which may stand in the middle of a name. */
const wordsOf = (html: string): string => plainText(raw(html.replaceAll(/<[^>]*>/g, '')))
