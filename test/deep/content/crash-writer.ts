import { Git } from '#content/git/git.ts'
import { Repositories } from '#content/repositories.ts'

/** Deploys for ever and prints the number of each deploy once it is acknowledged. Argument: data directory. */
const [directory = ''] = process.argv.slice(2)
const repositories = new Repositories({ directory, git: new Git({ searchPath: process.env['PATH'] }) })
const repository = await repositories.open('docs')
const author = { name: 'Ada', email: 'ada@example.com' }

for (let number = (await repository.listRefs('refs/deploys/')).size + 1; ; number++) {
  const parent = await repository.resolveRef('refs/heads/main')
  // In turns few objects, which are written loose, and many, which become a pack.
  const count = number % 3 === 0 ? 60 : 2
  const files = Array.from({ length: count }, (_, i) => ({
    path: `d${i % 5}/p${i}.mdx`,
    content: Buffer.from(`${number} ${i}`),
  }))
  const { commit } = await repository.replaceTree({ files, parent, author, message: `${number}` })
  await repository.updateRefs([
    { ref: 'refs/heads/main', old: parent, new: commit },
    { ref: `refs/deploys/${number}`, old: null, new: commit },
  ])
  process.stdout.write(`${number} ${commit}\n`)
}
