import { Type, type Static } from 'typebox'
import { Account } from './accounts.ts'
import { Slug, Timestamp } from './common.ts'
import { endpoint } from './endpoint.ts'
import { Member } from './members.ts'
import { patterns } from './patterns.ts'
import { Plan, Suspended } from './projects.ts'

/** An account as the operator of a service sees it. */
export const OperatorAccount = Type.Intersect([
  Account,
  Type.Object({
    plan: Plan,
    hasPassword: Type.Boolean(),
    issuers: Type.Array(Type.String(), { description: 'Of the identity providers that it signs in through' }),
  }),
])
export type OperatorAccount = Static<typeof OperatorAccount>

/** An account with the slugs of its projects. */
export const ListedAccount = Type.Intersect([
  OperatorAccount,
  Type.Object({
    owns: Type.Array(Type.String(), { description: 'Slugs of its projects, sorted' }),
    writes: Type.Array(Type.String(), { description: 'Slugs of projects of others that it writes, sorted' }),
  }),
])
export type ListedAccount = Static<typeof ListedAccount>

/** A project as the operator of a service sees it. */
export const OperatorProject = Type.Object({
  id: Type.String({ description: 'What its files are called' }),
  slug: Type.String(),
  owner: Type.Union([Type.String(), Type.Null()], { description: 'Email address; null where nobody is known' }),
  plan: Type.Optional(Plan),
  createdAt: Type.Optional(Timestamp),
  live: Type.Optional(
    Type.Object({ number: Type.Integer(), createdAt: Timestamp }, { description: 'The deploy that its site shows' }),
  ),
  suspended: Type.Optional(Suspended),
  isDamaged: Type.Boolean({ description: 'Its document cannot be read: nothing more is known of it' }),
})
export type OperatorProject = Static<typeof OperatorProject>

export const RemovedAccount = Type.Object({
  email: Type.String(),
  removed: Type.Boolean({ description: 'False where no account has the address' }),
  left: Type.Optional(Type.Array(Type.String(), { description: 'Slugs of the projects that it was a writer of' })),
})
export type RemovedAccount = Static<typeof RemovedAccount>

/** What was freed in a project. */
export const CollectedProject = Type.Object({
  project: Type.String({ description: 'Slug' }),
  repositoryBytes: Type.Integer({
    description: 'Below zero when packing new objects took more than the old ones gave back',
  }),
  releases: Type.Integer(),
  releaseBytes: Type.Integer(),
})
export type CollectedProject = Static<typeof CollectedProject>

/** What was damaged of a project's releases, and what became of it. */
export const RepairedProject = Type.Object({
  project: Type.String({ description: 'Slug' }),
  damagedFiles: Type.Integer({ description: 'Published files whose bytes had changed' }),
  rebuilt: Type.Array(Type.String(), { description: 'Releases that were built again from Git' }),
  previews: Type.Integer({ description: 'Previews that could not be read: the service builds them again' }),
  dropped: Type.Integer({ description: 'Releases that could not be read and that nobody goes back to' }),
  failed: Type.Array(Type.Object({ release: Type.String(), reason: Type.String() })),
})
export type RepairedProject = Static<typeof RepairedProject>

/** A document that an operator put back. */
export const RestoredDocument = Type.Object({
  file: Type.String(),
  lost: Type.Union([Type.Integer(), Type.Null()], {
    description: 'How many of its last changes are lost; null where that is not known',
  }),
})
export type RestoredDocument = Static<typeof RestoredDocument>

/** What a project was at one instant. All that this refers to was durable before. */
export interface Snapshot {
  readonly projectId: string
  /** Text of the document's file; null where there is none: no such project. */
  readonly document: string | null
  /** Null where there is no repository, and where its refs cannot be read. */
  readonly refs: readonly (readonly [ref: string, oid: string])[] | null
  /** Why the refs cannot be read. */
  readonly unreadable?: string
  /** Texts of the documents about the project's use, by their files: they count no more than the document shows. */
  readonly use: Readonly<Record<string, string>>
  /** Bytes of the files of streams, which only grow while they are held, by path below the project's folder. */
  readonly grown: Readonly<Record<string, number>>
}

/** The rules for addresses, passwords and slugs are those of the rooms, whose refusals name what is wrong. */
const NamedAccount = Type.Object({ email: Type.String() })
const WithPassword = Type.Object({
  email: Type.String(),
  password: Type.Optional(Type.String({ description: 'A random one without it' })),
})
const NamedProject = Type.Object({ slug: Type.String() })
/** An id is made as a slug is. */
const ProjectId = Type.Object({ id: Slug })

/** An operator sends a few words. */
const bodyLimit = 64 * 1024

/**
 * What only the process that has locked the data directory may do. It answers on a Unix socket in that directory, which
 * its own user alone may open; none of this is part of the public API.
 */
export const operator = {
  accounts: {
    list: endpoint({
      method: 'GET',
      path: '/operator/accounts',
      summary: 'List all accounts, the oldest first',
      access: 'operator',
      reply: Type.Object({ items: Type.Array(ListedAccount) }),
      status: 200,
    }),
    create: endpoint({
      method: 'POST',
      path: '/operator/accounts',
      summary: 'Create an account, also where signing up is closed',
      access: 'operator',
      body: WithPassword,
      bodyLimit,
      reply: Type.Object({ account: Account, password: Type.String() }),
      status: 201,
      failures: ['account_exists'],
    }),
    resetPassword: endpoint({
      method: 'POST',
      path: '/operator/accounts/password',
      summary: 'Give an account a new password and end its sessions',
      access: 'operator',
      body: WithPassword,
      bodyLimit,
      reply: Type.Object({ email: Type.String(), password: Type.String() }),
      status: 200,
    }),
    setPlan: endpoint({
      method: 'POST',
      path: '/operator/accounts/plan',
      summary: 'Put an account, and so its projects, on a plan',
      access: 'operator',
      body: Type.Object({ email: Type.String(), plan: Plan }),
      bodyLimit,
      reply: OperatorAccount,
      status: 200,
    }),
    remove: endpoint({
      method: 'DELETE',
      path: '/operator/accounts',
      summary: 'Remove an account that owns no project',
      access: 'operator',
      query: NamedAccount,
      reply: RemovedAccount,
      status: 200,
    }),
  },
  documents: {
    restore: endpoint({
      method: 'POST',
      path: '/operator/documents/restore',
      summary: 'Put the version before the last one in the place of a document that is set aside, for the next start',
      access: 'operator',
      body: Type.Object({ file: Type.String({ description: 'Name of its file, as a check says it' }) }),
      bodyLimit,
      reply: RestoredDocument,
      status: 200,
    }),
  },
  projects: {
    list: endpoint({
      method: 'GET',
      path: '/operator/projects',
      summary: 'List all projects by their slugs',
      access: 'operator',
      reply: Type.Object({ items: Type.Array(OperatorProject) }),
      status: 200,
    }),
    suspend: endpoint({
      method: 'POST',
      path: '/operator/projects/:slug/suspend',
      summary: 'Show a project to nobody but its members, and let nothing of it change',
      access: 'operator',
      params: NamedProject,
      body: Type.Object({
        reason: Type.Optional(
          Type.String({ maxLength: 500, pattern: patterns.line.pattern, description: 'For its members' }),
        ),
      }),
      bodyLimit,
      reply: OperatorProject,
      status: 200,
    }),
    resume: endpoint({
      method: 'POST',
      path: '/operator/projects/:slug/resume',
      summary: 'End the suspension of a project',
      access: 'operator',
      params: NamedProject,
      reply: OperatorProject,
      status: 200,
    }),
    remove: endpoint({
      method: 'DELETE',
      path: '/operator/projects/:slug',
      summary: 'Delete a project with its repository and site',
      access: 'operator',
      params: NamedProject,
      status: 204,
      failures: ['deploy_in_progress'],
    }),
    transfer: endpoint({
      method: 'POST',
      path: '/operator/projects/:slug/transfer',
      summary: 'Make an account the owner of a project, and its owner a writer',
      access: 'operator',
      params: NamedProject,
      body: NamedAccount,
      bodyLimit,
      reply: Member,
      status: 200,
    }),
    collect: endpoint({
      method: 'POST',
      path: '/operator/projects/:slug/collect',
      summary: 'Collect the garbage of a project',
      access: 'operator',
      params: NamedProject,
      reply: CollectedProject,
      status: 200,
    }),
    repair: endpoint({
      method: 'POST',
      path: '/operator/projects/:slug/repair',
      summary: 'Build releases of a project again that cannot be read',
      access: 'operator',
      params: NamedProject,
      reply: RepairedProject,
      status: 200,
      failures: ['deploy_in_progress'],
    }),
    /** One event, a Snapshot; the project is held until the connection ends, and the end of the connection ends the hold. */
    hold: endpoint({
      method: 'GET',
      path: '/operator/projects/:id/hold',
      summary: 'Keep what a snapshot of a project refers to from being removed',
      access: 'operator',
      params: ProjectId,
      stream: true,
      status: 200,
    }),
  },
}

/** What the disk gives for a project, in bytes. */
export interface ProjectDisk {
  /** Slug. */
  readonly project: string
  /** Email address; null where nobody is known. */
  readonly owner: string | null
  readonly repository: number
  readonly releases: number
  readonly records: number
  readonly documents: number
  readonly total: number
}

/** What the disk gives for a data directory, in bytes. */
export interface DiskReport {
  /** The largest first. */
  readonly items: readonly ProjectDisk[]
  /** Of all that is no project’s. */
  readonly service: number
  readonly total: number
  /** Of the file system: what is free, and how large it is. */
  readonly free: number
  readonly size: number
}

export interface BackupSummary {
  readonly projects: number
  readonly entries: number
  /** Of all entries together. */
  readonly bytes: number
  /** Of the archive. */
  readonly archiveBytes: number
  /** What people called the projects that were removed while the backup was made. */
  readonly removed: readonly string[]
}

export interface RestoreSummary {
  /** Absolute. */
  readonly directory: string
  readonly projects: number
  readonly entries: number
  readonly bytes: number
  /** When the backup was begun. */
  readonly createdAt: string
}

/** A restored directory, and what must be in the settings before it is used. */
export interface RestoredDirectory extends RestoreSummary {
  /** Ids of keys that sealed signing secrets of webhooks, and that neither the backup nor the settings have. */
  readonly missingKeys: readonly string[]
}

/** One thing that is off in a data directory. */
export interface Finding {
  /** Slug; the id where the document does not tell it. */
  readonly project?: string
  /** File, ref or document. */
  readonly where: string
  readonly problem: string
  /** What to do about it. */
  readonly next: string
}

export interface CheckReport {
  /** Something is lost or damaged. */
  readonly problems: readonly Finding[]
  /** What the service mends itself, or what only takes room. */
  readonly notes: readonly Finding[]
  readonly checked: {
    readonly documents: number
    readonly projects: number
    readonly refs: number
    readonly releases: number
    readonly blobs: number
    /** Of published files. */
    readonly bytes: number
  }
}

/** Told what a long command is at. */
export type OnProgress = (text: string) => void

/** How a command that takes long is followed, and ended before its time: nothing half is left then. */
export interface LongRun {
  readonly onProgress: OnProgress
  readonly signal?: AbortSignal
}
