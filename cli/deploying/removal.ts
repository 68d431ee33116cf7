import { isPage } from '../../src/authoring/page-paths.ts'
import { exitCodes, Failure } from '../../src/contract/failure.ts'
import type { LocalFile } from './files.ts'
import type { MainFiles } from './main-memory.ts'
import { count, type Output } from '../output.ts'
import { ask } from '../terminal.ts'

/** What a deploy takes away. */
export interface Removal {
  /** Paths of pages, and of other files. */
  readonly pages: readonly string[]
  readonly others: readonly string[]
  /** Pages before and after it. */
  readonly live: number
  readonly left: number
}

/** So many pages make a site; of fewer, most may go without a question. */
const fewPages = 5
const listedPaths = 10

export function removalOf(files: readonly LocalFile[], main: MainFiles): Removal {
  // As the service has paths.
  const stays = new Set(files.map(({ path }) => path.normalize('NFC')))
  const before = [...main.files.keys()]
  const gone = before.filter((path) => !stays.has(path.normalize('NFC'))).sort()
  return {
    pages: gone.filter(isPage),
    others: gone.filter((path) => !isPage(path)),
    live: before.filter(isPage).length,
    left: files.filter(({ path }) => isPage(path)).length,
  }
}

/** More than half of a site: what somebody does who named the wrong folder. */
export function isMuch({ pages, live }: Removal): boolean {
  return live >= fewPages && pages.length * 2 > live
}

/** Pages first, and not more than anybody reads. */
export function tellRemoval({ pages, others }: Removal, output: Output): void {
  const gone = [...pages, ...others]
  for (const path of gone.slice(0, listedPaths)) output.note(`${output.paint('red', 'removes')}  ${path}`)
  if (gone.length > listedPaths) {
    const more = gone.length - listedPaths
    output.note(`… and ${count(more, 'more file')}${output.json ? '' : '; quire deploy --dry-run lists all'}`)
  }
}

/**
 * Whether what goes away may go: asks on a terminal where it is much; elsewhere `--yes` or the setting must have said so.
 * @throws Failure invalid_request that names them.
 */
export async function mayRemove(
  removal: Removal,
  options: { readonly yes?: boolean | undefined },
  output: Output,
): Promise<boolean> {
  if (!output.json) tellRemoval(removal, output)
  if (!isMuch(removal) || options.yes === true || output.environment.allowsRemoval) return true
  const what = `${removal.pages.length} of the ${removal.live} live pages would go away: the folder has ${count(removal.left, 'page')}.`
  if (output.environment.interactive) {
    output.note(output.paint('yellow', what))
    const answer = await ask('Deploy it all the same? (yes/no) ')
    return answer === 'yes' || answer === 'y'
  }
  throw new Failure('invalid_request', what, {
    hint: 'Nothing was sent. Name the folder with all of the docs; or say that they shall go: --yes, or QUIRE_ALLOW_REMOVAL=1 in the environment.',
    extra: { removed: [...removal.pages, ...removal.others] },
  })
}

/** Of who was asked and did not want it. */
export function keptAsIs(output: Output): number {
  output.note('Nothing was sent; the site stays as it is.')
  return exitCodes.failed
}
