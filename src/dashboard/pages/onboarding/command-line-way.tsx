import { useState } from 'react'
import { defaultScopes } from '#contract/keys.ts'
import { commandLine } from '#contract/service.ts'
import { Button } from '../../ui/button.tsx'
import { Snippet } from '../../ui/copy.tsx'
import { sampleMessage } from './sample.tsx'
import { KeyMaker, LastSteps, Step, Steps } from './steps.tsx'
import type { WayProps } from './way.ts'

const keyName = 'Command line'

/** One command on somebody’s own machine. */
export function CommandLineWay({ project, facts, origin, made, makeKey }: WayProps) {
  const [wantsKey, setWantsKey] = useState(false)
  const { slug } = project
  const isSignedIn = facts.hasTerminal || facts.keyState(keyName) === 'used'
  const { latest } = project
  const isDeployed = latest?.kind === 'deploy' && latest.message !== sampleMessage
  return (
    <Steps label="Deploy with the command line">
      <Step title="Install the command" done={isSignedIn}>
        <Snippet label="install command">{`npm install --global ${origin}${commandLine}`}</Snippet>
        <p className="soft">It needs Node 20.19 or later of 20, or 22.12 or later.</p>
      </Step>
      <Step title="Sign in" done={isSignedIn}>
        <Snippet label="sign-in command">{`quire login --url ${origin}`}</Snippet>
        {wantsKey || made !== undefined ? (
          <>
            <KeyMaker
              name={keyName}
              scopes={defaultScopes}
              action="Create key"
              value={made}
              {...(makeKey && { makeKey })}
            />
            {made === undefined ? null : (
              <Snippet label="command that sets the key">{`export SERVICE_API_KEY=${made}`}</Snippet>
            )}
          </>
        ) : (
          <p className="soft">
            It opens this dashboard and asks you to approve. No browser there?{' '}
            <Button size="small" onClick={() => setWantsKey(true)}>
              Use a key instead
            </Button>
          </p>
        )}
      </Step>
      <Step title="Deploy a folder" done={isSignedIn && isDeployed}>
        <p>
          <code>docs</code> is the folder with your Markdown and MDX; <code>index.mdx</code> in it is the front page.
        </p>
        <Snippet label="deploy command">{`quire deploy docs --url ${origin} --project ${slug}`}</Snippet>
        <p className="soft">You have no pages yet? Write a first one before:</p>
        <Snippet label="command that writes a first page">{`mkdir docs && echo "# ${echoed(project.title)}" > docs/index.mdx`}</Snippet>
      </Step>
      <LastSteps project={project} />
    </Steps>
  )
}

/** The words of a title that every shell takes between double quotes as they are. */
function echoed(title: string): string {
  return title.replaceAll(/[^\p{L}\p{M}\p{N} .,:-]/gu, '').trim() || 'Hello'
}
