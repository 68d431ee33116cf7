import { useQuery } from '@tanstack/react-query'
import { GitBranch } from 'lucide-react'
import { useParams } from 'react-router'
import { isFailure } from '../../client.ts'
import { paths } from '../../paths.ts'
import { meQuery } from '../../queries/account.ts'
import { branchQuery } from '../../queries/branches.ts'
import { filesQuery } from '../../queries/files.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { LinkButton } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Loaded, Skeleton } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { Workspace } from './workspace.tsx'

/** Milliseconds between two looks at what others do to the branch, while the page is seen. */
const lookMs = 4_000

/** The writer’s place: the files of a branch, the text of one of them, and the page that it becomes. */
export function Component() {
  const project = useProject()
  const { branch: id = '', '*': path = '' } = useParams()
  const { slug } = project
  const me = useQuery(meQuery)
  const branch = useQuery({ ...branchQuery(slug, id), refetchInterval: lookMs })
  const files = useQuery(filesQuery({ slug, id }))

  if (isFailure(branch.error, 'not_found')) {
    return (
      <Page title="No such branch">
        <Empty
          icon={GitBranch}
          title="This branch is gone"
          action={<LinkButton to={paths.branches(slug)}>All branches</LinkButton>}
        >
          It was published or deleted. What you had not saved is kept in this browser.
        </Empty>
      </Page>
    )
  }
  if (branch.data === undefined || files.data === undefined || !me.data) {
    return (
      <Page title="Editor">
        {branch.data === undefined ? (
          <Loaded query={branch} pending={<Skeleton lines={6} />}>
            {() => null}
          </Loaded>
        ) : (
          <Loaded query={files} pending={<Skeleton lines={6} />}>
            {() => null}
          </Loaded>
        )}
      </Page>
    )
  }
  return (
    <Workspace
      key={id}
      project={project}
      branch={branch.data}
      files={files.data}
      path={path}
      account={me.data.account}
    />
  )
}
