import { contract } from '#contract/index.ts'
import type { DashboardTest, Person, Size } from './dashboard.ts'

/** One pixel, red. */
const red = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=='

const live = [
  { path: 'index.mdx', content: '# Home\n\nWelcome to the docs.\n' },
  { path: 'guides/install.mdx', content: '# Install\n\nRun npm install quire.\n\nThen begin.\n' },
  { path: 'guides/old.mdx', content: '# Old\n\nNobody reads this.\n' },
]

export interface BranchWriter extends Person {
  /** Id of the branch. */
  readonly branch: string
}

/** Somebody whose project is live, with a branch `new-guide` on which files were changed. @param name also the slug */
export async function branchWriter(dashboard: DashboardTest, name: string, size: Size): Promise<BranchWriter> {
  const person = await dashboard.person(name, size)
  await person.client.call(contract.projects.create, { body: { slug: name, title: 'Handbook' } })
  await person.client.call(contract.deploys.create, { query: { project: name }, body: { files: live } })
  const { id } = await person.client.call(contract.branches.create, {
    params: { slug: name },
    body: { name: 'new-guide' },
  })
  await person.client.call(contract.branches.commit, {
    params: { slug: name, id },
    body: {
      message: 'Say how to install it with pnpm',
      changes: [
        { path: 'guides/install.mdx', content: '# Install\n\nRun pnpm install quire.\n\nThen begin.\n' },
        { path: 'guides/start.mdx', content: '# Start\n' },
        { path: 'guides/old.mdx', content: null },
      ],
    },
  })
  await person.client.call(contract.branches.commit, {
    params: { slug: name, id },
    body: { message: 'Add a logo', changes: [{ path: 'images/logo.png', content: red, encoding: 'base64' }] },
  })
  return Object.assign(person, { branch: id })
}

/** Main moves on in a way that clashes with the branch in `guides/install.mdx`, `guides/old.mdx` and the logo. */
export async function moveMain({ client }: Person, slug: string, command = 'yarn add'): Promise<void> {
  const files = [
    ...live.filter(({ path }) => path === 'index.mdx'),
    { path: 'guides/install.mdx', content: `# Install\n\nRun ${command} quire.\n\nThen begin.\n` },
    { path: 'guides/old.mdx', content: '# Old\n\nSomebody does read this.\n' },
  ]
  await client.call(contract.deploys.create, { query: { project: slug }, body: { files } })
}
