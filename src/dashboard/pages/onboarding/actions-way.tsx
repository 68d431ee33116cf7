import { githubPath, githubWorkflow, keyScopes, keySecret } from '#authoring/workflows.ts'
import { Snippet } from '../../ui/copy.tsx'
import { KeyMaker, LastSteps, Step, Steps } from './steps.tsx'
import type { WayProps } from './way.ts'

const keyName = 'GitHub Actions'

/** A workflow that deploys each push of a repository on GitHub. */
export function ActionsWay({ project, facts, origin, made, makeKey }: WayProps) {
  const state = facts.keyState(keyName)
  return (
    <Steps label="Deploy with GitHub Actions">
      <Step title="Create a deploy key" done={state !== 'none'}>
        <KeyMaker
          name={keyName}
          scopes={keyScopes}
          action="Create deploy key"
          value={made}
          {...(makeKey && { makeKey })}
        />
      </Step>
      <Step title="Store it as a secret of the repository" done={state === 'used'}>
        <p>
          On GitHub: Settings → Secrets and variables → Actions → New repository secret. Its name is{' '}
          <code>{keySecret}</code>. Or with GitHub’s command line, which asks for the value:
        </p>
        <Snippet label="command that stores the secret">{`gh secret set ${keySecret}`}</Snippet>
      </Step>
      <Step title="Add the workflow and push" done={state === 'used' && project.latest !== undefined}>
        <p>
          Save it as <code>{githubPath}</code>. It deploys the folder <code>docs</code> whenever something in it changes
          on <code>main</code>, and gives each pull request a preview; errors become annotations at their lines.
        </p>
        <Snippet label="workflow">{githubWorkflow({ service: origin, directory: 'docs', main: 'main' })}</Snippet>
      </Step>
      <LastSteps project={project} />
    </Steps>
  )
}
