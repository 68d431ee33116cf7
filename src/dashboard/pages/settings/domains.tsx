import { useQuery } from '@tanstack/react-query'
import { Globe, Plus } from 'lucide-react'
import { domainLimits } from '#contract/domains.ts'
import { domainsQuery } from '../../queries/domains.ts'
import { OwnersOnly } from '../../shell/owners-only.tsx'
import { useProject } from '../../shell/project-shell.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { useDialog } from '../../ui/use-dialog.ts'
import { DomainCard } from './domain-card.tsx'
import { NewDomain } from './new-domain.tsx'

export function Component() {
  return (
    <OwnersOnly
      title="Domains"
      says="Domains are for owners"
      why="They say at which addresses readers find the site. Ask the project’s owner to add or remove one."
    >
      <Domains />
    </OwnersOnly>
  )
}

function Domains() {
  const { slug, url } = useProject()
  const domains = useQuery(domainsQuery(slug))
  const [isAdding, setAdding] = useDialog('add')
  const isFull = (domains.data?.items.length ?? 0) >= domainLimits.ofProject
  return (
    <Page
      title="Domains"
      description={
        isFull
          ? `A project has at most ${domainLimits.ofProject} domains: remove one that is not in use to add another.`
          : 'Serve the site on a host of your own. The address that it has stays, too.'
      }
      actions={
        <Button look="primary" icon={Plus} disabled={isFull} onClick={() => setAdding(true)}>
          Add domain
        </Button>
      }
    >
      <Loaded query={domains}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={Globe} title="No domain of your own yet">
              <p>The site is at {new URL(url).host}. To serve it at a name such as docs.example.com:</p>
              <p>add the name here, enter two records at the provider of its DNS, and wait until they are seen.</p>
            </Empty>
          ) : (
            items.map((domain) => <DomainCard key={domain.domain} domain={domain} />)
          )
        }
      </Loaded>
      <NewDomain open={isAdding} onClose={() => setAdding(false)} />
    </Page>
  )
}
