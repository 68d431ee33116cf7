import { useSyncExternalStore } from 'react'
import { useSearchParams } from 'react-router'
import { storeText } from '../local-storage.ts'

/** One under the other, or both sides beside each other. */
export type DiffLayout = 'unified' | 'split'

const key = 'quire-diff-layout'
const wide = matchMedia('(min-width: 60rem)')

function subscribe(changed: () => void): () => void {
  wide.addEventListener('change', changed)
  return () => wide.removeEventListener('change', changed)
}

interface Layout {
  readonly layout: DiffLayout
  /** There is room for two sides: else there is nothing to choose. */
  readonly isWide: boolean
  readonly choose: (layout: DiffLayout) => void
}

/** How diffs are shown: as the address says (`?layout=split`), else as it was chosen last in this browser. */
export function useDiffLayout(): Layout {
  const [search, setSearch] = useSearchParams()
  const isWide = useSyncExternalStore(subscribe, () => wide.matches)
  const asked = search.get('layout') ?? localStorage.getItem(key)
  return {
    layout: isWide && asked === 'split' ? 'split' : 'unified',
    isWide,
    choose: (layout) => {
      storeText(key, layout)
      setSearch(
        (before) => {
          before.set('layout', layout)
          return before
        },
        { replace: true, preventScrollReset: true },
      )
    },
  }
}
