import { useState } from 'react'
import { DialogWindow } from '../ui/dialog-window.tsx'
import { Checkbox } from '../ui/field.tsx'
import { editorShortcuts, hasSingleKeys, keyName, setSingleKeys, shortcuts, type Shortcut } from './shortcuts.ts'
import css from './keyboard.module.css'

/** All shortcuts, and the switch for those that are a single key. */
export function KeyboardHelp({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const [isOn, setIsOn] = useState(hasSingleKeys)
  return (
    <DialogWindow open={open} onOpenChange={(next) => (next ? undefined : onClose())} title="Keyboard shortcuts">
      <Checkbox
        name="single-keys"
        label="Use shortcuts that are single letters"
        hint="Turn them off if you dictate, or if they get in your way. They never work while you type in a field."
        checked={isOn}
        onChange={(event) => {
          setSingleKeys(event.target.checked)
          setIsOn(event.target.checked)
        }}
      />
      <Table title="Everywhere" rows={shortcuts} areOff={({ keys }) => !isOn && !keys[0]?.includes('+')} />
      <Table title="In the text of a file" rows={editorShortcuts} areOff={() => false} />
    </DialogWindow>
  )
}

type Row = Omit<Shortcut, 'act'>

interface TableProps {
  readonly title: string
  readonly rows: readonly Row[]
  readonly areOff: (row: Row) => boolean
}

function Table({ title, rows, areOff }: TableProps) {
  return (
    <section className={css['table']}>
      <h3>{title}</h3>
      <dl>
        {rows.map((row) => (
          <div key={row.keys.join(' ') + row.words}>
            <dt>
              {row.words}
              {areOff(row) ? <span className="soft"> (off)</span> : null}
            </dt>
            <dd>
              {row.keys.map((key, index) => (
                <span key={key}>
                  {index === 0 ? null : <span className="soft"> then </span>}
                  <kbd>{keyName(key)}</kbd>
                </span>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
