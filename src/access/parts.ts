import type { Projects } from '../projects/projects.ts'
import { roleOf } from './principal.ts'

/** A project in which an account has a part. */
export interface Part {
  readonly id: string
  readonly slug: string
}

interface Parts {
  readonly owned: readonly Part[]
  readonly written: readonly Part[]
}

/**
 * The projects that an account owns and those that it writes, by their slugs. Of a project whose document cannot be read
 * only the owner is known.
 */
export async function partsOf(
  projects: Pick<Projects, 'ids' | 'find' | 'isSetAside' | 'ownerOf' | 'slugOf'>,
  account: string,
): Promise<Parts> {
  const parts = { owned: [] as Part[], written: [] as Part[] }
  for (const id of await projects.ids()) {
    const isSetAside = projects.isSetAside(id)
    const project = isSetAside ? { owner: projects.ownerOf(id), writers: [] } : await projects.find(id)
    const role = project === null ? null : roleOf(account, project)
    if (role === null) continue
    parts[role === 'owner' ? 'owned' : 'written'].push({ id, slug: projects.slugOf(id) })
  }
  const bySlug = (one: Part, other: Part): number => (one.slug < other.slug ? -1 : 1)
  return { owned: parts.owned.sort(bySlug), written: parts.written.sort(bySlug) }
}
