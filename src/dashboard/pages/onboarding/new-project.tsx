import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { contract } from '#contract/index.ts'
import { slugFault } from '#contract/patterns.ts'
import { client } from '../../client.ts'
import { paths } from '../../paths.ts'
import { serviceQuery } from '../../queries/account.ts'
import { Button, LinkButton } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { TextField } from '../../ui/field.tsx'
import { Form, FormActions } from '../../ui/form.tsx'
import { Page } from '../../ui/page.tsx'
import { slugOf } from './slug.ts'
import css from './new-project.module.css'

/** `/dashboard/new`: a title, and the address that follows from it. */
export function Component() {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const { data: service } = useQuery(serviceQuery)
  const [title, setTitle] = useState('')
  /** As typed; until then it follows the title. */
  const [typed, setTyped] = useState<string>()
  const slug = typed ?? slugOf(title)
  const fault = slugFault(slug)
  return (
    <Page title="New project" width="narrow" description="One documentation site, with a Git repository of its own.">
      <Form
        label="New project"
        onSubmit={async () => {
          const project = await client.call(contract.projects.create, { body: { slug, title: title.trim() } })
          await queries.invalidateQueries({ queryKey: ['projects'] })
          await navigate(paths.start(project.slug))
        }}
      >
        {(busy) => (
          <Card>
            <TextField
              name="title"
              label="Title"
              autoComplete="off"
              autoFocus
              required
              maxLength={200}
              placeholder="Acme Docs"
              hint="What readers see at the top of the site. You can change it later."
              value={title}
              onChange={(event) => setTitle(event.target.value)}
            />
            <TextField
              name="slug"
              label="Slug"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              required
              placeholder="acme-docs"
              error={slug === '' || fault === undefined ? undefined : `It ${fault}.`}
              hint="The name in its address, and in commands."
              value={slug}
              onChange={(event) => setTyped(event.target.value.trim().toLowerCase() || undefined)}
            />
            {service === undefined ? null : (
              <Address pattern={service.siteUrl} slug={fault === undefined ? slug : ''} />
            )}
            <FormActions>
              <Button type="submit" look="primary" busy={busy} disabled={fault !== undefined || title.trim() === ''}>
                Create project
              </Button>
              <LinkButton look="ghost" to={paths.projects}>
                Cancel
              </LinkButton>
            </FormActions>
          </Card>
        )}
      </Form>
    </Page>
  )
}

/** Where the site will be, its slug set off. @param pattern with `{slug}` in it */
function Address({ pattern, slug }: { readonly pattern: string; readonly slug: string }) {
  const [before = '', after = ''] = pattern.split('{slug}')
  return (
    <div className={css['address']}>
      <span className="soft">Your site will be at</span>
      <output>
        {before}
        <strong>{slug === '' ? '…' : slug}</strong>
        {after}
      </output>
    </div>
  )
}
