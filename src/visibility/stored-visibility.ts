/** What a project that is not for everybody keeps in its document. */
export interface StoredVisibility {
  /** RFC 3339. */
  privateSince: string
  /** 32 random bytes, base64url: what grants are signed with. A project that becomes private again has another one. */
  key: string
  password?: StoredSitePassword
  /** Newest last. */
  links?: StoredLink[]
}

export interface StoredSitePassword {
  /** Of this password alone: grants name it, and so end with it. */
  id: string
  /** As `access/passwords.ts` makes it. */
  hash: string
  /** RFC 3339. */
  setAt: string
}

/** A share link. Its token is nowhere. */
export interface StoredLink {
  id: string
  name: string
  /** SHA-256 of the token, hex. */
  token_hash: string
  createdAt: string
  expiresAt?: string
}

/** The document of a project, as this room knows it. */
export interface VisibilityDocument {
  /** Absent: everybody sees the site. */
  visibility?: StoredVisibility
}
