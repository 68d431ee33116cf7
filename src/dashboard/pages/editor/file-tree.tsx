import {
  ChevronRight,
  Ellipsis,
  FileCode,
  FileText,
  Folder as FolderIcon,
  FolderInput,
  Image,
  Pencil,
  Trash2,
} from 'lucide-react'
import { useMemo, useState } from 'react'
import { Link } from 'react-router'
import { isImage, isPage } from '#authoring/page-paths.ts'
import { ranked } from '#authoring/ranking.ts'
import type { ProjectFile } from '#contract/files.ts'
import { classes } from '../../ui/classes.ts'
import { IconButton } from '../../ui/button.tsx'
import { Menu } from '../../ui/menu.tsx'
import { nameOf, treeOf, type Folder } from './tree.ts'
import css from './file-tree.module.css'

/** Of one folder, until somebody asks for more. */
const maxShownFiles = 300

interface FileTreeProps {
  readonly files: readonly ProjectFile[]
  /** The one that is open. */
  readonly path: string
  /** Paths with a text here that is not saved. */
  readonly drafts: ReadonlySet<string>
  readonly addressOf: (path: string) => string
  readonly readOnly: boolean
  /** @param path of a file, or of a folder with a slash at its end */
  readonly onRename: (path: string) => void
  readonly onDelete: (path: string) => void
}

/** The files of a branch: by folders, or those that are like what is typed. */
export function FileTree(props: FileTreeProps) {
  const { files, path } = props
  const [typed, setTyped] = useState('')
  const tree = useMemo(() => treeOf(files), [files])
  const found = useMemo(
    () => (typed.trim() === '' ? undefined : ranked(files, typed.trim(), (file) => file.path)),
    [files, typed],
  )
  return (
    <div className={css['tree']}>
      <input
        type="search"
        className={css['filter']}
        aria-label="Find a file"
        placeholder="Find a file"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <nav aria-label="Files" className={css['list']}>
        {found === undefined ? (
          <Contents key={files.length === 0 ? 'none' : 'some'} folder={tree} open={path} depth={0} {...props} />
        ) : found.length === 0 ? (
          <p className={css['none']}>No file is called so.</p>
        ) : (
          <ul>
            {found.map((file) => (
              <FileRow key={file.path} file={file} name={file.path} depth={0} {...props} />
            ))}
          </ul>
        )}
      </nav>
    </div>
  )
}

interface ContentsProps extends FileTreeProps {
  readonly folder: Folder
  readonly open: string
  readonly depth: number
}

function Contents({ folder, ...props }: ContentsProps) {
  const [shown, setShown] = useState(maxShownFiles)
  return (
    <ul>
      {folder.folders.map((inner) => (
        <FolderRow key={inner.path} {...props} folder={inner} />
      ))}
      {folder.files.slice(0, shown).map((file) => (
        <FileRow key={file.path} {...props} file={file} name={nameOf(file.path)} />
      ))}
      {folder.files.length <= shown ? null : (
        <li>
          <button type="button" className={css['more']} onClick={() => setShown(shown + maxShownFiles)}>
            Show more of {folder.files.length} files
          </button>
        </li>
      )}
    </ul>
  )
}

function FolderRow(props: ContentsProps) {
  const { folder, open, depth, readOnly, onRename, onDelete } = props
  const isAround = open.startsWith(folder.path)
  const [isOpen, setOpen] = useState(isAround)
  const [was, setWas] = useState(open)
  // What is opened elsewhere is shown here; whoever closes its folder then has it closed.
  if (was !== open) {
    setWas(open)
    if (isAround) setOpen(true)
  }
  return (
    <li>
      <div className={css['row']} style={{ paddingInlineStart: `${depth * 0.875 + 0.5}rem` }}>
        <button type="button" className={css['name']} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <ChevronRight aria-hidden className={css['chevron']} />
          <FolderIcon aria-hidden />
          <span>{folder.name}</span>
        </button>
        {readOnly ? null : (
          <RowMenu
            name={folder.path}
            entries={[
              ['Rename or move', FolderInput, () => onRename(folder.path)],
              ['Delete folder', Trash2, () => onDelete(folder.path)],
            ]}
          />
        )}
      </div>
      {isOpen ? <Contents {...props} depth={depth + 1} /> : null}
    </li>
  )
}

const statusWords = { added: ['A', 'new on this branch'], modified: ['M', 'changed on this branch'] } as const

interface FileRowProps extends FileTreeProps {
  readonly file: ProjectFile
  readonly name: string
  readonly depth: number
}

function FileRow({ file, name, depth, path, drafts, addressOf, readOnly, onRename, onDelete }: FileRowProps) {
  const { status } = file
  const Icon = isPage(file.path) ? FileText : isImage(file.path) ? Image : FileCode
  if (status === 'deleted') {
    return (
      <li>
        <div className={css['row']} style={{ paddingInlineStart: `${depth * 0.875 + 1.375}rem` }}>
          <span className={classes(css['name'], css['deleted'])}>
            <Icon aria-hidden />
            <span>{name}</span>
          </span>
          <Mark letter="D" words="deleted on this branch" tone="deleted" />
        </div>
      </li>
    )
  }
  const mark = status === 'unchanged' ? undefined : statusWords[status]
  return (
    <li>
      <div
        className={classes(css['row'], file.path === path && css['current'])}
        style={{ paddingInlineStart: `${depth * 0.875 + 1.375}rem` }}
      >
        <Link className={css['name']} to={addressOf(file.path)} aria-current={file.path === path ? 'page' : undefined}>
          <Icon aria-hidden />
          <span>{name}</span>
        </Link>
        {drafts.has(file.path) ? <Mark letter="●" words="has changes that are not saved" tone="draft" /> : null}
        {mark === undefined ? null : <Mark letter={mark[0]} words={mark[1]} tone={status} />}
        {readOnly ? null : (
          <RowMenu
            name={file.path}
            entries={[
              ['Rename or move', Pencil, () => onRename(file.path)],
              ['Delete file', Trash2, () => onDelete(file.path)],
            ]}
          />
        )}
      </div>
    </li>
  )
}

function Mark({ letter, words, tone }: { readonly letter: string; readonly words: string; readonly tone: string }) {
  return (
    <span className={classes(css['mark'], css[tone])} title={words}>
      <span aria-hidden>{letter}</span>
      <span className="visually-hidden">{words}</span>
    </span>
  )
}

interface RowMenuProps {
  readonly name: string
  readonly entries: readonly (readonly [label: string, icon: typeof Pencil, onSelect: () => void])[]
}

function RowMenu({ name, entries }: RowMenuProps) {
  return (
    <span className={css['menu']}>
      <Menu
        trigger={<IconButton icon={Ellipsis} label={`Actions for ${name}`} size="small" />}
        entries={entries.map(([label, icon, onSelect]) => ({
          kind: 'action',
          label,
          icon,
          danger: icon === Trash2,
          onSelect,
        }))}
      />
    </span>
  )
}
