import { Snippet } from '../../ui/copy.tsx'
import { KeyMaker, LastSteps, Step, Steps } from './steps.tsx'
import type { WayProps } from './way.ts'

const keyName = 'Git'

/** A push to the project’s own repository, which builds before it takes it. */
export function GitWay({ project, facts, made, makeKey }: WayProps) {
  const state = facts.keyState(keyName)
  return (
    <Steps label="Deploy with Git">
      <Step title="Create a key" done={state !== 'none'}>
        <KeyMaker
          name={keyName}
          scopes={['read', 'write', 'deploy']}
          action="Create key"
          value={made}
          {...(makeKey && { makeKey })}
        />
      </Step>
      <Step title="Add the remote" done={state === 'used'}>
        <p>In the folder with your docs. It is no repository yet? Make it one first:</p>
        <Snippet label="commands that make a repository">{'git init\ngit add .\ngit commit -m "First pages"'}</Snippet>
        <Snippet label="command that adds the remote">{`git remote add quire ${project.cloneUrl}`}</Snippet>
      </Step>
      <Step title="Push" done={[project.live, project.latest].some((deploy) => deploy?.kind === 'push')}>
        <Snippet label="push command">git push quire HEAD:main</Snippet>
        <p className="soft">
          Git asks who you are: any user name will do, the password is the key. The push waits for the build, and a page
          that does not compile is named in your terminal.
        </p>
      </Step>
      <LastSteps project={project} />
    </Steps>
  )
}
