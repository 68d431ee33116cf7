import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from 'react-router'
import { contract } from '#contract/index.ts'
import { client } from '../../client.ts'
import { paths } from '../../paths.ts'
import { serviceQuery } from '../../queries/account.ts'
import { may } from '../../queries/projects.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, Row, Rows } from '../../ui/card.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useDialog } from '../../ui/use-dialog.ts'
import { Invite } from './invite.tsx'
import { Leave } from './leave.tsx'

/** What ends somebody’s part in the project, or the project. */
export function DangerZone() {
  const project = useProject()
  return (
    <Card title="Danger zone" tone="danger">
      <Rows label="Danger zone">
        {project.role === 'owner' ? <Transfer /> : null}
        {project.role === 'writer' ? <LeaveRow /> : null}
        {may(project, 'admin') ? <Delete /> : null}
      </Rows>
    </Card>
  )
}

function Transfer() {
  const [isAsking, setAsking] = useDialog('transfer')
  return (
    <Row
      title="Transfer the project"
      detail="Somebody else becomes its owner once they accept. You stay as a writer, and may leave then."
    >
      <Button onClick={() => setAsking(true)}>Transfer…</Button>
      <Invite open={isAsking} onClose={() => setAsking(false)} role="owner" />
    </Row>
  )
}

function LeaveRow() {
  const [isAsking, setAsking] = useDialog('leave')
  return (
    <Row title="Leave the project" detail="It is not among your projects any more. What you wrote stays.">
      <Button look="danger" onClick={() => setAsking(true)}>
        Leave…
      </Button>
      <Leave open={isAsking} onOpenChange={setAsking} />
    </Row>
  )
}

function Delete() {
  const { slug, title } = useProject()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [isAsking, setAsking] = useDialog('delete')
  const days = useQuery(serviceQuery).data?.slugReservedDays
  const remove = async (): Promise<void> => {
    await client.call(contract.projects.remove, { params: { slug } })
    await navigate(paths.projects, { replace: true })
    queries.removeQueries({ queryKey: ['project', slug] })
    await queries.invalidateQueries({ queryKey: ['projects'] })
    toast.done(`The project ${title} is deleted.`)
  }
  return (
    <Row title="Delete the project" detail="Site, repository and all that belongs to them, for everybody.">
      <Button look="danger" onClick={() => setAsking(true)}>
        Delete…
      </Button>
      <Confirm
        open={isAsking}
        onOpenChange={setAsking}
        title={`Delete ${title}?`}
        action="Delete project"
        danger
        typed={slug}
        onConfirm={remove}
      >
        <p>
          The site, previews, the repository with its history, branches, changelog, keys, webhooks, domains and members
          go at once. This cannot be undone: clone the repository first if you may need it.
        </p>
        {days === undefined || days === 0 ? null : (
          <p>
            The slug {slug} is kept for its owner for {days} days; nobody else can take it until then.
          </p>
        )}
      </Confirm>
    </Row>
  )
}
