import type { FindBar } from './find-bar.ts'
import type { EditorOptions } from './options.ts'
import type { Page } from './page.ts'

/** What the commands of the editor act on. */
export interface Acting {
  readonly options: EditorOptions
  readonly page: Page
  readonly find: FindBar | undefined
  readonly isFinding: boolean
  readonly isPreviewing: boolean
  readonly openFind: (isReplacing: boolean) => void
  readonly closeFind: () => void
  readonly togglePreview: () => void
  readonly save: () => Promise<void>
  readonly merge: () => Promise<void>
}
