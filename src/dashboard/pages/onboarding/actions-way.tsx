import { commandLinePackage } from '../../../contract/service.ts'
import { Snippet } from '../../ui/copy.tsx'
import { KeyMaker, LastSteps, Step, Steps } from './steps.tsx'
import type { WayProps } from './way.ts'

/** Name of the repository’s secret, and of the variable that the command line reads. */
const secret = 'SERVICE_API_KEY'

const keyName = 'GitHub Actions'

/** A workflow that deploys each push of a repository on GitHub. */
export function ActionsWay({ project, facts, origin, made, makeKey }: WayProps) {
  const state = facts.keyState(keyName)
  return (
    <Steps label="Deploy with GitHub Actions">
      <Step title="Create a deploy key" done={state !== 'none'}>
        <KeyMaker
          name={keyName}
          scopes={['deploy']}
          action="Create deploy key"
          value={made}
          {...(makeKey && { makeKey })}
        />
      </Step>
      <Step title="Store it as a secret of the repository" done={state === 'used'}>
        <p>
          On GitHub: Settings → Secrets and variables → Actions → New repository secret. Its name is{' '}
          <code>{secret}</code>. Or with GitHub’s command line, which asks for the value:
        </p>
        <Snippet label="command that stores the secret">{`gh secret set ${secret}`}</Snippet>
      </Step>
      <Step title="Add the workflow and push" done={state === 'used' && project.latest !== undefined}>
        <p>
          Save it as <code>.github/workflows/docs.yml</code>. It deploys the folder <code>docs</code> whenever something
          in it changes on <code>main</code>; errors become annotations at their lines.
        </p>
        <Snippet label="workflow">{workflow(origin)}</Snippet>
      </Step>
      <LastSteps project={project} />
    </Steps>
  )
}

function workflow(origin: string): string {
  return `name: docs
on:
  push:
    branches: [main]
    paths: ['docs/**', .github/workflows/docs.yml]
jobs:
  deploy:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 22
      - run: npm install --global ${origin}${commandLinePackage}
      - run: quire deploy docs
        env:
          QUIRE_URL: ${origin}
          ${secret}: \${{ secrets.${secret} }}`
}
