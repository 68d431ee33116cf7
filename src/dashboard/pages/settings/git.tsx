import { KeyRound } from 'lucide-react'
import { Link } from 'react-router'
import { paths } from '../../paths.ts'
import { may } from '../../queries/projects.ts'
import { useProject } from '../../shell/project-shell.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, Row, Rows } from '../../ui/card.tsx'
import { Snippet } from '../../ui/copy.tsx'
import { Page } from '../../ui/page.tsx'
import { useDialog } from '../../ui/use-dialog.ts'
import { NewKey } from './new-key.tsx'
import css from './settings.module.css'

export function Component() {
  const { cloneUrl, slug } = useProject()
  return (
    <Page
      title="Clone and push"
      description="The project is a Git repository. Work on it with the tools that you have, and push what is to be seen."
    >
      <Card title="Clone">
        <Snippet label="clone command">{`git clone ${cloneUrl}`}</Snippet>
        <p className="soft">The address alone, for a tool that asks for it:</p>
        <Snippet label="clone URL">{cloneUrl}</Snippet>
      </Card>
      <Credentials />
      <Outcomes />
      <Card title="Push">
        <h3 className={css['subtitle']}>Publish what is on main</h3>
        <Snippet label="commands that publish">{'git commit -am "Say how to install"\ngit push origin main'}</Snippet>
        <h3 className={css['subtitle']}>Preview a branch first</h3>
        <Snippet label="commands that preview">{'git switch -c new-pages\ngit push -u origin new-pages'}</Snippet>
        <p className="soft">
          The push prints the address of the preview. Publish it under{' '}
          <Link className="link" to={paths.branches(slug)}>
            Branches
          </Link>
          , or merge it into main and push.
        </p>
      </Card>
      <Card title="A repository that you have" description="Give it the project as a second remote, and push to that.">
        <Snippet label="commands that add the remote">{`git remote add quire ${cloneUrl}\ngit push quire main`}</Snippet>
        <p className="soft">
          Main is never overwritten by force: where the project has commits already, run{' '}
          <code>git pull --rebase quire main</code> first.
        </p>
      </Card>
    </Page>
  )
}

/** Who Git is to say that it is. */
function Credentials() {
  const project = useProject()
  const { slug } = project
  const [isCreating, setCreating] = useDialog('new')
  const isAdmin = may(project, 'admin')
  return (
    <Card
      title="User name and password"
      actions={
        isAdmin ? (
          <Button icon={KeyRound} onClick={() => setCreating(true)}>
            Create key
          </Button>
        ) : undefined
      }
    >
      <p>
        Git asks for both. Any user name will do; the password is an{' '}
        {isAdmin ? (
          <Link className="link" to={paths.keys(slug)}>
            API key
          </Link>
        ) : (
          'API key'
        )}{' '}
        of this project, and its scopes say what a push may do. Git asks once where a credential helper keeps the answer
        in the keychain of your system: <code>osxkeychain</code>, <code>manager</code> or <code>libsecret</code>.
      </p>
      <p>With the command line no key is needed: the clone uses your session.</p>
      <Snippet label="commands that clone with your session">
        {`quire login --url ${location.origin}\nquire clone --project ${slug}`}
      </Snippet>
      {isAdmin ? (
        <NewKey
          slug={slug}
          open={isCreating}
          onOpenChange={setCreating}
          name="Git"
          ticked={['read', 'write', 'deploy']}
        />
      ) : (
        <p className="soft">Only the owner of the project makes keys.</p>
      )}
    </Card>
  )
}

/** By where a push goes, with the scope that its key needs. */
const outcomes = [
  [
    'main',
    'deploy',
    'Deploys. The push waits for the build: the site is live when it is accepted, or stays as it was.',
  ],
  ['Any other branch', 'write', 'Saves it and updates its preview.'],
  ['A tag', 'deploy', 'Names a version. Tags do not move: delete it first, then push another.'],
] as const

function Outcomes() {
  return (
    <Card title="What a push does" description="What is wrong comes back in your terminal, with file, line and column.">
      <Rows label="What a push does">
        {outcomes.map(([to, scope, does]) => (
          <Row key={to} title={to} detail={does}>
            <span>
              takes the scope <code>{scope}</code>
            </span>
          </Row>
        ))}
      </Rows>
    </Card>
  )
}
