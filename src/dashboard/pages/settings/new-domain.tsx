import { useQueryClient } from '@tanstack/react-query'
import { contract } from '#contract/index.ts'
import { client } from '../../client.ts'
import { domainsQuery } from '../../queries/domains.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Form, FormActions } from '../../ui/form.tsx'

interface NewDomainProps {
  readonly open: boolean
  readonly onClose: () => void
}

export function NewDomain({ open, onClose }: NewDomainProps) {
  const { slug } = useProject()
  const queries = useQueryClient()
  const add = async (domain: string): Promise<void> => {
    await client.call(contract.domains.create, { params: { slug }, body: { domain } })
    await queries.invalidateQueries(domainsQuery(slug))
    onClose()
  }
  return (
    <Dialog
      open={open}
      onOpenChange={onClose}
      title="Add a domain"
      description="Nothing is served there before you have shown that it is yours."
    >
      <Form label="New domain" onSubmit={({ text }) => add(text('domain').trim())}>
        {(busy) => (
          <>
            <TextField
              name="domain"
              label="Domain"
              hint="A name below your domain, such as docs.example.com, is the simplest; the domain itself works where your DNS provider has ALIAS, ANAME or flattened CNAME records."
              placeholder="docs.example.com"
              required
              maxLength={300}
              inputMode="url"
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
            />
            <FormActions>
              <Button type="submit" look="primary" busy={busy}>
                Add domain
              </Button>
            </FormActions>
          </>
        )}
      </Form>
    </Dialog>
  )
}
