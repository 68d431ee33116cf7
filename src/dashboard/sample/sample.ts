import { withName } from '../../authoring/starter.ts'
import type { DeployFile } from '../../contract/deploys.ts'

/** By path: the pages that `quire init` writes, too. */
const sources = import.meta.glob<string>('../../authoring/starter/**/*', {
  query: '?raw',
  import: 'default',
  eager: true,
})

/** The files of a small site that a new project can begin with, with the project’s title. They are the project’s own then. */
export function sampleFiles(title: string): DeployFile[] {
  return Object.entries(sources).map(([source, content]) => {
    const path = source.slice('../../authoring/starter/'.length)
    return { path, content: path === 'docs.json' ? withName(content, title) : content }
  })
}
