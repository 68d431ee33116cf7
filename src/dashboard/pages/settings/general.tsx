import { useQueryClient } from '@tanstack/react-query'
import { Link } from 'react-router'
import { contract } from '../../../contract/index.ts'
import { client } from '../../client.ts'
import { paths } from '../../paths.ts'
import { may } from '../../queries/projects.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, Facts } from '../../ui/card.tsx'
import { TextField } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Page } from '../../ui/page.tsx'
import { Day } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import { DangerZone } from './danger-zone.tsx'
import { Rename } from './rename.tsx'
import { RepositoryCheck } from './repository-check.tsx'
import css from './settings.module.css'

export function Component() {
  const project = useProject()
  const { slug, title, url, createdAt } = project
  const isAdmin = may(project, 'admin')
  return (
    <Page
      title="General"
      {...(isAdmin ? {} : { description: 'The owner of the project changes its title and its address.' })}
    >
      {isAdmin ? (
        <>
          <Title key={title} />
          <Rename key={slug} />
        </>
      ) : (
        <Card title="Project">
          <Facts
            items={[
              ['Title', title],
              ['Slug', slug],
              [
                'Site',
                <a key="site" className="link" href={url} rel="noreferrer">
                  {url}
                </a>,
              ],
              ['Created', <Day key="created" at={createdAt} />],
            ]}
          />
        </Card>
      )}
      <Card
        title="Default branch"
        description={
          <>
            <code>main</code> is what readers see. A push or a publish to it is built first, and goes live as a whole or
            not at all. It cannot be renamed, deleted or overwritten by force; work on{' '}
            <Link className="link" to={paths.branches(slug)}>
              branches
            </Link>
            , each with a preview of its own.
          </>
        }
      />
      {isAdmin ? <RepositoryCheck /> : null}
      <DangerZone />
    </Page>
  )
}

function Title() {
  const { slug, title } = useProject()
  const queries = useQueryClient()
  const save = async (next: string): Promise<void> => {
    await client.call(contract.projects.update, { params: { slug }, body: { title: next } })
    await Promise.all([
      queries.invalidateQueries({ queryKey: ['project', slug], exact: true }),
      queries.invalidateQueries({ queryKey: ['projects'] }),
    ])
  }
  return (
    <Card>
      <Form
        label="Title"
        onSubmit={async ({ text }) => {
          const next = text('title')
          if (next === title) return
          await save(next)
          toast.done(`The project is called ${next} now.`, () => save(title))
        }}
      >
        {(busy) => (
          <div className={css['line']}>
            <TextField
              name="title"
              label="Title"
              hint="What the project is called in the dashboard and in feeds; and, where docs.json has no name, what the site is called from its next deploy on."
              defaultValue={title}
              required
              maxLength={200}
              autoComplete="off"
            />
            <Button type="submit" busy={busy}>
              Save title
            </Button>
          </div>
        )}
      </Form>
    </Card>
  )
}
