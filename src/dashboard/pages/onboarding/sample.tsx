import { useQueryClient } from '@tanstack/react-query'
import { Sparkles } from 'lucide-react'
import { contract } from '#contract/index.ts'
import type { Project } from '#contract/projects.ts'
import { client, idempotencyKey } from '../../client.ts'
import { projectQuery } from '../../queries/projects.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Form } from '../../ui/form.tsx'

/** Of its deploy: by it the sample is told from files of one’s own. */
export const sampleMessage = 'Start from the sample'

/** Deploys a small site with the project’s title at once. */
export function Sample({ project }: { readonly project: Project }) {
  const queries = useQueryClient()
  const { slug, title } = project
  const deploy = async (): Promise<void> => {
    const { sampleFiles } = await import('../../sample/sample.ts')
    const latest = await client.call(contract.deploys.create, {
      query: { project: slug },
      body: { files: sampleFiles(title), message: sampleMessage },
      headers: { prefer: 'respond-async', 'idempotency-key': idempotencyKey() },
    })
    queries.setQueryData(projectQuery(slug).queryKey, (before) => before && { ...before, latest })
    await queries.invalidateQueries({ queryKey: ['project', slug] })
  }
  return (
    <Card
      title="Start from a sample"
      description={`Six pages that show what there is, with “${title}” at the top. They are yours: write over them in the browser, or clone them.`}
    >
      <Form label="Start from a sample" onSubmit={deploy}>
        {(busy) => (
          <div>
            <Button type="submit" look="primary" icon={Sparkles} busy={busy}>
              Deploy the sample
            </Button>
          </div>
        )}
      </Form>
    </Card>
  )
}
