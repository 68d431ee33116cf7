import { accountChanges } from './account-changes.ts'
import { accounts, sessions } from './accounts.ts'
import { analytics, feedback } from './analytics.ts'
import { assistant } from './assistant.ts'
import { audit } from './audit.ts'
import { branches } from './branches.ts'
import { changelog, feeds } from './changelog.ts'
import { checks } from './checks.ts'
import { comments } from './comments.ts'
import { components } from './components.ts'
import { deploys } from './deploys.ts'
import { device } from './device-login.ts'
import { domains } from './domains.ts'
import { files } from './main-files.ts'
import { generation } from './generation.ts'
import { invitations } from './invitations.ts'
import { keys } from './keys.ts'
import { members } from './members.ts'
import { previews } from './previews.ts'
import { projects } from './projects.ts'
import { service } from './service.ts'
import { usage } from './usage.ts'
import { visibility } from './visibility.ts'
import { webhooks } from './webhooks.ts'

/** Every endpoint of the service by noun. `contract.<noun>.<verb>` is also its OpenAPI operation id. */
export const contract = {
  accounts: { ...accounts, ...accountChanges },
  sessions,
  device,
  projects,
  members,
  invitations,
  keys,
  deploys,
  checks,
  files,
  branches,
  previews,
  comments,
  assistant,
  usage,
  generation,
  webhooks,
  domains,
  visibility,
  changelog,
  feeds,
  analytics,
  feedback,
  audit,
  components,
  service,
}
