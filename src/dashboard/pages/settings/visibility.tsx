import { useQuery } from '@tanstack/react-query'
import type { Visibility as Shown } from '#contract/visibility.ts'
import { messageOf } from '../../client.ts'
import { useSetVisibility, visibilityQuery } from '../../queries/visibility.ts'
import { OwnersOnly } from '../../shell/owners-only.tsx'
import { useProject } from '../../shell/project-shell.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'
import { toast } from '../../ui/toasts.tsx'
import { useDialog } from '../../ui/use-dialog.ts'
import { ShareLinks } from './share-links.tsx'
import { SitePassword } from './site-password.tsx'

export function Component() {
  return (
    <OwnersOnly
      title="Visibility"
      says="Visibility is for owners"
      why="It says who can see the site. Ask the project’s owner to change it, or for a share link."
    >
      <Visibility />
    </OwnersOnly>
  )
}

function Visibility() {
  const { slug } = useProject()
  const shown = useQuery(visibilityQuery(slug))
  return (
    <Page title="Visibility" description="Who can see the site, its previews and its changelog.">
      <Loaded query={shown}>
        {(visibility) => (
          <>
            <Who shown={visibility} />
            {visibility.visibility === 'private' ? (
              <>
                <SitePassword setAt={visibility.passwordSetAt} />
                <ShareLinks links={visibility.links} />
              </>
            ) : null}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Who({ shown: { visibility, privateSince } }: { readonly shown: Shown }) {
  const { slug } = useProject()
  const set = useSetVisibility(slug)
  const [isAsking, setAsking] = useDialog('public')
  const isPrivate = visibility === 'private'
  const close = (): void => set.mutate('private', { onSuccess: () => toast.done('Only members see the site now.') })
  const open = async (): Promise<void> => {
    await set.mutateAsync('public')
    toast.done('Everybody sees the site now.')
  }
  return (
    <Card
      title={isPrivate ? 'Only some people see the site' : 'Everybody sees the site'}
      description={
        isPrivate ? (
          <>
            Members who are signed in, API keys that may read, and whoever has a link or the password below. Since{' '}
            <Time at={privateSince ?? ''} />.
          </>
        ) : (
          'Make it private to show it to members, and to whom you give a link or a password.'
        )
      }
      actions={
        isPrivate ? (
          <Button onClick={() => setAsking(true)}>Make public…</Button>
        ) : (
          <Button look="primary" busy={set.isPending} onClick={close}>
            Make private
          </Button>
        )
      }
    >
      {set.error === null || isAsking ? null : <Notice tone="danger">{messageOf(set.error)}</Notice>}
      <Confirm
        open={isAsking && isPrivate}
        onOpenChange={setAsking}
        title="Show the site to everybody?"
        action="Make public"
        danger
        onConfirm={open}
      >
        Search engines may find it. Its password and all share links go: they will not open it when it is private again.
      </Confirm>
    </Card>
  )
}
