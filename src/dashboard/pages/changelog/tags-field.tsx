import { X } from 'lucide-react'
import { useId, type KeyboardEvent } from 'react'
import { maxTags, withTags, type EntryWords } from '../../drafts/entry-words.ts'
import { TextField } from '../../ui/field.tsx'
import css from './entry.module.css'

const maxTagLength = 50

interface TagsFieldProps {
  readonly words: EntryWords
  readonly onChange: (change: Pick<EntryWords, 'tags' | 'newTag'>) => void
  /** Tags of other entries, to choose from. */
  readonly inUse: readonly string[]
  readonly error?: string | undefined
}

/** Tags, one after the other: Enter or a comma ends each. */
export function TagsField({ words, onChange, inUse, error }: TagsFieldProps) {
  const { tags, newTag } = words
  const listId = useId()
  const add = (typed: string): void => {
    const { tags: all, newTag: none } = withTags(words, typed)
    onChange({ tags: all, newTag: none })
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.key === 'Enter') {
      event.preventDefault()
      add(newTag)
    }
    if (event.key === 'Backspace' && newTag === '' && tags.length > 0) onChange({ tags: tags.slice(0, -1), newTag })
  }
  return (
    <div className={css['tags']}>
      <TextField
        name="tags"
        label="Tags"
        error={error}
        value={newTag}
        list={listId}
        maxLength={maxTagLength}
        autoComplete="off"
        placeholder={tags.length >= maxTags ? 'No more than 20' : 'Add a tag'}
        disabled={tags.length >= maxTags}
        onChange={({ target, nativeEvent }) => {
          // What is chosen from the list comes without the type of an input.
          const isChosen = !('inputType' in nativeEvent) || nativeEvent.inputType === 'insertReplacementText'
          if (isChosen || target.value.includes(',')) add(target.value)
          else onChange({ tags, newTag: target.value })
        }}
        onKeyDown={onKeyDown}
        onBlur={() => {
          if (newTag !== '') add(newTag)
        }}
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
                onClick={() => onChange({ tags: tags.filter((one) => one !== tag), newTag })}
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
