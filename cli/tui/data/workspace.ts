import type { Client } from '#client/client.ts'
import type { Account } from '#contract/accounts.ts'
import type { Branch } from '#contract/branches.ts'
import type { ProjectFile } from '#contract/files.ts'
import type { Project } from '#contract/projects.ts'
import type { Credential } from '../../service/service.ts'
import type { BranchFiles } from './branch-files.ts'
import type { DecisionStore } from './drafts/decisions.ts'
import type { Loaded } from './loaded.ts'
import type { Entries } from './entries.ts'
import type { MessageKind, UnsentMessage } from './drafts/message.ts'

export type ConnectionState = 'online' | 'offline'

/** Whom the service takes us for. */
export interface Identity {
  readonly kind: 'session' | 'key' | 'sample'
  /** Absent with a key. */
  readonly account?: Account
}

/**
 * What one person can reach of one service, with what is kept on this machine of it: the lists and files that were
 * opened, and drafts. Reading answers from what is kept where the service cannot be reached.
 */
export interface Workspace {
  readonly url: string
  readonly identity: Identity
  /** Changes nothing: the sample project. */
  readonly readOnly: boolean
  /** For what is not kept here, such as publishing, changelog, keys. Refuses with `unavailable` while offline. */
  readonly client: Client
  readonly connection: ConnectionState
  /** Decisions on conflicts; absent where nothing can be kept. */
  readonly decisions?: DecisionStore
  /** Tells of the connection, of drafts and of saves; answers how to stop. */
  onChange(listener: () => void): () => void
  projects(): Promise<Loaded<readonly Project[]>>
  project(slug: string): ProjectSpace
  /** Drafts of this machine that are not saved on their branches, newest first. */
  unsaved(): Promise<readonly UnsavedFile[]>
  /** Somebody signed in again. @returns false: it is not the same person, whose workspace is another */
  renew?(credential: Credential): boolean
  /** What was typed here and is not on the disk yet, in words, such as `guides/start.mdx`. */
  readonly unkept: readonly string[]
  /**
   * What was typed is durable when it resolves, and saves under way had their time; everything stays open. Throws when a
   * draft cannot be kept.
   */
  keep(): Promise<void>
  /**
   * Everything is durable; what is under way has ended or is kept as a draft. Throws when a draft cannot be kept, or when
   * the signal has fired by then: it stays open.
   */
  close(signal?: AbortSignal): Promise<void>
}

export interface UnsavedFile {
  readonly slug: string
  readonly branch: string
  readonly path: string
  /** A save that waits for the connection; else the person has not saved yet. */
  readonly waiting: boolean
  readonly changedAt: Date
  readonly branchId: string
  /** Another terminal works on it. */
  readonly elsewhere: boolean
  /** Why a save that waited was refused, where it was. */
  readonly refusal?: string
  /** The text itself, for where its branch is gone. */
  text?(): Promise<string>
  /** Forgets it for good. Not of another terminal, nor of one that is open. @throws Failure */
  discard?(): Promise<void>
  /** It is no file but an entry of the changelog: `path` is its title. */
  readonly entry?: true
  /** It is no file but a message of this kind that is not sent; `path` is what it is called. */
  readonly message?: MessageKind
}

export interface ProjectSpace {
  readonly slug: string
  read(): Promise<Loaded<Project>>
  /** @param begin told of the newest ones when there are so many that the others take longer */
  branches(begin?: (newest: readonly Branch[]) => void): Promise<Loaded<readonly Branch[]>>
  /** Files of a branch, or of main (read-only). */
  files(branch: Branch | 'main'): BranchFiles
  /** The changelog, with what is written here; absent where nothing can be kept. */
  readonly entries?: Entries
  /** What is said of a branch and not sent yet; absent where nothing can be kept. */
  message?(kind: MessageKind, branch: Pick<Branch, 'id' | 'name'>): Promise<UnsentMessage>
}

export type { Branch, Loaded, Project, ProjectFile }
