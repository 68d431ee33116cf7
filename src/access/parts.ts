import type { Projects } from '../projects/projects.ts'
import { eachInTurns } from '../lib/slices.ts'

type ReadProjects = Pick<Projects, 'ids' | 'find' | 'isSetAside' | 'ownerOf' | 'slugOf'>

/** A project in which an account has a part. */
export interface Part {
  readonly id: string
  readonly slug: string
}

export interface Parts {
  readonly owned: readonly Part[]
  readonly written: readonly Part[]
}

/**
 * The projects that an account owns and those that it writes, by their slugs. Of a project whose document cannot be read
 * only the owner is known.
 */
export async function partsOf(projects: ReadProjects, account: string): Promise<Parts> {
  return (await allParts(projects, (each) => each === account)).get(account) ?? { owned: [], written: [] }
}

/** As `partsOf`, of all accounts that have a part, or of some of them. */
export async function allParts(
  projects: ReadProjects,
  isMeant: (account: string) => boolean = () => true,
): Promise<ReadonlyMap<string, Parts>> {
  const parts = new Map<string, { readonly owned: Part[]; readonly written: Part[] }>()
  const note = (account: string, role: keyof Parts, part: Part): void => {
    if (!isMeant(account)) return
    const its = parts.get(account) ?? { owned: [], written: [] }
    its[role].push(part)
    parts.set(account, its)
  }
  await eachInTurns(await projects.ids(), async (id) => {
    const isSetAside = projects.isSetAside(id)
    const project = isSetAside ? { owner: projects.ownerOf(id), writers: [] } : await projects.find(id)
    if (project === null) return
    const part = { id, slug: projects.slugOf(id) }
    note(project.owner, 'owned', part)
    for (const writer of project.writers) note(writer, 'written', part)
  })
  const bySlug = (one: Part, other: Part): number => (one.slug < other.slug ? -1 : 1)
  for (const { owned, written } of parts.values()) {
    owned.sort(bySlug)
    written.sort(bySlug)
  }
  return parts
}
