import type { Context } from '#cli/tui/views/shared/context.ts'
import { PendingMerges } from '#cli/tui/views/merge/pending-merges.ts'
import type { View } from '#cli/tui/app/view.ts'
import { FakeApp } from './fake-app.ts'
import { FakeWorkspace } from './fake-workspace.ts'

/** What views of projects and branches need, with stand-ins for the application and for what can be reached. */
export function fakeContext(): Context & { readonly app: FakeApp; readonly workspace: FakeWorkspace } {
  return {
    app: new FakeApp(),
    workspace: new FakeWorkspace(),
    pendingMerges: new PendingMerges(),
    routes: {
      files: (project, branch) => aView(`files of ${project.slug} ${branch === 'main' ? 'main' : branch.name}`),
      page: (_project, branch, { path, line }) =>
        aView(`page ${branch === 'main' ? 'main' : branch.name} ${path}:${line ?? ''}`),
      diff: (_project, { name }) => aView(`diff of ${name}`),
      history: (_project, branch) => aView(`history of ${branch === 'main' ? 'main' : branch.name}`),
      assistant: (_project, { name }) => aView(`assistant of ${name}`),
      changelog: ({ slug }) => aView(`changelog of ${slug}`),
      more: () => [],
    },
  }
}

/** Stands in for a view of another room. */
function aView(title: string): View {
  return { title, about: '', layout: () => [], commands: () => [] }
}
