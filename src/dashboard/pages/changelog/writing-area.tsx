import { Bold, Code, Italic, Link2, List } from 'lucide-react'
import { useId, useRef, type ClipboardEvent, type KeyboardEvent, type Ref } from 'react'
import { IconButton } from '../../ui/button.tsx'
import { indent, link, nextItem, pasted, wrap, type Edit, type Selected } from './markdown-keys.ts'
import css from './entry.module.css'

interface WritingAreaProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly error?: string | undefined
  readonly area: Ref<HTMLTextAreaElement>
}

const tools = [
  { icon: Bold, label: 'Bold', edit: (selected: Selected) => wrap(selected, '**') },
  { icon: Italic, label: 'Italic', edit: (selected: Selected) => wrap(selected, '_') },
  { icon: Code, label: 'Code', edit: (selected: Selected) => wrap(selected, '`') },
  { icon: Link2, label: 'Link', edit: (selected: Selected) => link(selected) },
  { icon: List, label: 'List', edit: bullets },
] as const

/** Where Markdown is written. */
export function WritingArea({ value, onChange, error, area }: WritingAreaProps) {
  const id = useId()
  const own = useRef<HTMLTextAreaElement>(null)
  const mayLeave = useRef(false)

  const apply = (edit: Edit): void => {
    if (own.current !== null) replace(own.current, edit)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    const edit = editOf(event, mayLeave.current)
    mayLeave.current = event.key === 'Escape' || (mayLeave.current && event.key === 'Shift')
    if (edit === null) return
    event.preventDefault()
    apply(edit)
  }
  const onPaste = (event: ClipboardEvent<HTMLTextAreaElement>): void => {
    const edit = pasted(selectedOf(event.currentTarget), event.clipboardData.getData('text/plain'))
    if (edit === null) return
    event.preventDefault()
    apply(edit)
  }
  return (
    <div className={css['writing']}>
      <div className={css['writingHead']}>
        <label htmlFor={id}>Text</label>
        <div role="group" aria-label="Formatting">
          {tools.map(({ icon, label, edit }) => (
            <IconButton
              key={label}
              size="small"
              icon={icon}
              label={label}
              onClick={() => own.current !== null && apply(edit(selectedOf(own.current)))}
            />
          ))}
        </div>
      </div>
      <textarea
        id={id}
        ref={(element) => {
          own.current = element
          if (typeof area === 'function') area(element)
          else if (area !== null) area.current = element
        }}
        value={value}
        aria-describedby={`${id}-hint${error === undefined ? '' : ` ${id}-error`}`}
        aria-invalid={error === undefined ? undefined : true}
        placeholder="What is new, and what can readers do with it?"
        spellCheck
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
        onPaste={onPaste}
      />
      {error === undefined ? null : (
        <p id={`${id}-error`} className={css['error']}>
          {error}
        </p>
      )}
      <p id={`${id}-hint`} className={css['hint']}>
        Markdown, with the components of pages such as <code>&lt;Note&gt;</code>. Tab moves lines in; Escape, then Tab
        leaves the field.
      </p>
    </div>
  )
}

function selectedOf({ value, selectionStart, selectionEnd }: HTMLTextAreaElement): Selected {
  return { text: value, from: selectionStart, to: selectionEnd }
}

const marks: Readonly<Partial<Record<string, string>>> = { b: '**', i: '_' }

function editOf(event: KeyboardEvent<HTMLTextAreaElement>, mayLeave: boolean): Edit | null {
  // Somebody is choosing a character.
  if (event.nativeEvent.isComposing) return null
  const { key, ctrlKey, metaKey, altKey, shiftKey } = event
  const selected = selectedOf(event.currentTarget)
  if ((ctrlKey || metaKey) && !altKey && !shiftKey) {
    const mark = marks[key.toLowerCase()]
    if (mark !== undefined) return wrap(selected, mark)
    return key.toLowerCase() === 'k' ? link(selected) : null
  }
  if (ctrlKey || metaKey || altKey) return null
  if (key === 'Tab' && !mayLeave) return indent(selected, shiftKey)
  return key === 'Enter' && !shiftKey ? nextItem(selected) : null
}

function bullets({ text, from, to }: Selected): Edit {
  const start = text.lastIndexOf('\n', from - 1) + 1
  const insert = text.slice(start, to).replace(/^/gm, '- ')
  return { from: start, to, insert, select: [start + insert.length, start + insert.length] }
}

/** Changes the text as typing does: the browser's undo takes it back. */
function replace(area: HTMLTextAreaElement, { from, to, insert, select }: Edit): void {
  area.focus()
  area.setSelectionRange(from, to)
  if (from === to && insert === '') return
  // There is no other way that keeps the history of a field, and all browsers have it.
  const isDone = document.execCommand(insert === '' ? 'delete' : 'insertText', false, insert)
  if (!isDone) {
    area.setRangeText(insert)
    area.dispatchEvent(new Event('input', { bubbles: true }))
  }
  area.setSelectionRange(...select)
}
