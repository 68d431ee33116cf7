import { useCallback, useState, type FormEvent } from 'react'
import { contract } from '../contract/index.ts'
import type { UsageMeter } from '../contract/usage.ts'
import { Activity } from './activity.tsx'
import { client, fieldOf, messageOf, useLoaded, useTitle } from './api.ts'
import { Deploys } from './deploys.tsx'
import { ReceivedInvitations } from './invitations.tsx'
import { Keys } from './keys.tsx'
import { Members } from './members.tsx'

const loadProjects = () => client.call(contract.projects.list, { query: { limit: 200 } })

/** `/dashboard`: all projects of the account, and a form for another one. */
export function ProjectsPage() {
  useTitle('Projects')
  const { value, error, reload } = useLoaded(loadProjects)
  if (error !== undefined) return <p className="alert">{messageOf(error)}</p>
  return (
    <>
      <h1>Projects</h1>
      <ReceivedInvitations onJoin={reload} />
      {value?.items.length === 0 ? (
        <p className="soft">None yet. Create one here, or have an owner invite you to theirs.</p>
      ) : null}
      <ul className="cards">
        {value?.items.map((project) => (
          <li key={project.slug} className="card">
            <h2>
              <a href={`/dashboard/${project.slug}`}>{project.title}</a>
            </h2>
            <p className="soft">{project.live === undefined ? 'Nothing deployed yet' : project.url}</p>
            {project.role === 'writer' ? <p className="soft">You are a writer; somebody else owns it.</p> : null}
          </li>
        ))}
      </ul>
      <NewProject />
    </>
  )
}

function NewProject() {
  const [error, setError] = useState<string>()
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault()
    const form = event.currentTarget
    const title = fieldOf(form, 'title')
    try {
      const project = await client.call(contract.projects.create, {
        body: { slug: fieldOf(form, 'slug'), ...(title === '' ? {} : { title }) },
      })
      location.assign(`/dashboard/${project.slug}`)
    } catch (failure) {
      setError(messageOf(failure))
    }
  }
  return (
    <form onSubmit={(event) => void submit(event)} className="card stack">
      <h2>New project</h2>
      <label>
        Slug
        <input name="slug" required pattern="[a-z0-9]([a-z0-9\-]{0,61}[a-z0-9])?" placeholder="my-docs" />
        <small>The name in its address: lower-case letters, digits and hyphens.</small>
      </label>
      <label>
        Title
        <input name="title" maxLength={200} placeholder="My Docs" />
      </label>
      {error === undefined ? null : (
        <p className="alert" role="alert">
          {error}
        </p>
      )}
      <button type="submit">Create project</button>
    </form>
  )
}

/** `/dashboard/{slug}`: where a project is, what is used of its plan, its deploys, members, keys and activity. */
export function ProjectPage({ slug, me }: { slug: string; /** Account id. */ me: string }) {
  const load = useCallback(() => client.call(contract.projects.read, { params: { slug } }), [slug])
  const { value: project, error, reload } = useLoaded(load)
  useTitle(project?.title ?? slug)
  if (error !== undefined) return <p className="alert">{messageOf(error)}</p>
  if (project === undefined) return null
  return (
    <>
      <p className="soft">
        <a href="/dashboard">Projects</a> / {project.slug}
      </p>
      <h1>{project.title}</h1>
      <dl className="card facts">
        <dt>Site</dt>
        <dd>
          {project.live === undefined ? (
            <span className="soft">
              Not live yet: run <code>quire deploy</code>
            </span>
          ) : (
            <a href={project.url}>{project.url}</a>
          )}
        </dd>
        <dt>Clone</dt>
        <dd>
          <code>git clone {project.cloneUrl}</code>
        </dd>
        <dt>Plan</dt>
        <dd>{project.plan === 'pro' ? 'Pro' : 'Free'}</dd>
      </dl>
      <Usage slug={slug} live={project.live?.id} />
      <Deploys slug={slug} live={project.live?.id} onChange={reload} />
      {project.role === undefined ? null : <Members slug={slug} role={project.role} me={me} />}
      {project.role === 'owner' ? <Keys slug={slug} /> : null}
      {project.role === 'owner' ? <Activity slug={slug} /> : null}
    </>
  )
}

interface UsageProps {
  readonly slug: string
  /** Changes when something was deployed: then the counts are read again. */
  readonly live: string | undefined
}

/** A time for people, in the days that the plan counts. */
const utc = (at: string, format: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat(undefined, { ...format, timeZone: 'UTC' }).format(new Date(at))

/** What is used of the plan: the counts that `quire usage` prints. */
function Usage({ slug, live }: UsageProps) {
  const load = useCallback(
    () => client.call(contract.usage.read, { params: { slug } }).then((usage) => ({ usage, live })),
    [slug, live],
  )
  const { value, error } = useLoaded(load)
  if (error !== undefined) return <p className="alert">{messageOf(error)}</p>
  if (value === undefined) return null
  const { plan, period, generations, deploys, agentMessages, answers, models } = value.usage
  const month = utc(period.start, { month: 'long', year: 'numeric' })
  return (
    <section aria-labelledby="usage">
      <h2 id="usage">Usage</h2>
      <p className="soft">
        {plan === 'pro' ? 'Pro' : 'Free'} plan of the owner, over all of their projects, {month}. Work that is under way
        counts.
      </p>
      <div className="meters">
        <Meter title="Generations" meter={generations} note="This month, with branches and the assistant" />
        <Meter title="Deploys today" meter={deploys} note={`${deploys.inPeriod} in ${month}`} />
        <Meter title="Assistant" meter={agentMessages} note="Messages; they count as generations" />
        {answers.used === 0 ? null : (
          <Meter title="Answers" meter={answers} note="To readers; they count as generations" />
        )}
      </div>
      {models.inputTokens + models.outputTokens === 0 ? null : (
        <p className="soft">
          Language models have read {models.inputTokens.toLocaleString()} tokens and written{' '}
          {models.outputTokens.toLocaleString()}
          {models.costUsd === 0 ? '' : `, for $${models.costUsd.toFixed(2)}`}.
        </p>
      )}
    </section>
  )
}

function Meter({ title, meter, note }: { title: string; meter: UsageMeter; note: string }) {
  const { used, ofProject, limit, remaining, resetsAt } = meter
  return (
    <div className="card meter">
      <div className="line">
        <strong>{title}</strong>
        <span className="grow" />
        <span>{limit === null ? `${used} used, unlimited` : `${used} of ${limit} used`}</span>
      </div>
      {limit === null || remaining === null ? null : (
        <meter
          min={0}
          max={limit}
          value={limit - remaining}
          optimum={0}
          high={limit - 0.5}
          aria-label={`${title}: ${remaining} of ${limit} left`}
        />
      )}
      <small>{note}</small>
      {ofProject === used ? null : <small>{ofProject} of them by this project</small>}
      {limit === null ? null : (
        <small>
          {remaining} left; starts anew on{' '}
          <time dateTime={resetsAt}>{utc(resetsAt, { day: 'numeric', month: 'long' })}, 00:00 UTC</time>
        </small>
      )}
    </div>
  )
}
