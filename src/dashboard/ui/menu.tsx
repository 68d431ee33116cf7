import { lazy, Suspense, useState } from 'react'
import type { MenuProps } from './menu-popup.tsx'

export type { MenuEntry } from './menu-popup.tsx'

/** Fetches the code of menus, before the first one opens. */
export const loadMenus = () => import('./menu-popup.tsx')
const MenuPopup = lazy(() => loadMenus().then((module) => ({ default: module.MenuPopup })))

/** A button with a menu, whose code comes when somebody is about to open the first. */
export function Menu(props: MenuProps) {
  const [asked, setAsked] = useState(false)
  const closed = (
    <span
      style={{ display: 'contents' }}
      onPointerEnter={() => void loadMenus()}
      onFocus={() => void loadMenus()}
      onClick={() => setAsked(true)}
    >
      {props.trigger}
    </span>
  )
  if (!asked) return closed
  return (
    <Suspense fallback={closed}>
      <MenuPopup {...props} />
    </Suspense>
  )
}
