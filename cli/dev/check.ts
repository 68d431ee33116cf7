import { basename, resolve } from 'node:path'
import type { Check } from '../../src/contract/checks.ts'
import type { ErrorDetail } from '../../src/contract/common.ts'
import { countOf } from '../../src/contract/rules.ts'
import { HashCache } from '../deploying/hash-cache.ts'
import { tellSkipped } from '../deploying/sending.ts'
import type { Output } from '../output.ts'
import { DocsFolder } from './folder.ts'
import { openBuilder } from './site.ts'

const isOfTag = ({ rule }: ErrorDetail): boolean => rule === 'tag-unknown'

/** Builds a folder as a deploy would and keeps nothing of it: what there is to say of it. */
export async function checkHere(directory: string, output: Output): Promise<Check> {
  const folder = new DocsFolder(directory)
  const { stateDirectory } = output.environment
  const skipped = await folder.look({ hashes: () => new HashCache(stateDirectory, folder.directory) })
  tellSkipped(skipped, directory, output)
  output.redraw('checking')
  const builder = await openBuilder()
  try {
    const { errors, warnings, pages } = await builder.build({
      project: 'local',
      url: 'http://localhost',
      title: basename(resolve(directory)),
      source: folder.source(),
      earlier: null,
      has: () => false,
      blob: (blob) => Promise.reject(new Error(`there is no blob ${blob}`)),
      store: () => Promise.resolve(),
      trial: true,
    })
    // A folder has no tags, and nothing is wrong with that.
    const [unseen, told] = [warnings.filter(isOfTag), warnings.filter((warning) => !isOfTag(warning))]
    for (const { message } of unseen) output.note(output.paint('dim', message))
    return { errors: [...errors], warnings: told, counts: { errors: countOf(errors), warnings: countOf(told) }, pages }
  } finally {
    await builder.close()
  }
}
