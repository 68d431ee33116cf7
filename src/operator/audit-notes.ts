import type { AuditActor } from '../contract/audit.ts'

/** What an operator did to a project. */
interface OperatorEntry {
  readonly action: string
  readonly actor: AuditActor
  readonly address: string
  readonly client: string
  readonly target?: string
  readonly detail?: string
}

/** The audit logs of the projects. */
export interface AuditPort {
  record(projectId: string, entry: OperatorEntry): Promise<void>
}

/** Commands of `quire admin` that a project’s owner can see in its audit log, by their actions there. */
export const notedCommands = {
  plan: 'plan',
  resetPassword: 'accounts reset-password',
  removeAccount: 'accounts remove',
  transfer: 'transfer',
  restore: 'restore',
  suspend: 'projects suspend',
  resume: 'projects resume',
} as const

export interface OperatorNote {
  readonly target?: string
  readonly detail?: string
}

/** Writes into the audit logs of projects what an operator did to them. */
export class AuditNotes {
  readonly #audit: AuditPort
  readonly #onError: (error: unknown, projectId: string) => void

  /** @param onError told when an entry could not be kept: what was done is done. */
  constructor(audit: AuditPort, onError: (error: unknown, projectId: string) => void) {
    this.#audit = audit
    this.#onError = onError
  }

  async write(projectIds: readonly string[], command: keyof typeof notedCommands, note: OperatorNote): Promise<void> {
    const entry: OperatorEntry = {
      action: `admin.${command}`,
      actor: { kind: 'operator', id: 'operator', name: 'operator' },
      address: 'local',
      client: `quire admin ${notedCommands[command]}`,
      ...note,
    }
    for (const projectId of projectIds)
      await this.#audit.record(projectId, entry).catch((error: unknown) => this.#onError(error, projectId))
  }
}
