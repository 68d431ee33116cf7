import type { Credential } from '../service/service.ts'
import type { App } from './app/app.ts'
import type { View } from './app/view.ts'
import type { PendingSignIn } from './data/service/sign-in.ts'
import type { Workspace } from './data/workspace.ts'
import { AssistantView } from './views/assistant/assistant.ts'
import { BranchDiffView } from './views/changes/branch-diff.ts'
import type { Context } from './views/shared/context.ts'
import { EditorView } from './views/editor/editor.ts'
import { FilesView } from './views/files/files.ts'
import { HistoryView } from './views/changes/history.ts'
import { changelogView } from './views/changelog/changelog-view.ts'
import { accountCommand, projectCommands } from './views/projects/project-commands.ts'
import { ProjectsView } from './views/projects/projects.ts'
import { PublishView } from './views/publish/publish.ts'
import type { Routes } from './views/shared/routes.ts'
import { WelcomeView } from './views/start/welcome.ts'

export interface RoutePorts {
  readonly url: string
  readonly begin: (url: string) => Promise<PendingSignIn>
  readonly openWorkspace: (url: string, credential: Credential) => Promise<Workspace>
  readonly openSample: () => Promise<Workspace>
  /** Somebody is in. */
  readonly enter: (workspace: Workspace) => void
  /** Ends the session; nothing is left to be seen then. */
  readonly signOut: () => Promise<void>
}

/** Where nobody is signed in. @param reason why somebody is here who was, such as that the session has ended */
export function welcome(app: App, ports: RoutePorts, reason?: string): View {
  return new WelcomeView(app, { ...ports, reason })
}

/** The first view of who is signed in; which view leads to which is said here alone. */
export function projects(
  app: App,
  { workspace, pendingMerges }: Pick<Context, 'workspace' | 'pendingMerges'>,
  ports: Pick<RoutePorts, 'signOut'>,
  /** Slug of the one to begin in. */
  begin?: string,
): View {
  const routes: Routes = {
    files: (project, branch) => new FilesView({ ...context, project, branch }),
    page: (project, branch, place) => new EditorView({ context, project, branch, place }),
    diff: (project, branch) => new BranchDiffView(context, project, branch),
    history: (project, branch, path) =>
      new HistoryView({ context, project, branch, ...(path === undefined ? {} : { path }) }),
    publish: (project, branch) => {
      // Also of the branch, which is gone.
      const onPublished = (): void => app.pop(2)
      return new PublishView(context, { project, branch, onPublished })
    },
    assistant: (project, branch) => new AssistantView({ app, workspace, project, branch }),
    changelog: (project) => changelogView({ app, workspace, pendingMerges, project }),
    more: (project) => [
      ...(project === undefined ? [] : projectCommands({ app, workspace, project, left: () => app.restart(first()) })),
      accountCommand({ app, workspace, signOut: ports.signOut }),
    ],
  }
  const context: Context = { app, workspace, routes, pendingMerges }
  const first = (slug?: string): View => new ProjectsView(context, slug)
  return first(begin)
}
