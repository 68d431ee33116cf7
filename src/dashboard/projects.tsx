import { useState, type FormEvent } from 'react'
import { contract } from '../contract/index.ts'
import { client, fieldOf, messageOf, useLoaded } from './api.ts'
import { useTitle } from './title.ts'

const loadProjects = () => client.call(contract.projects.list, { query: { limit: 200 } })

export function ProjectsPage() {
  useTitle('Projects')
  const { value, error } = useLoaded(loadProjects)
  if (error !== undefined) return <p className="alert">{messageOf(error)}</p>
  return (
    <>
      <h1>Projects</h1>
      {value?.items.length === 0 ? (
        <p className="soft">None yet. Create one here, or have its owner add you to theirs.</p>
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
