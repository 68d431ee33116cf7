import { mergeTexts, type MergePiece } from '#authoring/merge.ts'
import { mergedText, pieceNames, type Choice, type ConflictPiece } from '#authoring/merge-pieces.ts'
import type { EntryWords } from '../../drafts/entry-words.ts'

/** One line of an entry that cannot be joined: one side of it stays. */
export type Line = 'title' | 'version'

/** A place where two people wrote different things. */
export interface EntryPiece {
  /** Stays the same while both sides do. */
  readonly name: string
  readonly of: Line | 'content'
  readonly piece: ConflictPiece
}

export interface EntryMerge {
  readonly conflicts: readonly EntryPiece[]
  /** @param choices by name. @returns undefined while something is not decided */
  readonly joined: (choices: ReadonlyMap<string, Choice>) => EntryWords | undefined
}

/**
 * Puts together what two people made of one entry. What only one of them changed is as they have it.
 * @param base what both began from; undefined: nobody knows any more
 */
export function mergeEntries(base: EntryWords | undefined, mine: EntryWords, theirs: EntryWords): EntryMerge {
  const lines = (['title', 'version'] as const).map((name) => {
    const line = mergeTexts(base?.[name], mine[name], theirs[name])
    return { name, pieces: line }
  })
  const text = mergeTexts(base?.content, mine.content, theirs.content)
  const conflicts = [
    ...lines.flatMap(({ name, pieces }) => conflictsOf(pieces).map((piece) => ({ name, of: name, piece }) as const)),
    ...named(conflictsOf(text)).map(({ name, piece }) => ({ name, of: 'content', piece }) as const),
  ]
  return {
    conflicts,
    joined: (choices) => {
      const of = (part: EntryPiece['of'], pieces: readonly MergePiece[]): string | undefined =>
        mergedText(
          pieces,
          conflicts.filter((one) => one.of === part).map(({ name }) => choices.get(name)),
        )
      const [title, version] = lines.map(({ name, pieces }) => of(name, pieces))
      const content = of('content', text)
      if (title === undefined || version === undefined || content === undefined) return undefined
      return {
        title,
        version,
        tags: joinedTags(base?.tags ?? [], mine.tags, theirs.tags),
        newTag: mine.newTag,
        content,
      }
    },
  }
}

function conflictsOf(pieces: readonly MergePiece[]): readonly ConflictPiece[] {
  return pieces.filter((piece) => piece.kind === 'conflict')
}

function named(pieces: readonly ConflictPiece[]) {
  const names = pieceNames(pieces)
  return pieces.map((piece, index) => ({ name: `text ${names[index] ?? ''}`, piece }))
}

/** Theirs, with those that this side added and without those that it took away. */
function joinedTags(base: readonly string[], mine: readonly string[], theirs: readonly string[]): readonly string[] {
  const kept = theirs.filter((tag) => mine.includes(tag) || !base.includes(tag))
  return [...kept, ...mine.filter((tag) => !kept.includes(tag) && !base.includes(tag))]
}
