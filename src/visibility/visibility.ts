import { randomBytes } from 'node:crypto'
import { assertPassword, type Party, type Passwords } from '../access/passwords.ts'
import { hashToken, mintToken, newId } from '../access/tokens.ts'
import { Failure } from '../contract/failure.ts'
import {
  visibilityLimits,
  type NewShareLink,
  type ShareLink,
  type Visibility as ShownVisibility,
} from '../contract/visibility.ts'
import { noProject, projectDocument, projectPrefix } from '../projects/document.ts'
import type { Store } from '../storage/store.ts'
import { readGrant, signGrant, type Grant } from './grants.ts'
import type { StoredLink, StoredVisibility, VisibilityDocument } from './stored-visibility.ts'

export interface VisibilityOptions {
  readonly store: Store
  readonly passwords: Pick<Passwords, 'hash' | 'verify'>
  /** Whether an account is a member of a project, and signed in by that session. */
  readonly isMember: (project: string, account: string, session: string) => Promise<boolean>
  readonly now: () => Date
}

const dayMs = 24 * 60 * 60_000

/** A host of a project. */
export interface SiteHost {
  /** Id. */
  readonly project: string
  /** Label or domain. */
  readonly name: string
}

/** A grant as the reader’s browser keeps it. */
export interface SignedGrant {
  readonly text: string
  /** Seconds. */
  readonly lasts: number
}

/**
 * Which sites are not for everybody, and who may read those. All of it is in memory: for the site of any other project a
 * request costs one look. See README.md.
 */
export class Visibility {
  readonly #options: VisibilityOptions
  readonly #private = new Map<string, Readonly<StoredVisibility>>()

  constructor(options: VisibilityOptions) {
    this.#options = options
  }

  /** Reads which projects are private, before anything is served. */
  async load(): Promise<void> {
    const { store } = this.#options
    for (const name of await store.list(projectPrefix)) this.#learn(name, await store.read<VisibilityDocument>(name))
    // Their sites are served on.
    for (const { document, previous } of store.setAside(projectPrefix))
      this.#learn(document, previous as VisibilityDocument | undefined)
  }

  #learn(name: string, document: Readonly<VisibilityDocument> | undefined): void {
    this.#keep(name.slice(projectPrefix.length), document?.visibility)
  }

  /** Only memory is looked at. */
  isPrivate(project: string): boolean {
    return this.#private.has(project)
  }

  /** RFC 3339; undefined for a site that everybody sees. */
  privateSince(project: string): string | undefined {
    return this.#private.get(project)?.privateSince
  }

  /** What its owner sees. Throws Failure `not_found`. */
  async read(project: string): Promise<ShownVisibility> {
    const document = await this.#options.store.read<VisibilityDocument>(projectDocument(project))
    if (document === undefined) throw noProject(project)
    return this.#present(document.visibility)
  }

  /**
   * Closes the site, or opens it to everybody; what is so already stays as it is. With a site that is opened go its
   * password and links: they open nothing when it is closed again. Throws Failure `not_found`.
   */
  async set(project: string, visibility: ShownVisibility['visibility']): Promise<ShownVisibility> {
    const stored = await this.#change(project, (document) => {
      if (visibility === 'public') delete document.visibility
      else
        document.visibility ??= {
          privateSince: this.#options.now().toISOString(),
          key: randomBytes(32).toString('base64url'),
        }
    })
    // Should the document be damaged, the site is served by the version before: that one has to say it, too.
    if (visibility === 'private') await this.#change(project, () => undefined)
    return this.#present(stored)
  }

  /**
   * Gives the site another password. Who came in by the one before has to enter this one.
   * Throws Failure `invalid_request` where the site is public, or for a password that is too short; `not_found`.
   *
   * @param party who sets it, for the turn of the hash.
   */
  async setPassword(project: string, password: string, party: Party): Promise<ShownVisibility> {
    assertPassword(password)
    this.#requirePrivate(project)
    const hash = await this.#options.passwords.hash(password, party)
    const setAt = this.#options.now().toISOString()
    const stored = await this.#changePrivate(project, (visibility) => {
      visibility.password = { id: newId('pwd'), hash, setAt }
    })
    return this.#present(stored)
  }

  /** Nobody comes in by a password any more. Throws Failure `invalid_request` where the site is public, `not_found`. */
  async removePassword(project: string): Promise<void> {
    await this.#changePrivate(project, (visibility) => {
      delete visibility.password
    })
  }

  /**
   * Makes a link that lets in whoever has it. Its token is in the answer alone.
   * Throws Failure `invalid_request` where the site is public, when it expires in the past, when there are too many.
   */
  async createLink(
    project: string,
    { name, expiresAt }: NewShareLink,
  ): Promise<{ readonly link: ShareLink; readonly token: string }> {
    const now = this.#options.now()
    if (expiresAt !== undefined && Date.parse(expiresAt) <= now.getTime())
      throw new Failure('invalid_request', 'A link cannot expire in the past.', {
        hint: 'Leave `expiresAt` out for a link that does not expire.',
        errors: [{ pointer: '/expiresAt', message: 'is not in the future' }],
      })
    const token = mintToken('share')
    const link: StoredLink = {
      id: newId('shr'),
      name,
      token_hash: hashToken(token),
      createdAt: now.toISOString(),
      ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
    }
    await this.#changePrivate(project, (visibility) => {
      const links = (visibility.links ??= [])
      if (links.length >= visibilityLimits.links)
        throw new Failure('invalid_request', `The site has ${links.length} share links, which is the most.`, {
          hint: 'Revoke links that are not in use.',
        })
      links.push(link)
    })
    return { link: presentLink(link), token }
  }

  /** Whoever came in by the link is let in no more. Throws Failure `not_found`. Returns its name. */
  async revokeLink(project: string, id: string): Promise<string> {
    let name = ''
    await this.#changePrivate(project, ({ links = [] }) => {
      const index = links.findIndex((link) => link.id === id)
      const [link] = index === -1 ? [] : links.splice(index, 1)
      if (link === undefined) throw new Failure('not_found', `The site has no share link ${id}.`)
      name = link.name
    })
    return name
  }

  /** The project is gone, with its document. */
  removed(project: string): void {
    this.#private.delete(project)
  }

  hasPassword(project: string): boolean {
    return this.#private.get(project)?.password !== undefined
  }

  /** The grant of a share link’s token; null for any other text. */
  byLink(project: string, token: string): Grant | null {
    const hash = hashToken(token)
    const link = this.#private.get(project)?.links?.find((candidate) => candidate.token_hash === hash)
    return link === undefined || this.#hasExpired(link) ? null : { kind: 'link', id: link.id }
  }

  /** The grant of the right password; null for any other one. Throws Failure `rate_limited` when too many wait. */
  async byPassword(project: string, password: string, party: Party): Promise<Grant | null> {
    const stored = this.#private.get(project)?.password
    if (stored === undefined) return null
    return (await this.#options.passwords.verify(password, stored.hash, party))
      ? { kind: 'password', id: stored.id }
      : null
  }

  /** A grant for the reader’s browser; null where the site is public. */
  sign({ project, name }: SiteHost, grant: Grant): SignedGrant | null {
    const stored = this.#private.get(project)
    if (stored === undefined) return null
    const now = this.#options.now().getTime()
    const link = grant.kind === 'link' ? stored.links?.find(({ id }) => id === grant.id) : undefined
    const expiresAt = Math.min(now + visibilityLimits.grantDays * dayMs, ...endOf(link))
    const text = signGrant({ grant, expiresAt }, { project, name, key: stored.key })
    return { text, lasts: Math.floor((expiresAt - now) / 1000) }
  }

  /**
   * Whether what a browser keeps lets it read the site on that host now: the link, the password, the membership and the session that
   * it came in by are still there. Of members that is a promise.
   */
  isGranted({ project, name }: SiteHost, text: string): boolean | Promise<boolean> {
    const stored = this.#private.get(project)
    if (stored === undefined) return true
    const grant = readGrant(text, { project, name, key: stored.key }, this.#options.now())
    if (grant === null) return false
    if (grant.kind === 'password') return stored.password?.id === grant.id
    if (grant.kind === 'member') return this.#options.isMember(project, grant.account, grant.session)
    const link = stored.links?.find(({ id }) => id === grant.id)
    return link !== undefined && !this.#hasExpired(link)
  }

  #hasExpired({ expiresAt }: Readonly<StoredLink>): boolean {
    return expiresAt !== undefined && Date.parse(expiresAt) <= this.#options.now().getTime()
  }

  #present(stored: Readonly<StoredVisibility> | undefined): ShownVisibility {
    if (stored === undefined) return { visibility: 'public', links: [] }
    const { privateSince, password, links = [] } = stored
    return {
      visibility: 'private',
      privateSince,
      ...(password === undefined ? {} : { passwordSetAt: password.setAt }),
      links: links.map((link) => presentLink(link)).toReversed(),
    }
  }

  #requirePrivate(project: string): void {
    if (!this.#private.has(project)) throw isPublic()
  }

  #changePrivate(
    project: string,
    change: (visibility: StoredVisibility) => void,
  ): Promise<Readonly<StoredVisibility> | undefined> {
    return this.#change(project, ({ visibility }) => {
      if (visibility === undefined) throw isPublic()
      change(visibility)
    })
  }

  /** What is on disk is what holds from then on. */
  async #change(
    project: string,
    change: (document: VisibilityDocument) => void,
  ): Promise<Readonly<StoredVisibility> | undefined> {
    const stored = await this.#options.store.mutate<VisibilityDocument, StoredVisibility | undefined>(
      projectDocument(project),
      (draft) => {
        if (draft === undefined) throw noProject(project)
        change(draft)
        return { document: draft, result: draft.visibility }
      },
    )
    this.#keep(project, stored)
    return stored
  }

  #keep(project: string, stored: Readonly<StoredVisibility> | undefined): void {
    if (stored === undefined) this.#private.delete(project)
    else this.#private.set(project, stored)
  }
}

function endOf(link: Readonly<StoredLink> | undefined): number[] {
  return link?.expiresAt === undefined ? [] : [Date.parse(link.expiresAt)]
}

function presentLink({ token_hash: _hash, ...link }: Readonly<StoredLink>): ShareLink {
  return link
}

function isPublic(): Failure {
  return new Failure('invalid_request', 'Everybody sees this site: it needs neither password nor links.', {
    hint: 'Make it private first.',
  })
}
