import { X } from 'lucide-react'
import { useId, useState, type KeyboardEvent } from 'react'
import { TextField } from '../../ui/field.tsx'
import css from './entry.module.css'

/** As the service takes them. */
const maxTags = 20
const maxTagLength = 50

interface TagsFieldProps {
  readonly tags: readonly string[]
  readonly onChange: (tags: readonly string[]) => void
  /** Tags of other entries, to choose from. */
  readonly inUse: readonly string[]
  readonly error?: string | undefined
}

/** Tags, one after the other: Enter or a comma ends each. */
export function TagsField({ tags, onChange, inUse, error }: TagsFieldProps) {
  const [text, setText] = useState('')
  const listId = useId()
  const add = (typed: string): void => {
    const added = typed
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag, index, all) => tag !== '' && !tags.includes(tag) && all.indexOf(tag) === index)
    setText('')
    if (added.length > 0) onChange([...tags, ...added].slice(0, maxTags))
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.key === 'Enter') {
      event.preventDefault()
      add(text)
    }
    // What saves the entry saves what is typed here.
    if (event.key.toLowerCase() === 's' && (event.ctrlKey || event.metaKey)) add(text)
    if (event.key === 'Backspace' && text === '' && tags.length > 0) onChange(tags.slice(0, -1))
  }
  return (
    <div className={css['tags']}>
      <TextField
        name="tags"
        label="Tags"
        error={error}
        value={text}
        list={listId}
        maxLength={maxTagLength}
        autoComplete="off"
        placeholder={tags.length >= maxTags ? 'No more than 20' : 'Add a tag'}
        disabled={tags.length >= maxTags}
        onChange={({ target, nativeEvent }) => {
          // What is chosen from the list comes without the type of an input.
          const isChosen = !('inputType' in nativeEvent) || nativeEvent.inputType === 'insertReplacementText'
          if (isChosen || target.value.includes(',')) add(target.value)
          else setText(target.value)
        }}
        onKeyDown={onKeyDown}
        onBlur={() => add(text)}
      />
      <datalist id={listId}>
        {inUse
          .filter((tag) => !tags.includes(tag))
          .map((tag) => (
            <option key={tag} value={tag} />
          ))}
      </datalist>
      {tags.length === 0 ? null : (
        <ul aria-label="Tags of the entry">
          {tags.map((tag) => (
            <li key={tag}>
              {tag}
              <button
                type="button"
                aria-label={`Remove ${tag}`}
                onClick={() => onChange(tags.filter((one) => one !== tag))}
              >
                <X aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
