import { Menu as Base } from '@base-ui/react/menu'
import type { LucideIcon } from 'lucide-react'
import { use, useEffect, useState, type ReactElement } from 'react'
import { Link } from 'react-router'
import { classes } from './classes.ts'
import { SessionEnded } from './session-ended.ts'
import css from './menu.module.css'

/** What a menu offers. The names of its actions are verbs. */
export type MenuEntry =
  | {
      readonly kind: 'action'
      readonly label: string
      readonly icon?: LucideIcon
      readonly danger?: boolean
      readonly disabled?: boolean
      readonly onSelect: () => void
    }
  | { readonly kind: 'link'; readonly label: string; readonly icon?: LucideIcon; readonly to: string }
  /** One of several, of which one holds. */
  | {
      readonly kind: 'choice'
      readonly label: string
      readonly value: string
      readonly options: readonly (readonly [value: string, label: string])[]
      readonly onChange: (value: string) => void
    }
  | { readonly kind: 'note'; readonly label: string }
  | { readonly kind: 'separator' }

export interface MenuProps {
  /** The button that opens it. */
  readonly trigger: ReactElement
  readonly entries: readonly MenuEntry[]
  readonly align?: 'start' | 'end'
}

/** A menu that opens when it appears. */
export function MenuPopup({ trigger, entries, align = 'end' }: MenuProps) {
  const hasEnded = use(SessionEnded)
  const [open, setOpen] = useState(false)
  useEffect(() => {
    // Not before the press that asked for it is over: to an open menu it is one beside it, which closes it.
    const frame = requestAnimationFrame(() => setOpen(true))
    return () => cancelAnimationFrame(frame)
  }, [])
  return (
    <Base.Root open={open && !hasEnded} onOpenChange={(next) => setOpen(next)} modal={false}>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner className={css['positioner']} align={align} sideOffset={6}>
          <Base.Popup className={css['popup']}>
            {entries.map((entry, index) => (
              <Entry key={'label' in entry ? entry.label : index} entry={entry} />
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

function Entry({ entry }: { readonly entry: MenuEntry }) {
  if (entry.kind === 'separator') return <Base.Separator className={css['separator']} />
  if (entry.kind === 'note') return <div className={css['note']}>{entry.label}</div>
  if (entry.kind === 'choice') return <Choice entry={entry} />
  const { icon: Icon, label } = entry
  const content = (
    <>
      {Icon && <Icon aria-hidden />}
      {label}
    </>
  )
  if (entry.kind === 'link') {
    return (
      <Base.Item className={css['item']} render={<Link to={entry.to} />}>
        {content}
      </Base.Item>
    )
  }
  return (
    <Base.Item
      className={classes(css['item'], entry.danger === true && css['danger'])}
      disabled={entry.disabled ?? false}
      onClick={entry.onSelect}
    >
      {content}
    </Base.Item>
  )
}

function Choice({ entry }: { readonly entry: MenuEntry & { readonly kind: 'choice' } }) {
  const { label, value, options, onChange } = entry
  return (
    <Base.RadioGroup value={value} onValueChange={(next: string) => onChange(next)} aria-label={label}>
      {options.map(([option, name]) => (
        <Base.RadioItem key={option} value={option} className={css['item']} closeOnClick>
          <span className={css['mark']} aria-hidden>
            {option === value ? '✓' : ''}
          </span>
          {name}
        </Base.RadioItem>
      ))}
    </Base.RadioGroup>
  )
}
