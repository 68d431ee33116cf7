import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { AccountRecords } from '../access/account-records.ts'
import { AccountRemoval } from '../access/account-removal.ts'
import { Accounts } from '../access/accounts.ts'
import { Devices } from '../access/devices.ts'
import { EmailChanges } from '../access/email-changes.ts'
import { ForgottenPasswords } from '../access/forgotten-passwords.ts'
import { Identities } from '../access/identities.ts'
import { InvitationMail } from '../access/invitation-mail.ts'
import { Invitations, type InvitationsOptions } from '../access/invitations.ts'
import { Keys, LastUse } from '../access/keys.ts'
import { Letters } from '../access/letters.ts'
import { Members } from '../access/members.ts'
import { Oidc } from '../access/oidc.ts'
import { PasswordCheck } from '../access/password-check.ts'
import { Passwords } from '../access/passwords.ts'
import { Authenticator, authorize } from '../access/principal.ts'
import { SessionRecords, Sessions } from '../access/sessions.ts'
import { addressGuesses, GuessThrottle, letterRequests } from '../access/throttles.ts'
import type { Config } from '../config.ts'
import type { RateLimiter } from '../http/auth/rate-limiter.ts'
import { authorOf } from '../http/auth/authenticate.ts'
import { callbackPath, oidcRoutes } from '../http/auth/oidc.ts'
import type { GitCaller, GitRefusal } from '../http/git/git.ts'
import type { Mailer } from '../mail/mailer.ts'
import { Projects } from '../projects/projects.ts'
import { Slugs } from '../projects/slugs.ts'
import type { Store } from '../storage/store.ts'

/** Who may do what: accounts, sessions, keys, projects. */
export async function openAccess(
  config: Config,
  parts: {
    readonly store: Store
    readonly now: () => Date
    readonly logger: Logger
    readonly passwords?: Passwords | undefined
    /** Undefined: the service sends no mail. */
    readonly mailer?: Mailer | undefined
    readonly takeOver?: InvitationsOptions['takeOver']
  },
) {
  const { store, now, logger, mailer, takeOver, passwords = new Passwords() } = parts
  const onError = (error: unknown): void => logger.warn({ err: error }, 'a use of a key or session could not be noted')
  const sessions = new Sessions({ records: await SessionRecords.open(store), now, onError })
  const { signup, defaultPlan } = config
  const records = new AccountRecords({ store, defaultPlan, now })
  const check = new PasswordCheck({ passwords, sessions, now })
  const knownAddresses = new GuessThrottle(addressGuesses, now)
  const addressees = new GuessThrottle(letterRequests.toAddress, now)
  const people = { records, sessions, passwords, check, knownAddresses, addressees, now }
  const accounts = new Accounts({ ...people, signup, defaultPlan })
  const slugs = await Slugs.open({ store, reservedDays: config.slugReservedDays, now })
  const projects = new Projects({
    store,
    slugs,
    planOf: (account) => accounts.planOf(account),
    most: config.maxProjects,
    contact: config.contact,
  })
  const identities = new Identities({ records, sessions, signup })
  const members = new Members({ store, projects, accounts, now })
  const invitations = await Invitations.open({ store, records, projects, members, takeOver, now })
  const removal = new AccountRemoval({ records, sessions, projects, members, invitations })
  const mail = mailer === undefined ? undefined : { mailer, letters: new Letters(config.publicUrl) }
  const lastUse = new LastUse({ store, onError })
  const keys = await Keys.open({ store, lastUse, now })
  const devices = new Devices({ store, sessions, now })
  const authenticator = new Authenticator({ accounts, sessions, keys })
  return {
    records,
    passwords,
    check,
    mail,
    forgottenPasswords: new ForgottenPasswords({ ...people, mail }),
    emailChanges: new EmailChanges({ ...people, mail }),
    invitationMail: new InvitationMail({ ...people, mail }),
    accounts,
    sessions,
    devices,
    slugs,
    projects,
    members,
    invitations,
    removal,
    identities,
    keys,
    lastUse,
    authenticator,
  }
}

/** What a key may do through Git: what it may do through the API. */
export async function gitAccess(
  { authenticator, projects }: { readonly authenticator: Authenticator; readonly projects: Projects },
  key: string,
  slug: string,
): Promise<GitCaller | GitRefusal> {
  const caller = await authenticator.identify(key)
  // A client that has its key in the URL would lose it in a redirect: what the project was called before is good, too.
  const known = projects.resolve(slug)
  const project = known === null ? null : await projects.find(known.id)
  const decision = authorize(caller, 'read', project)
  if (caller === null || decision === 'unauthenticated') return 'unauthenticated'
  if (decision === 'not_found' || project === null) return 'unknown'
  return {
    caller,
    projectId: project.id,
    may: (scope) => authorize(caller, scope, project) === 'ok',
    author: authorOf(caller),
    requireActive: () => projects.requireActive(project),
  }
}

/** Sign-in through an identity provider, where the settings name one. */
export function openOidc(
  app: FastifyInstance,
  { oidc: settings, publicUrl }: Config,
  parts: { readonly identities: Identities; readonly limiter: RateLimiter; readonly now: () => Date },
): void {
  if (settings === undefined) return
  oidcRoutes(app, { ...parts, publicUrl, oidc: new Oidc(settings, publicUrl + callbackPath) })
}
