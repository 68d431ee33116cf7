import type { Deploy, DeployKind, DeployStage, DeployStatus } from '#contract/deploys.ts'

interface StatusWords {
  readonly label: string
  readonly tone: 'plain' | 'success' | 'danger' | 'note'
  readonly pulse?: true
}

export const statusWords: Readonly<Record<DeployStatus, StatusWords>> = {
  queued: { label: 'Waiting', tone: 'note', pulse: true },
  building: { label: 'Building', tone: 'note', pulse: true },
  live: { label: 'Live', tone: 'success' },
  failed: { label: 'Failed', tone: 'danger' },
  superseded: { label: 'Was live', tone: 'plain' },
}

const kindWords: Readonly<Record<DeployKind, string>> = {
  deploy: 'Deploy of files',
  publish: 'Publish',
  push: 'Push to main',
  rollback: 'Rollback',
  preview: 'Preview',
}

export function kindOf({ kind, branch }: Pick<Deploy, 'kind' | 'branch'>): string {
  return kind === 'publish' && branch !== undefined ? `Publish of ${branch}` : kindWords[kind]
}

/** First line of its message; without one, what it was. */
export function titleOf(deploy: Deploy): string {
  const line = deploy.message?.split('\n', 1)[0]?.trim()
  return line === undefined || line === '' ? kindOf(deploy) : line
}

/** What each stage does, while it does it and when it has. */
export const stageWords: Readonly<Record<DeployStage, readonly [now: string, done: string]>> = {
  receive: ['Receiving the files', 'Received the files'],
  commit: ['Writing the commit', 'Wrote the commit'],
  build: ['Building pages', 'Built the pages'],
  release: ['Storing the site', 'Stored the site'],
  point: ['Going live', 'Went live'],
}

/** Who made it: “Ada”, “key CI”. Undefined where that is not known. */
export function makerOf({ by }: Pick<Deploy, 'by'>): string | undefined {
  return by?.kind === 'key' ? `key ${by.name}` : by?.name
}
