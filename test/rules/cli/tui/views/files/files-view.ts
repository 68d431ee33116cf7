import { expect, vi } from 'vitest'
import type { View } from '#cli/tui/app/view.ts'
import type { UnsavedFile } from '#cli/tui/data/workspace.ts'
import { FilesView } from '#cli/tui/views/files/files.ts'
import { PendingMerges } from '#cli/tui/views/merge/pending-merges.ts'
import type { FileLocation } from '#cli/tui/views/shared/problems.ts'
import type { Routes } from '#cli/tui/views/shared/routes.ts'
import type { Branch } from '#contract/branches.ts'
import { FakeApp } from '#test/support/fake-app.ts'
import { FakeBranchFiles, FileWorkspace } from '#test/support/fake-branch-files.ts'
import { aBranch, aProject } from '#test/support/fake-workspace.ts'

export const texts = {
  'docs.json': '{ "pages": ["index", "guides/start"] }',
  'index.mdx': 'Begin with the [guide](/guides/start#one).\n',
  'guides/start.mdx': '# Start\n',
  'guides/more.mdx': 'After [the start](./start).\n',
}

export function fakeView(title: string): View {
  return { title, about: '', layout: () => [], commands: () => [] }
}

export function found(...paths: readonly string[]) {
  const items = paths.map((path) => ({ path, line: 1, column: 1, text: '', start: 0, end: 0 }))
  return { items, truncated: false, searched: 4 }
}

export function unsaved(path: string, branch = 'new-api'): UnsavedFile {
  return {
    slug: 'acme-docs',
    branch,
    branchId: `b-${branch}`,
    path,
    waiting: false,
    elsewhere: false,
    changedAt: new Date(),
  }
}

export function open(branch: Branch | 'main' = aBranch(), files = new FakeBranchFiles(texts, branch)) {
  const app = new FakeApp()
  const workspace = new FileWorkspace(files)
  const places: FileLocation[] = []
  const pendingMerges = new PendingMerges()
  const routes: Routes = {
    files: () => fakeView('files'),
    page: (_project, _branch, place) => {
      places.push(place)
      return fakeView('page')
    },
    diff: () => fakeView('diff'),
    history: () => fakeView('history'),
    assistant: () => fakeView('assistant'),
    changelog: () => fakeView('changelog'),
    more: () => [],
  }
  app.push(new FilesView({ app, workspace, routes, pendingMerges, project: aProject(), branch }))
  return { app, workspace, files, places, pendingMerges }
}

export async function opened(...of: Parameters<typeof open>) {
  const all = open(...of)
  await vi.waitFor(() => expect(all.app.screen()).toContain('docs.json'))
  return all
}
