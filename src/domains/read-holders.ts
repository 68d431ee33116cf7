import { projectPrefix } from '../projects/document.ts'
import type { Store } from '../storage/store.ts'
import type { Holders, Holding } from './holders.ts'
import { nextLook, type DomainsDocument, type LossOfDomain, type StoredDomain } from './stored-domain.ts'

/** Null for a domain that is not verified. */
export function holdingOf(project: string, domain: Readonly<StoredDomain>): Holding | null {
  const { name, verifiedAt } = domain
  return verifiedAt === undefined ? null : { name, project, verifiedAt, lookAt: nextLook(domain) }
}

/** What a document calls verified and is not any more. */
export interface LostDomain {
  readonly project: string
  readonly name: string
  readonly fault: LossOfDomain
}

/**
 * Reads from the documents who has which domain. Of two projects in a backup, each of another moment, the later one has
 * it: the domain had been the other’s before.
 *
 * @param isAllowed whether a project can have a name: settings may have changed since.
 */
export async function readHolders(
  store: Pick<Store, 'list' | 'read' | 'setAside'>,
  holders: Holders,
  isAllowed: (name: string) => boolean,
): Promise<readonly LostDomain[]> {
  const lost: LostDomain[] = []
  const learn = (document: string, stored: Readonly<DomainsDocument> | undefined): void => {
    holders.choose(document.slice(projectPrefix.length), stored?.primaryDomain)
    for (const domain of stored?.domains ?? []) {
      const holding = holdingOf(document.slice(projectPrefix.length), domain)
      if (holding === null) continue
      if (!isAllowed(holding.name)) {
        lost.push({ ...holding, fault: 'own_name' })
        continue
      }
      const other = holders.holding(holding.name)
      const isLater = other === undefined || other.verifiedAt < holding.verifiedAt
      if (isLater) holders.put(holding)
      const loser = isLater ? other : holding
      if (loser !== undefined) lost.push({ ...loser, fault: 'moved' })
    }
  }
  for (const document of await store.list(projectPrefix)) learn(document, await store.read<DomainsDocument>(document))
  // Their sites are served on.
  for (const { document, previous } of store.setAside(projectPrefix))
    learn(document, previous as DomainsDocument | undefined)
  return lost
}
