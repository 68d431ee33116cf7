import type { Check } from '../../src/contract/checks.ts'
import { isDeadLink, unlink } from './links.ts'
import { updateDocsJson } from './docs-json.ts'
import { textHash } from './lock.ts'
import type { OutputFolder } from './output-folder.ts'
import { fileOf, hrefOf, pagesOf, type SitePlan } from './plan.ts'
import type { SiteCheck } from './site-check.ts'
import type { State } from './state.ts'

interface Output {
  readonly plan: SitePlan
  /** Of the site, when docs.json is made. */
  readonly name: string
  readonly state: State
  readonly folder: OutputFolder
}

/**
 * Brings docs.json up to date with the pages that are there, and takes away those that have left the plan; what somebody
 * changed of them stays, and is theirs.
 */
export async function settleNavigation({ plan, name, state, folder }: Output): Promise<{
  readonly removed: readonly string[]
  /** Pages that have left the plan and stay. */
  readonly released: readonly string[]
  readonly changed: boolean
}> {
  const { lock } = state
  const planned = pagesOf(plan)
  const texts = new Map<string, string | undefined>()
  for (const path of Object.keys(lock.pages)) texts.set(path, await state.textOf(path))
  const there = planned.filter(({ path }) => texts.get(path) !== undefined)
  const leaving = Object.keys(lock.pages).filter((path) => !planned.some((page) => page.path === path))
  const isEdited = (path: string): boolean => textHash(texts.get(path) ?? '') !== lock.pages[path]?.hash
  const released = leaving.filter((path) => texts.get(path) !== undefined && isEdited(path))
  const removed = leaving.filter((path) => !released.includes(path))

  const placed = new Map<string, readonly string[]>()
  for (const [path, page] of Object.entries(lock.pages))
    if (page.placed !== undefined && !released.includes(path)) placed.set(path, page.placed)
  const before = await folder.read('docs.json')
  const after = updateDocsJson(before, { name, pages: there, placed })
  const changed = after !== before
  if (changed && (before !== undefined || there.length > 0)) await folder.write('docs.json', after)

  for (const page of planned) {
    const known = lock.pages[page.path]
    if (known === undefined) continue
    // One that was deleted has left navigation, too: when it comes back it is put there again.
    const { placed: _placed, ...rest } = known
    lock.pages[page.path] = there.includes(page) ? { ...rest, placed: [...page.groups] } : rest
  }
  for (const path of removed) await folder.remove(fileOf(path))
  for (const path of leaving) delete lock.pages[path]
  lock.removed = [...new Set([...lock.removed, ...removed])]
  await state.save()
  return { removed, released, changed }
}

/** Mending a link can show another one, as in the words of the first. */
const maxRounds = 3

/**
 * Checks the whole output, and makes plain words of links in our pages that lead nowhere: to pages that could not be
 * written, or that are gone.
 */
export async function checkOutput(
  check: SiteCheck,
  { plan, state }: Output,
): Promise<{
  readonly check: Check
  /** Pages with links that were mended. */
  readonly mended: readonly string[]
}> {
  const hrefs = new Set<string>()
  for (const { path } of pagesOf(plan)) if ((await state.textOf(path)) !== undefined) hrefs.add(hrefOf(path))
  const mended = new Set<string>()
  for (let round = 1; ; round++) {
    const result = await check.check(new Map())
    let again = false
    for (const [path, known] of Object.entries(state.lock.pages)) {
      const warnings = result.warnings.filter((detail) => detail.path === fileOf(path) && isDeadLink(detail))
      const text = warnings.length === 0 ? undefined : await state.textOf(path)
      if (text === undefined || textHash(text) !== known.hash) continue
      const changed = unlink(text, warnings, (href) => hrefs.has(href))
      if (changed.mended === 0) continue
      await state.writePage(path, changed.text, known)
      mended.add(path)
      again = true
    }
    if (!again || round === maxRounds) return { check: result, mended: [...mended] }
  }
}
