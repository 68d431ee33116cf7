import { useQueryClient } from '@tanstack/react-query'
import { Link } from 'react-router'
import { contract } from '#contract/index.ts'
import type { OnError } from '#contract/projects.ts'
import { client } from '../../client.ts'
import { paths } from '../../paths.ts'
import { may } from '../../queries/projects.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, Facts } from '../../ui/card.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
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
  const { slug, title, url, createdAt, onError } = project
  const isAdmin = may(project, 'admin')
  return (
    <Page
      title="General"
      {...(isAdmin ? {} : { description: 'The owner of the project changes its title and its address.' })}
    >
      {isAdmin ? (
        <>
          <Title key={title} />
          <OnErrorForm key={onError} />
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
              ['When a page cannot be compiled', choices[onError ?? 'refuse']],
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

/** Changes the project, and everything that shows it. */
function useUpdate() {
  const { slug } = useProject()
  const queries = useQueryClient()
  return async (body: { readonly title: string } | { readonly onError: OnError }): Promise<void> => {
    await client.call(contract.projects.update, { params: { slug }, body })
    await Promise.all([
      queries.invalidateQueries({ queryKey: ['project', slug], exact: true }),
      queries.invalidateQueries({ queryKey: ['projects'] }),
    ])
  }
}

const choices: Readonly<Record<OnError, string>> = {
  refuse: 'Nothing goes live',
  'keep-old-page': 'Keep the page as it was',
}

function OnErrorForm() {
  const { onError = 'refuse' } = useProject()
  const update = useUpdate()
  return (
    <Card>
      <Form
        label="Pages with errors"
        onSubmit={async ({ text }) => {
          const next = text('onError') === 'keep-old-page' ? 'keep-old-page' : 'refuse'
          if (next === onError) return
          await update({ onError: next })
          toast.done('This holds from the next deploy on.', () => update({ onError }))
        }}
      >
        {(busy) => (
          <div className={css['line']}>
            <SelectField
              name="onError"
              label="When a page cannot be compiled"
              hint="Kept as it was, a page holds nothing else up; one that was never live is left out. Errors are in the report of the deploy either way, and those in docs.json always stop it."
              defaultValue={onError}
            >
              {Object.entries(choices).map(([value, words]) => (
                <option key={value} value={value}>
                  {words}
                </option>
              ))}
            </SelectField>
            <Button type="submit" busy={busy}>
              Save choice
            </Button>
          </div>
        )}
      </Form>
    </Card>
  )
}

function Title() {
  const { title } = useProject()
  const update = useUpdate()
  const save = (next: string): Promise<void> => update({ title: next })
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
