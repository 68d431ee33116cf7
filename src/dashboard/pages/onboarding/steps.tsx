import { Check, KeyRound } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Scope } from '#contract/endpoint.ts'
import { Button } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { Form } from '../../ui/form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Secret } from '../../ui/secret.tsx'
import type { WayProps } from './way.ts'
import css from './start.module.css'

/** Steps of a way, in their order. */
export function Steps({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <ol className={css['steps']} aria-label={label}>
      {children}
    </ol>
  )
}

interface StepProps {
  readonly title: string
  /** Whether the service has seen it; absent where it cannot. */
  readonly done?: boolean
  readonly children?: ReactNode
}

export function Step({ title, done = false, children }: StepProps) {
  return (
    <li className={classes(css['step'], done && css['done'])}>
      <span className={css['mark']} aria-hidden>
        {done ? <Check /> : null}
      </span>
      <div>
        <h2>
          {title}
          <span className="visually-hidden" role="status">
            {done ? ' (done)' : ''}
          </span>
        </h2>
        {children}
      </div>
    </li>
  )
}

interface KeyProps extends Pick<WayProps, 'makeKey'> {
  /** The key, once it is made. */
  readonly value: string | undefined
  /** What the key is called in the settings. */
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly action: string
}

/** Makes a key in place, and shows it the one time that it is shown. */
export function KeyMaker({ name, scopes, action, value, makeKey }: KeyProps) {
  if (value !== undefined) {
    return (
      <Secret label="API key" note={`Its name in the settings is “${name}”.`}>
        {value}
      </Secret>
    )
  }
  if (makeKey === undefined)
    return <Notice tone="note">Only the owner of the project makes keys: ask for one that may deploy.</Notice>
  return (
    <Form label={action} onSubmit={() => makeKey({ name, scopes: [...scopes] })}>
      {(busy) => (
        <div>
          <Button type="submit" icon={KeyRound} busy={busy}>
            {action}
          </Button>
        </div>
      )}
    </Form>
  )
}

/** How each way ends. */
export function LastSteps({ project }: Pick<WayProps, 'project'>) {
  return (
    <>
      <Step title="The first deploy begins" done={project.latest !== undefined}>
        {project.latest === undefined ? <p className="soft">This page shows it as soon as it is there.</p> : null}
      </Step>
      <Step title="Your site is live" done={project.live !== undefined}>
        <p>
          {project.live === undefined ? (
            <span className="soft">At {project.url}</span>
          ) : (
            <a className="link" href={project.url} rel="noreferrer">
              {project.url}
            </a>
          )}
        </p>
      </Step>
    </>
  )
}
