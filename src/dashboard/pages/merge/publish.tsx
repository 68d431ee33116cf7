import { useSearchParams } from 'react-router'
import { may } from '../../queries/projects.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { Notice } from '../../ui/notice.tsx'
import { BranchFrame } from '../branches/branch-frame.tsx'
import { PublishForm } from './publish-form.tsx'
import { PublishRun } from './publish-run.tsx'

/** Brings a branch to the readers. `?deploy=` the publish that is under way or has ended: the branch is gone with it. */
export function Component() {
  const project = useProject()
  const [search] = useSearchParams()
  const deploy = search.get('deploy')
  if (deploy !== null) return <PublishRun key={deploy} id={deploy} />
  return (
    <BranchFrame part="Publish">
      {(branch) =>
        may(project, 'deploy') ? (
          <PublishForm branch={branch} />
        ) : (
          <Notice tone="note">You may not publish in this project: ask its owner.</Notice>
        )
      }
    </BranchFrame>
  )
}
