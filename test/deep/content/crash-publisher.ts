import { Git } from '#content/git/git.ts'
import { Repositories } from '#content/repositories.ts'

/**
 * For ever saves on main and on a branch and publishes the branch, and prints each acknowledged commit. Garbage is
 * collected meanwhile. Argument: data directory.
 */
const [directory = ''] = process.argv.slice(2)
const repositories = new Repositories({ directory, git: new Git({ searchPath: process.env['PATH'] }) })
const repository = await repositories.open('docs')
const author = { name: 'Ada', email: 'ada@example.com' }
const main = 'refs/heads/main'
const run = `${Date.now()}`

async function save(ref: string, parent: string, path: string, content: string): Promise<string> {
  const changes = [{ path, content: Buffer.from(content) }]
  const { commit } = await repository.commitChanges({ parent, changes, author, message: content })
  await repository.updateRefs([{ ref, old: parent, new: commit }])
  process.stdout.write(`${commit}\n`)
  return commit
}

void (async () => {
  for (;;) await repository.maintain()
})()

for (let number = 0; ; number++) {
  const start = (await repository.resolveRef(main)) ?? ''
  const name = `refs/heads/b-${run}-${number}`
  await repository.updateRefs([{ ref: name, old: null, new: start }])
  const work = await save(name, start, `d${number % 7}/branch-${run}-${number}.mdx`, `${run} ${number} branch`)
  const moved = await save(main, start, `d${number % 7}/main-${run}-${number}.mdx`, `${run} ${number} main`)
  const { tree } = await repository.mergeTree(moved, work)
  if (tree === null) throw new Error('a conflict where there is none')
  const merge = await repository.commitTree({ tree, parents: [moved, work], author, message: 'Publish' })
  await repository.updateRefs([
    { ref: main, old: moved, new: merge },
    { ref: name, old: work, new: null },
  ])
  process.stdout.write(`${merge}\n`)
}
