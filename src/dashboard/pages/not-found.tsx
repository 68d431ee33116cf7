import { Compass } from 'lucide-react'
import { paths } from '../paths.ts'
import { LinkButton } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Page } from '../ui/page.tsx'

export function Component() {
  return (
    <Page title="Not found">
      <Empty
        icon={Compass}
        title="There is no such page"
        action={<LinkButton to={paths.projects}>Your projects</LinkButton>}
      >
        Check the address, or begin with your projects.
      </Empty>
    </Page>
  )
}
