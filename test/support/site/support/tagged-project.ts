import type { BuildResult, SourceTag } from '#site/builder.ts'
import { oidOf, TestProject, type Files } from './project.ts'

export interface Tag {
  readonly commit: string
  readonly files: Files
}

/** A project with tags; `listed` has a commit each time that its files were asked for. */
export class TaggedProject extends TestProject {
  readonly listed: string[] = []
  /** Of the project itself, where a build names none. */
  files: Files = {}

  with(tags: Readonly<Record<string, Tag | undefined>>, files = this.files): Promise<BuildResult> {
    const all = [files, ...Object.values(tags).map((tag) => tag?.files ?? {})]
    const contents = new Map(
      all.flatMap((some) => Object.values(some).map((content) => [oidOf(content), Buffer.from(content)] as const)),
    )
    const oids = (some: Files) => new Map(Object.entries(some).map(([path, content]) => [path, oidOf(content)]))
    this.listed.length = 0
    const find = (name: string): SourceTag | null | undefined => {
      if (!Object.hasOwn(tags, name)) return null
      const tag = tags[name]
      return (
        tag && {
          commit: tag.commit,
          files: async () => {
            this.listed.push(tag.commit)
            return oids(tag.files)
          },
        }
      )
    }
    const read = async (oid: string) => {
      this.reads.push(oid)
      return contents.get(oid) ?? Promise.reject(new Error(`no blob ${oid}`))
    }
    return this.buildFrom(oids(files), contents, {
      source: { files: oids(files), read, tag: (name) => Promise.resolve(find(name)) },
    })
  }
}
