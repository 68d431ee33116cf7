import type { MergePiece } from '#authoring/merge.ts'
import type { PieceDecision } from '#authoring/merge-pieces.ts'
import type { BranchFile } from './branch-file.ts'
import type { FileDraftStore } from '../../drafts/kept-draft.ts'
import type { Version } from './versions.ts'

export interface OpenFileOptions {
  readonly path: string
  readonly drafts: FileDraftStore
  readonly readOnly: boolean
  /** Where everybody has it. */
  readonly branch: Pick<BranchFile, 'read' | 'save' | 'author'>
}

/** Lines that two people changed in different ways; none, where there is only something written for such lines. */
export interface EditConflict {
  readonly pieces: readonly MergePiece[]
  readonly theirs: Version
  readonly who: string
  /** By name of the piece; also of pieces that are others since one side was saved once more. */
  readonly decisions: readonly PieceDecision[]
}

export interface OpenFileState {
  /** `changed`: differs from what is on the branch. `deleted`: it is not there any more, and nobody wrote in it here. */
  readonly status: 'saved' | 'deleted' | 'changed' | 'saving' | 'conflict'
  /** Whether what differs is in this browser, and survives a closed tab; `no`: the browser refused it. */
  readonly kept: 'yes' | 'soon' | 'no'
  /** Why the last save did not happen. */
  readonly problem?: unknown
  /** What came of somebody else’s save. */
  readonly news?: string
  readonly conflict?: EditConflict
}

/** Where the text is edited. */
export interface TextPort {
  text(): string
  /** With as few changes as it takes: the cursor stays where it is in the text. */
  replace(text: string): void
  /** The same as if it were typed: the keyboard takes it back, too. */
  write(text: string): void
}

export const inTwoTabs = 'This file is open in another tab of yours, too. What you write in one is in both.'

export const wroteInBoth = 'You wrote in two tabs at the same time. What you wrote in both is in the text.'

export const sameLines = (who: string, { oid }: Version): string =>
  `${who} ${oid === null ? 'deleted this file' : 'changed lines that you changed, too'}. Write on: saving asks which stay.`

export const savedAgain = (who: string): string =>
  `${who} saved this file once more. What you decided stands where the lines are the same.`

/** A state of which whoever shows it hears. */
export class ObservableState {
  readonly #listeners = new Set<() => void>()
  #state: OpenFileState

  constructor(state: OpenFileState) {
    this.#state = state
  }

  get state(): OpenFileState {
    return this.#state
  }

  /** @returns ends it */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  dismissNews(): void {
    const { news: _news, ...state } = this.#state
    this.become(state)
  }

  become(state: OpenFileState): void {
    this.#state = state
    for (const listener of this.#listeners) listener()
  }

  /** Until the browser keeps something again, it is said that it does not. */
  get soon(): OpenFileState['kept'] {
    return this.#state.kept === 'no' ? 'no' : 'soon'
  }

  /** Nothing of it is here alone. */
  get isSettled(): boolean {
    return this.#state.status === 'saved' || this.#state.status === 'deleted'
  }
}
