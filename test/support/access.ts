import { onTestFinished } from 'vitest'
import { AccountRecords } from '#access/account-records.ts'
import { AccountRemoval } from '#access/account-removal.ts'
import { Accounts } from '#access/accounts.ts'
import { EmailChanges } from '#access/email-changes.ts'
import { ForgottenPasswords } from '#access/forgotten-passwords.ts'
import { InvitationMail } from '#access/invitation-mail.ts'
import { Invitations } from '#access/invitations.ts'
import { Keys, LastUse } from '#access/keys.ts'
import { Letters } from '#access/letters.ts'
import { Members } from '#access/members.ts'
import { OwnRemoval } from '#access/own-removal.ts'
import { PasswordCheck } from '#access/password-check.ts'
import { Passwords } from '#access/passwords.ts'
import { Authenticator } from '#access/principal.ts'
import { SessionRecords, Sessions, type SessionClient } from '#access/sessions.ts'
import { addressGuesses, GuessThrottle, letterRequests } from '#access/throttles.ts'
import { ProjectLifecycle, type ProjectParticipant } from '#projects/lifecycle.ts'
import { Projects } from '#projects/projects.ts'
import { Slugs } from '#projects/slugs.ts'
import { openStore } from '#storage/documents/document-files.ts'
import { openDocuments } from '#storage/documents/document-store.ts'
import type { Store } from '#storage/store.ts'
import { PostedLetters } from './letters.ts'
import { MemoryDocuments } from './memory-documents.ts'

export interface AccessRoom {
  readonly store: Store
  readonly records: AccountRecords
  readonly accounts: Accounts
  readonly forgottenPasswords: ForgottenPasswords
  readonly emailChanges: EmailChanges
  readonly invitationMail: InvitationMail
  readonly ownRemoval: OwnRemoval
  /** What the service wrote to people. */
  readonly posted: PostedLetters
  readonly sessions: Sessions
  readonly projects: Projects
  readonly lifecycle: ProjectLifecycle
  readonly members: Members
  readonly invitations: Invitations
  readonly removal: AccountRemoval
  readonly keys: Keys
  readonly lastUse: LastUse
  readonly authenticator: Authenticator
  readonly errors: unknown[]
  /** Moves the clock. */
  readonly pass: (milliseconds: number) => void
  readonly now: () => Date
}

export interface AccessSettings {
  readonly signup?: 'open' | 'closed'
  /** The service sends mail. */
  readonly mail?: boolean
  readonly defaultPlan?: 'free' | 'pro'
  readonly reservedDays?: number
  /** Projects that an account may own. */
  readonly most?: number
  readonly participants?: readonly ProjectParticipant[]
  /** When the clock stands still; a noon without it. */
  readonly at?: Date
  /** Where its documents lie; in memory without it. */
  readonly directory?: string
}

/** The access room, with a clock that stands still. */
export async function openAccess(settings: AccessSettings = {}): Promise<AccessRoom> {
  const { signup = 'open', defaultPlan = 'free', directory } = settings
  let time = settings.at?.getTime() ?? Date.UTC(2026, 10, 21, 12)
  const now = (): Date => new Date(time)
  const errors: unknown[] = []
  const onError = (error: unknown): void => void errors.push(error)
  const store =
    directory === undefined
      ? await openDocuments(new MemoryDocuments())
      : await openStore({ directory, release: async () => undefined })
  const sessions = new Sessions({ records: await SessionRecords.open(store), now, onError })
  const records = new AccountRecords({ store, defaultPlan, now })
  const passwords = quickPasswords()
  const check = new PasswordCheck({ passwords, sessions, now })
  const knownAddresses = new GuessThrottle(addressGuesses, now)
  const addressees = new GuessThrottle(letterRequests.toAddress, now)
  const people = { records, passwords, sessions, check, knownAddresses, addressees, now }
  const accounts = new Accounts({ ...people, signup, defaultPlan })
  const posted = new PostedLetters()
  const mail = settings.mail === true ? { mailer: posted, letters: new Letters('https://docs.example.com') } : undefined
  const slugs = await Slugs.open({ store, reservedDays: settings.reservedDays ?? 90, now })
  const most = settings.most ?? Infinity
  const projects = new Projects({ store, slugs, planOf: (id) => accounts.planOf(id), most })
  const participants = settings.participants ?? []
  const lifecycle = new ProjectLifecycle({ store, projects, slugs, participants, now, onError })
  await lifecycle.recover()
  const members = new Members({ store, projects, accounts, now })
  const invitations = await Invitations.open({ store, records, projects, members, now })
  const removal = new AccountRemoval({ records, sessions, projects, members, invitations })
  const lastUse = new LastUse({ store, onError })
  const keys = await Keys.open({ store, lastUse, now })
  const authenticator = new Authenticator({ accounts, sessions, keys })
  onTestFinished(async () => {
    await lastUse.close()
    await store.close()
  })
  const pass = (milliseconds: number): void => void (time += milliseconds)
  return {
    store,
    records,
    accounts,
    forgottenPasswords: new ForgottenPasswords({ ...people, mail }),
    emailChanges: new EmailChanges({ ...people, mail }),
    invitationMail: new InvitationMail({ ...people, mail }),
    ownRemoval: new OwnRemoval({ records, check, projects, lifecycle, removal }),
    posted,
    sessions,
    projects,
    lifecycle,
    members,
    invitations,
    removal,
    keys,
    lastUse,
    authenticator,
    errors,
    pass,
    now,
  }
}

/** Their hashes cost nothing: for accounts that are made by the dozen, of whose passwords a test wants nothing. */
export function quickPasswords(): Passwords {
  return new Passwords({ N: 2, r: 8, p: 1, maxmem: 1024 * 1024 })
}

/** A browser at an address. */
export function browser(address = '192.0.2.1'): SessionClient {
  return { kind: 'browser', client: 'Firefox', address }
}
