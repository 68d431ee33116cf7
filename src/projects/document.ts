import { Failure } from '../contract/failure.ts'
import type { Role } from '../contract/members.ts'
import type { OnError } from '../contract/projects.ts'

/**
 * The document of a project, as far as this room knows it. Other rooms have members of their own (`deploying`, `keys`),
 * which nothing here touches.
 */
export interface ProjectDocument {
  slug: string
  title: string
  /** Account id. */
  owner: string
  /** When the owner came to the project; absent where they made it. */
  ownerSince?: string
  /** Writers; absent in documents from before there were any. */
  members?: StoredMember[]
  /** To become a writer or the owner, newest last; absent where there never was one. */
  invitations?: StoredInvitation[]
  createdAt: string
  /** The slugs that it had before, the oldest first; absent where it was never renamed. */
  formerSlugs?: FormerSlug[]
  /** Absent: `refuse`. */
  onError?: OnError
  /** By the operator; absent where it is not: nobody but its members sees it, and nothing of it changes. */
  suspended?: Suspension
  /** Not all rooms have made their part yet: it is not there for anybody, and a start undoes it. */
  creating?: true
}

/** Since when a project is suspended, and why. */
export interface Suspension {
  /** RFC 3339. */
  since: string
  /** For its members alone. */
  reason?: string
}

export interface StoredMember {
  /** Account id. */
  account: string
  addedAt: string
}

export interface StoredInvitation {
  id: string
  /** Normalised. */
  email: string
  role: Role
  /** SHA-256 of the code, hex. */
  code_hash: string
  createdAt: string
  expiresAt: string
}

export interface FormerSlug {
  slug: string
  /** When the project left it, RFC 3339. */
  since: string
}

/** Of the names of projects' documents. */
export const projectPrefix = 'project/'

/** Name of a project's document. */
export function projectDocument(id: string): string {
  return projectPrefix + id
}

/** What to say when a project is not there. */
export function noProject(slug: string): Failure {
  return new Failure('not_found', `There is no project ${slug}.`)
}
