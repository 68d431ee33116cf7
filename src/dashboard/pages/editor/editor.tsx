import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { isFailure } from '../../client.ts'
import { meQuery } from '../../queries/account.ts'
import { branchQuery } from '../../queries/branches.ts'
import { filesQuery } from '../../queries/files.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { Loaded, Skeleton } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { BranchGone } from '../branches/gone.tsx'
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

  if (isFailure(branch.error, 'not_found')) return <BranchGone id={id} />
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
