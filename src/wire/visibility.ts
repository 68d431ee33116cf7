import type { Passwords } from '../access/passwords.ts'
import { roleOf } from '../access/principal.ts'
import type { Sessions } from '../access/sessions.ts'
import type { Projects } from '../projects/projects.ts'
import type { Store } from '../storage/store.ts'
import { Visibility } from '../visibility/visibility.ts'

interface VisibilityParts {
  readonly store: Store
  readonly projects: Pick<Projects, 'find'>
  readonly sessions: Pick<Sessions, 'isOpen'>
  readonly passwords: Passwords
  readonly now: () => Date
}

/** Which sites are not for everybody; `load` it before anything is served. */
export function openVisibility({ store, projects, sessions, passwords, now }: VisibilityParts): Visibility {
  return new Visibility({
    store,
    passwords,
    now,
    isMember: async (projectId, account, session) => {
      const project = await projects.find(projectId)
      return project !== null && roleOf(account, project) !== null && (await sessions.isOpen(account, session))
    },
  })
}
