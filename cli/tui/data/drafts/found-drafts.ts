import { elsewhereText, type DraftFiles, type DraftKey, type FoundDraft } from './draft-files.ts'

/** What is kept of a file on this machine. */
export interface FoundDrafts {
  /** Newest of those that nobody works on. */
  readonly ours: { readonly draft: FoundDraft; readonly text: string; readonly from: string } | undefined
  readonly others: readonly FoundDraft[]
  readonly notice?: string
}

/** Ours, else the newest draft that nobody works on, which becomes ours; the others stay where they are. */
export async function findDrafts(drafts: DraftFiles, mine: string, key: DraftKey): Promise<FoundDrafts> {
  const all = await drafts.of(key)
  const elsewhere = all.find((one) => one.elsewhere)
  let ours: FoundDrafts['ours']
  // Another one in the place of ours would take it away.
  for (const one of all.toSorted((a, b) => Number(b.instance === mine) - Number(a.instance === mine))) {
    if (one.elsewhere) continue
    const draft = await drafts.claim(one)
    const text = draft === undefined ? undefined : await drafts.text(draft)
    if (draft === undefined || text === undefined) continue
    ours = { draft, text, from: one.instance }
    break
  }
  const others = all.filter(({ instance }) => instance !== ours?.from)
  return { ours, others, ...(elsewhere === undefined ? {} : { notice: elsewhereText(elsewhere) }) }
}

/**
 * What is kept of a branch of the same name that is gone, and was made anew, goes on in this one.
 * @param isOpen somebody works on it in this UI
 */
export async function bringFromGone(
  drafts: DraftFiles,
  key: DraftKey & { readonly slug: string; readonly branch: string },
  isOpen: (key: DraftKey) => boolean,
): Promise<void> {
  const { slug, branch, branchId, path } = key
  for (const found of await drafts.ofPath(path)) {
    const { header, elsewhere } = found
    const isOfThis = header.slug === slug && header.branch === branch
    if (!isOfThis || header.branchId === branchId || elsewhere || isOpen(header)) continue
    // It was meant for the other branch: nothing is sent to this one unasked.
    await drafts.relocate(found, { ...header, branchId, waiting: false, sent: [] })
  }
}
