import type { Project } from '#contract/projects.ts'
import type { NewKeyBody } from '../../queries/keys.ts'

/** What has happened on the way to the first deploy. */
export interface Facts {
  readonly project: Project
  /** What became of the key of this name that may deploy; each way has a key of its own. */
  readonly keyState: (name: string) => 'none' | 'made' | 'used'
  /** The account of this browser is signed in in a terminal, too. */
  readonly hasTerminal: boolean
}

export interface WayProps {
  readonly project: Project
  readonly facts: Facts
  /** Base URL of the service. */
  readonly origin: string
  /** A key that was made here: shown once. */
  readonly made?: string
  /** Absent for who may not make keys. */
  readonly makeKey?: (body: NewKeyBody) => Promise<void>
}
