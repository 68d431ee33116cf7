import type { Author, Oid, RefUpdate } from '../content/repository.ts'
import type { DeployFile, DeployKind } from '../contract/deploys.ts'
import { Failure } from '../contract/failure.ts'
import type { DeployRecords } from './records.ts'
import type { StoredDeploy } from './state.ts'
import { receiveFiles, type ReceivedFiles } from './uploads.ts'

/** Who wants a deploy, and what the request said beside its content. */
export interface DeployTrigger {
  readonly projectId: string
  readonly author: Author
  readonly message?: string
  /** Warnings are errors. */
  readonly strict?: true
  /** `performance.now()` when the last byte of the request had come. */
  readonly receivedAt: number
  readonly idempotency?: { readonly key: string; readonly body: string }
  /** Aborted when nobody waits for the deploy any more. It counts until the deploy’s turn to build has come. */
  readonly signal?: AbortSignal
}

/**
 * Where main's next commit comes from: uploaded files, an earlier deploy, a branch, a push. One object for each deploy;
 * the pipeline calls its methods.
 */
export interface ContentSource {
  readonly kind: DeployKind
  /** When refs moved during the build, `prepare` is called once more; otherwise the deploy fails. */
  readonly retries?: true
  /**
   * Refuses with a Failure what cannot be deployed, before the project is locked. Not called when an earlier deploy
   * with the same idempotency key is the answer.
   */
  validate?(): Promise<void>
  /** What main is to become. Refuses with a Failure; of a deploy that is refused the first time nothing is recorded. */
  prepare(main: Oid | null): Promise<Content>
  /** The deploy has happened: the refs have moved to what was prepared last. Must not throw. */
  committed?(): void
  /** Nothing comes of what was prepared, if anything was; may be called more than once. Must not throw. */
  aborted?(): void
}

export type Content = FilesContent | CommitContent | EarlierContent

/** Files that replace everything the project holds; the pipeline makes the commit. */
export interface FilesContent {
  readonly type: 'files'
  readonly files: ReceivedFiles
}

/** A commit that the repository has. */
export interface CommitContent {
  readonly type: 'commit'
  readonly commit: Oid
  /** The same, where the commit is the merge of a branch. */
  readonly mergeCommit?: Oid
  /** What is published. */
  readonly branch?: string
  /** Moved in the transaction that moves main. */
  readonly refs?: readonly RefUpdate[]
  /** Releases beside the live one whose pages may be taken over. */
  readonly reuse?: readonly string[]
}

/** The release of an earlier deploy, to be served again. */
export interface EarlierContent {
  readonly type: 'earlier'
  readonly deploy: StoredDeploy
}

/** The files of a deploy request. See `receiveFiles` for refusals; also `stale_ref`. */
export class UploadedFiles implements ContentSource {
  readonly kind = 'deploy'
  readonly #sent: readonly DeployFile[]
  readonly #expectedHead: Oid | null | undefined
  #received: ReceivedFiles | undefined

  /** @param expectedHead Main, as the client knew it when it chose the files; absent: whatever it is. */
  constructor(sent: readonly DeployFile[], expectedHead?: Oid | null) {
    this.#sent = sent
    this.#expectedHead = expectedHead
  }

  async validate(): Promise<void> {
    this.#received = await receiveFiles(this.#sent)
  }

  async prepare(main: Oid | null): Promise<FilesContent> {
    if (this.#expectedHead !== undefined && this.#expectedHead !== main) throw comparedWithAnother(main)
    this.#received ??= await receiveFiles(this.#sent)
    return { type: 'files', files: this.#received }
  }
}

function comparedWithAnother(main: Oid | null): Failure {
  return new Failure('stale_ref', 'Main is not what the files were compared with: somebody else has changed it.', {
    hint: 'Compare them with what is there now, and deploy them with its commit as `expectedHead`.',
    extra: { head: main },
  })
}

/** An earlier deploy of the project. Failure `not_found`. */
export class EarlierDeploy implements ContentSource {
  readonly kind = 'rollback'
  readonly #find: () => Promise<StoredDeploy>

  constructor(records: Pick<DeployRecords, 'find'>, projectId: string, id: string) {
    this.#find = async () => {
      const deploy = await records.find(projectId, id)
      if (deploy === null) throw new Failure('not_found', `The project has no deploy ${id}.`)
      return deploy
    }
  }

  async validate(): Promise<void> {
    await this.#find()
  }

  async prepare(): Promise<EarlierContent> {
    return { type: 'earlier', deploy: await this.#find() }
  }
}
