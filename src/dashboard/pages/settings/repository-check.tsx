import { useMutation } from '@tanstack/react-query'
import { ShieldCheck } from 'lucide-react'
import { contract } from '#contract/index.ts'
import { client, messageOf } from '../../client.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Notice } from '../../ui/notice.tsx'
import css from './settings.module.css'

/** Has Git read every object of the repository, and says what it found. */
export function RepositoryCheck() {
  const { slug } = useProject()
  const check = useMutation({ mutationFn: () => client.call(contract.projects.fsck, { params: { slug } }) })
  return (
    <Card
      title="Repository check"
      description="Reads every object of the repository, as git fsck does. Seconds where it is large; four times an hour."
      actions={
        <Button icon={ShieldCheck} busy={check.isPending} onClick={() => check.mutate()}>
          Check repository
        </Button>
      }
    >
      {check.error === null ? null : <Notice tone="danger">{messageOf(check.error)}</Notice>}
      {check.data === undefined ? null : <Outcome problems={check.data.problems} />}
    </Card>
  )
}

function Outcome({ problems }: { readonly problems: readonly string[] }) {
  if (problems.length === 0) return <Notice tone="success">The repository is sound.</Notice>
  return (
    <Notice tone="danger" title={problems.length === 1 ? 'Git complains' : `Git has ${problems.length} complaints`}>
      <p>Nothing was changed. Send this to whoever runs the service: they have backups.</p>
      <ul className={css['complaints']} tabIndex={0} aria-label="Complaints">
        {problems.map((problem, index) => (
          <li key={index}>
            <code>{problem}</code>
          </li>
        ))}
      </ul>
    </Notice>
  )
}
