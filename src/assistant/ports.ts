import type { Branches } from '../branching/branches.ts'
import type { Saves } from '../branching/saves.ts'
import type { Models } from '../models/model.ts'
import type { Records } from '../storage/records.ts'

/** What the assistant needs of other rooms: all that it asks of branches names one. */
export interface AssistantPorts {
  readonly branches: Pick<Branches, 'require' | 'isKnown' | 'content' | 'history' | 'check'> & {
    readonly saves: Pick<Saves, 'apply' | 'revert'>
  }
  readonly models: Pick<Models, 'begin'>
  readonly records: Pick<Records, 'use' | 'exists'>
  readonly now: () => Date
  readonly log: {
    warn(details: object, message: string): void
    error(details: object, message: string): void
  }
}
