import type { DeployFile } from '../../contract/deploys.ts'

/** By path in this folder. */
const sources = import.meta.glob<string>('./files/**/*', { query: '?raw', import: 'default', eager: true })

/** The files of a small site that a new project can begin with, with the project’s title. They are the project’s own then. */
export function sampleFiles(title: string): DeployFile[] {
  return Object.entries(sources).map(([source, content]) => {
    const path = source.slice('./files/'.length)
    return { path, content: path === 'docs.json' ? withName(content, title) : content }
  })
}

function withName(config: string, name: string): string {
  return `${JSON.stringify({ ...(JSON.parse(config) as object), name }, null, 2)}\n`
}
