import { useSyncExternalStore } from 'react'
import { storedText, storeText } from '../local-storage.ts'
import { useSearchParam } from './search-params.ts'

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
  const [asked = storedText(key), setAsked] = useSearchParam('layout')
  const isWide = useSyncExternalStore(subscribe, () => wide.matches)
  return {
    layout: isWide && asked === 'split' ? 'split' : 'unified',
    isWide,
    choose: (layout) => {
      storeText(key, layout)
      setAsked(layout, { replace: true })
    },
  }
}
